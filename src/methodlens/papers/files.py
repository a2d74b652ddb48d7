"""Which files are papers, what they are called, and whether they can be PDFs at all."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from methodlens.errors import InputError
from methodlens.papers import elsewhere


class PaperFile(NamedTuple):
    """A file and the name it goes by: its path below the folder that was given. There may be millions, so these are strings.

    `location` is a path, or a URL: see `papers.elsewhere`.
    """

    location: str
    name: str

    @property
    def path(self) -> Path:
        return Path(self.location)


def find(sources: Sequence[Path | str]) -> list[PaperFile]:
    """Every PDF below the given files, folders and URLs, each once, in order of name.

    Raises InputError when a source is missing, when there is no PDF, or when none of them can be a PDF.
    """
    papers = listed(sources)
    if not papers:
        raise InputError(f"no PDF in {', '.join(map(str, sources))}", "name a folder that has files ending in .pdf")
    problems = list(map(_problem, papers))
    if all(problems):
        others = f" (and {len(papers) - 1} more like it)" if len(papers) > 1 else ""
        raise InputError(f"{papers[0].location} {problems[0]}{others}", "fetch the PDF itself again")
    return papers


def listed(sources: Sequence[Path | str]) -> list[PaperFile]:
    """The same by their names alone: there may be none, and they may be anything."""
    found: dict[str, PaperFile] = {}
    for source in sources:
        if elsewhere.is_url(source):
            found.update((location, PaperFile(location, name)) for location, name in elsewhere.below(str(source)))
            continue
        folder = Path(source)
        if not folder.exists():
            raise InputError(f"{source} is not there", "name a PDF or a folder of PDFs")
        for path in _below(folder):
            found.setdefault(os.path.realpath(path), PaperFile(path, _name(path, folder)))
    return sorted(_distinct(found.values()), key=lambda paper: _natural(paper.name))


def _problem(paper: PaperFile) -> str:
    return "" if elsewhere.is_url(paper.location) else why_not_pdf(paper.path)


def why_not_pdf(path: Path) -> str:
    """What keeps a file from being a PDF, or '' when it may be one. Looks at the first bytes only."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as err:
        return f"cannot be read ({err.strerror})"
    if not head:
        return "is empty"
    if b"%PDF-" in head:
        return ""
    if b"<html" in head.lower() or b"<!doctype" in head.lower():
        return "is a web page, not a PDF"
    return "is not a PDF"


def sha256_of(path: Path) -> str:
    """Of the file's bytes; '' when it cannot be read, which the parser will then say."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _below(source: Path) -> Iterable[str]:
    if source.is_file():
        yield str(source)
        return
    for folder, inner, names in os.walk(source):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        yield from (os.path.join(folder, name) for name in sorted(names) if is_pdf_name(name))


def is_pdf_name(name: str) -> bool:
    return name.lower().endswith(".pdf") and not name.startswith(".")


def _name(path: str, source: Path) -> str:
    return Path(path).relative_to(source).as_posix() if source.is_dir() else source.name


def _distinct(found: Iterable[PaperFile]) -> list[PaperFile]:
    """Two folders may each hold a 1.pdf: those get their folder's name too, and their whole path if that is not enough."""
    papers = list(found)
    for level in (1, 2):
        count = Counter(paper.name for paper in papers)
        if len(count) == len(papers):
            break
        papers = [
            paper if count[paper.name] == 1 else paper._replace(name=_longer(paper) if level == 1 else paper.path.as_posix())
            for paper in papers
        ]
    return papers


def _longer(paper: PaperFile) -> str:
    return f"{paper.path.parent.name}/{paper.name}"


def _natural(name: str) -> list[tuple[int, int, str]]:
    """2.pdf before 10.pdf, and numbers before letters."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name.lower())
    return [(0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts]
