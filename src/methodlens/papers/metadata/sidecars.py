"""Metadata files in a folder of papers: manifest.csv, .bib and .ris add to the metadata of the PDFs, and override it.

A file that cannot be parsed is an error. An entry that matches no paper is only reported.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from methodlens.errors import InputError
from methodlens.papers.metadata.bibtex import bibtex_entries
from methodlens.papers.metadata.entries import Entry, Metadata
from methodlens.papers.metadata.manifest import manifest_entries
from methodlens.papers.metadata.ris import ris_entries
from methodlens.papers.metadata.title_page import letters

_MAX_BYTES = 64 << 20
_MIN_TITLE_LETTERS = 9  # two papers may share a shorter title


class NamedCode(NamedTuple):
    """The repository that a manifest names for a paper: its path from the folder of the manifest, and the state that counts."""

    path: str
    at: str
    source: str


class Sidecars:
    """The entries of each file, in order of precedence. `folder` has the files."""

    def __init__(self, files: Sequence[Sequence[Entry]] = (), folder: Path = Path()) -> None:
        self._files = tuple(_EntryIndex(entries) for entries in files)
        self.folder = folder

    def lookup(self, path_name: str, metadata: Metadata) -> Metadata:
        """The paper's metadata, overridden by the matching entries; `path_name` is its path below its folder."""
        merged = metadata
        for entry in reversed(self._matches(path_name, metadata)):
            merged = merged._replace(**{name: value for name, value in entry.metadata._asdict().items() if value})
        return merged

    def collections(self, path_name: str, metadata: Metadata) -> tuple[str, ...]:
        """Of all matching entries, each once."""
        return tuple(dict.fromkeys(name for entry in self._matches(path_name, metadata) for name in entry.collections))

    def code(self, path_name: str) -> NamedCode | None:
        """Found by the name of the paper's file alone, because the paper has not been read yet."""
        entries = (entry for entry in self._matches(path_name, Metadata()) if entry.code)
        return next((NamedCode(entry.code, entry.code_at, entry.source) for entry in entries), None)

    def supplement_of(self, path_name: str) -> tuple[str, str] | None:
        """The paper that a file supplements ('' for none), and where that is said; None if nothing is. By the file's name."""
        said = ((entry.supplement_of, entry.source) for entry in self._matches(path_name, Metadata()))
        return next(((name, source) for name, source in said if name is not None), None)

    def supplements(self, path_name: str) -> tuple[tuple[str, ...], str] | None:
        """The supplements of a paper as paths from `folder`, likewise."""
        said = ((entry.supplements, entry.source) for entry in self._matches(path_name, Metadata()))
        return next(((paths, source) for paths, source in said if paths is not None), None)

    def unused(self, papers: Iterable[tuple[str, Metadata]]) -> tuple[str, ...]:
        """The entries that match none of the papers (name and metadata of each PDF), such as 'library.bib:12 smith2020'."""
        used = {entry.source for name, metadata in papers for entry in self._matches(name, metadata)}
        unused = (entry for file in self._files for entry in file.entries if entry.source not in used)
        return tuple(f"{e.source} {e.key or e.metadata.title[:60] or ', '.join(e.files)}".rstrip() for e in unused)

    def _matches(self, name: str, metadata: Metadata) -> list[Entry]:
        return [entry for file in self._files if (entry := file.find(name, metadata))]


class _EntryIndex:
    """The entries of one file, found by file name, else key, else DOI, else title. The first of equal matches wins."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self._index: dict[tuple[str, str], list[Entry]] = {}
        for entry in entries:
            keys = {("file", _parts(file)[-1]) for file in entry.files}
            keys |= {("key", entry.key.casefold()), ("doi", entry.metadata.doi), ("title", letters(entry.metadata.title))}
            for key in keys:
                self._index.setdefault(key, []).append(entry)

    def find(self, name: str, metadata: Metadata) -> Entry | None:
        stem = _parts(name)[-1]
        by_file = max(
            self._index.get(("file", stem), ()), key=lambda entry: _shared_parts(entry, name, metadata.doi), default=None
        )
        if by_file and _shared_parts(by_file, name, metadata.doi):
            return by_file
        title = letters(metadata.title)
        for key in (("key", stem), ("doi", metadata.doi), ("title", title if len(title) >= _MIN_TITLE_LETTERS else "")):
            if key[1] and key in self._index:
                return self._index[key][0]
        return None


def read_sidecars(folder: Path) -> Sidecars:
    """The metadata files in a folder: manifest.csv takes precedence, then .bib, then .ris.

    Raises InputError if one cannot be read or parsed.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except NotADirectoryError:
        return Sidecars()
    except OSError as err:
        raise InputError(f"{folder} cannot be read ({err.strerror})", "name an existing folder") from err
    formats: tuple[tuple[Callable[[Path], bool], Callable[[str, str], tuple[Entry, ...]]], ...] = (
        (lambda path: path.name.lower() == "manifest.csv", manifest_entries),
        (lambda path: path.suffix.lower() == ".bib", bibtex_entries),
        (lambda path: path.suffix.lower() == ".ris", ris_entries),
    )
    return Sidecars([parse(read_text(path), path.name) for matches, parse in formats for path in paths if matches(path)], folder)


def _shared_parts(entry: Entry, name: str, doi: str) -> int:
    """How many trailing parts of the paper's path an entry's path shares; 0 if it is another file.

    An absolute path may come from another computer: its folders may differ, unless the DOIs differ too.
    """
    paper = _parts(name)
    best = 0
    for file in entry.files:
        listed = _parts(file)
        equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reversed(paper), reversed(listed), strict=False)))
        moved = listed[0] in ("", "~") and (not doi or not entry.metadata.doi or doi == entry.metadata.doi)
        if moved or equal == min(len(paper), len(listed)):
            best = max(best, equal)
    return best


def _parts(path: str) -> list[str]:
    return path.casefold().removeprefix("./").removesuffix(".pdf").split("/")


def read_text(path: Path) -> str:
    """Decodes UTF-8 and, as older reference managers write, UTF-16 with a byte order mark or Windows-1252."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(f"{path} is larger than {_MAX_BYTES >> 20} MB", "keep only the entries of these papers in it")
        data = path.read_bytes()
    except OSError as err:
        raise InputError(f"{path} cannot be read ({err.strerror})", "check its permissions, or remove it") from err
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    if "\x00" in text:
        raise InputError(f"{path} is not a text file", "export it again, or remove it")
    return text.replace("\r\n", "\n").replace("\r", "\n")
