"""What the user knows about the papers: a .bib, a .ris or a manifest.csv beside them adds to what the PDFs say, and overrides it.

A file that cannot be read is an error, because it was meant to count. An entry that fits no paper is only listed.
"""

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from methodlens.errors import InputError
from methodlens.papers.about import bibtex, ris
from methodlens.papers.about.frontpage import letters
from methodlens.papers.about.metadata import Metadata, normal_doi

_MOST_BYTES = 64 << 20
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d|21\d\d)(?!\d)")
_COLUMNS = {"file": "file", "filename": "file", "paper": "file", "title": "title", "authors": "authors", "author": "authors"} | {
    "year": "year", "doi": "doi"
}  # fmt: skip


class Entry(NamedTuple):
    """What one entry says, and what it may be recognised by. `source` is where it stands: 'library.bib:12'."""

    says: Metadata
    source: str
    files: tuple[str, ...] = ()
    key: str = ""


class Sidecars:
    """The entries of each file, the file that counts most first."""

    def __init__(self, files: Sequence[Sequence[Entry]] = ()) -> None:
        self._shelves = tuple(_Shelf(entries) for entries in files)

    def lookup(self, path_name: str, metadata: Metadata) -> Metadata:
        """The paper's metadata with what the files say about it; `path_name` is the paper's name below its folder."""
        merged = metadata
        for entry in reversed(self._of(path_name, metadata)):
            merged = merged._replace(**{name: value for name, value in entry.says._asdict().items() if value})
        return merged

    def unused(self, papers: Iterable[tuple[str, Metadata]]) -> tuple[str, ...]:
        """The entries that fit none of the papers (their names, and what the PDFs say): 'library.bib:12 smith2020'."""
        used = {entry.source for name, metadata in papers for entry in self._of(name, metadata)}
        entries = (entry for shelf in self._shelves for entry in shelf.entries if entry.source not in used)
        return tuple(
            f"{entry.source} {entry.key or entry.says.title[:60] or ', '.join(entry.files)}".rstrip() for entry in entries
        )

    def _of(self, name: str, metadata: Metadata) -> list[Entry]:
        return [entry for shelf in self._shelves if (entry := shelf.find(name, metadata))]


class _Shelf:
    """The entries of one file, to be found by file name, else key, else DOI, else title; of equals the first."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self._by: dict[tuple[str, str], list[Entry]] = {}
        for entry in entries:
            marks = {("file", _parts(file)[-1]) for file in entry.files}
            marks |= {("key", entry.key.casefold()), ("doi", entry.says.doi), ("title", letters(entry.says.title))}
            for mark in marks:
                self._by.setdefault(mark, []).append(entry)

    def find(self, name: str, metadata: Metadata) -> Entry | None:
        stem = _parts(name)[-1]
        same_name = self._by.get(("file", stem), ())
        by_file = max(same_name, key=lambda entry: _fit(entry, name, metadata.doi), default=None)
        if by_file and _fit(by_file, name, metadata.doi):
            return by_file
        title = letters(metadata.title)
        for mark in (("key", stem), ("doi", metadata.doi), ("title", title if len(title) > 8 else "")):
            if mark[1] and mark in self._by:
                return self._by[mark][0]
        return None


def read_sidecars(folder: Path) -> Sidecars:
    """The files beside the papers: manifest.csv counts most, then .bib, then .ris. Raises InputError when one cannot be read."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except NotADirectoryError:
        return Sidecars()
    except OSError as err:
        raise InputError(f"{folder} cannot be read ({err.strerror})", "name a folder that is there") from err
    kinds: tuple[tuple[str, Callable[[str, str], tuple[Entry, ...]]], ...] = (
        ("manifest.csv", manifest_entries), (".bib", bibtex_entries), (".ris", ris_entries),
    )  # fmt: skip
    return Sidecars(
        tuple(
            read(_text(path), path.name)
            for ending, read in kinds
            for path in paths
            if (path.name.lower() == ending if "." in ending[1:] else path.suffix.lower() == ending)
        )
    )


def bibtex_entries(text: str, source: str) -> tuple[Entry, ...]:
    return tuple(_from_bibtex(entry, source) for entry in bibtex.parse(text, source))


def ris_entries(text: str, source: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            Metadata(
                entry.first("TI", "T1", "CT"),
                tuple(map(bibtex.given_first, entry.all("AU", "A1"))),
                _year(entry.first("PY", "Y1", "DA")),
                normal_doi(" ".join(entry.all("DO", "UR", "M3", "L3"))),
            ),
            f"{source}:{entry.line}",
            tuple(filter(None, map(_linked, entry.all("L1", "L2", "L4", "LK", "UR")))),
            entry.first("ID"),
        )
        for entry in ris.parse(text, source)
    )


def manifest_entries(text: str, source: str) -> tuple[Entry, ...]:
    head = text.lstrip("\ufeff").split("\n", 1)[0]
    delimiter = next((mark for mark in (",", ";", "\t") if mark in head), ",")
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    found: list[Entry] = []
    columns: list[str] = []
    named: dict[str, int] = {}
    while True:
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return tuple(found)
        except csv.Error as err:
            raise InputError(f"{source}:{line}: {err}", "mend the line, or save the table again as CSV") from err
        if not any(cells):
            continue
        if not columns:
            columns = [_COLUMNS.get(cell.lower(), "") for cell in cells]
            if not {"file", "doi", "title"} & set(columns):
                raise InputError(f"{source}:{line}: no column is called 'file'", "name its columns file,title,authors,year,doi")
            continue
        if any(cells[len(columns) :]):
            raise InputError(
                f"{source}:{line}: {len(cells)} cells under {len(columns)} columns",
                "put a cell that holds a comma in double quotes",
            )
        row = {column: cell for column, cell in reversed(list(zip(columns, cells, strict=False))) if column and cell}
        found.append(_from_row(row, f"{source}:{line}"))
        for name in found[-1].files:
            if named.setdefault(name.casefold(), line) != line:
                raise InputError(
                    f"{source}:{line}: {name} is already named in line {named[name.casefold()]}", "keep one of the two"
                )


class Originals:
    """Which papers came first, of those that are the same; told of one paper after the other, in their order."""

    def __init__(self) -> None:
        self._first: dict[int, str] = {}  # by a hash of 64 bits: there may be millions, and their marks are long

    def of(self, name: str, doi: str, digest: str) -> str:
        """The name of the first paper with the same DOI or text; '' if this one is the first."""
        marks = [hash(mark) for mark in (("doi", doi.lower()), ("text", digest)) if mark[1]]
        original = next((self._first[mark] for mark in marks if mark in self._first), name)
        for mark in marks:
            self._first.setdefault(mark, original)
        return original if original != name else ""


def duplicates(entries: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Of (name, doi, text digest): the names of papers that an earlier one holds already, each with the first such one's name."""
    seen = Originals()
    return {name: original for name, doi, digest in entries if (original := seen.of(name, doi, digest))}


def text_digest(text: str) -> str:
    """The same for two files of the same text, whatever their layout; '' for a text without letters or digits."""
    bare = "".join(char for char in unicodedata.normalize("NFKC", text).lower() if char.isalnum())
    return hashlib.sha256(bare.encode()).hexdigest() if bare else ""


def _from_bibtex(entry: bibtex.BibEntry, source: str) -> Entry:
    field = {name: bibtex.plain(value) for name, value in entry.fields.items() if name not in ("file", "author")}
    title = ": ".join(filter(None, (field.get("title"), field.get("subtitle"))))
    doi = next((doi for name in ("doi", "url", "note") if (doi := normal_doi(field.get(name, "")))), "")
    says = Metadata(title, bibtex.people(entry.fields.get("author", "")), _year(field.get("year") or field.get("date", "")), doi)
    return Entry(says, f"{source}:{entry.line}", _attached(entry.fields.get("file", "")), entry.key)


def _from_row(row: dict[str, str], source: str) -> Entry:
    year, doi = _year(row.get("year", "")), normal_doi(row.get("doi", ""))
    if row.get("year") and not year:
        raise InputError(f"{source}: {row['year']!r} is not a year", "write it in four digits, or leave it empty")
    if row.get("doi") and not doi:
        raise InputError(f"{source}: {row['doi']!r} is not a DOI", "a DOI starts with 10. and holds a slash; or leave it empty")
    authors = tuple(name for part in row.get("authors", "").split(";") if (name := bibtex.given_first(part)))
    file = row.get("file", "").replace("\\", "/")
    return Entry(Metadata(row.get("title", ""), authors, year, doi), source, (file,) if file else ())


def _attached(value: str) -> tuple[str, ...]:
    """The paths in a `file` field: 'a.pdf', ':dir/a.pdf:PDF' (JabRef), 'Text:storage/1/a.pdf:application/pdf;...' (Zotero)."""
    value = value.replace("$\\backslash$", "\\").replace("{", "").replace("}", "").replace("\\_", "_")
    found: list[str] = []
    for one in re.split(r"(?<!\\);", value):
        pieces = [piece for piece in re.split(r"\\?:", one) if piece.strip().lower().endswith(".pdf")]
        found += [re.sub(r"[\\/]+", "/", re.sub(r"\\(?=[;,&%# ])", "", pieces[-1].strip()))] if pieces else []
    return tuple(found)


def _linked(value: str) -> str:
    """The path of a link to a file; '' for one into the web, whose last part may be any name."""
    scheme = re.match(r"([a-z-]{2,}):/*", value, re.IGNORECASE)
    if (scheme and scheme[1].lower() not in ("file", "internal-pdf")) or not value.lower().endswith(".pdf"):
        return ""
    return unquote("/" + value[scheme.end() :] if scheme else value).replace("\\", "/")


def _fit(entry: Entry, name: str, doi: str) -> int:
    """How many parts of the paper's path one of the entry's paths shares, from the end on; 0 when it is another file.

    A path from the root was written on some other day: its folders may differ, unless the DOIs differ too.
    """
    ours = _parts(name)
    best = 0
    for file in entry.files:
        theirs = _parts(file)
        agree = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reversed(ours), reversed(theirs), strict=False)))
        moved = theirs[0] in ("", "~") and (not doi or not entry.says.doi or doi == entry.says.doi)
        if moved or agree == min(len(ours), len(theirs)):
            best = max(best, agree)
    return best


def _parts(path: str) -> list[str]:
    return path.casefold().removeprefix("./").removesuffix(".pdf").split("/")


def _year(text: str) -> int | None:
    match = _YEAR.search(text)
    return int(match[1]) if match else None


def _text(path: Path) -> str:
    """UTF-8 or, as older reference managers write, UTF-16 with its mark or Windows' Western letters."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path} is bigger than {_MOST_BYTES >> 20} MB", "keep only the entries of these papers in it")
        data = path.read_bytes()
    except OSError as err:
        raise InputError(f"{path} cannot be read ({err.strerror})", "check its permissions, or take it away") from err
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    if "\x00" in text:
        raise InputError(f"{path} is not a text file", "export it again, or take it away")
    return text.replace("\r\n", "\n").replace("\r", "\n")
