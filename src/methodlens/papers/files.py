"""Which files are papers, what they are called, and whether they can be PDFs at all."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from methodlens.errors import InputError


class PaperFile(NamedTuple):
    """A file and the name it goes by: its path below the folder that was given."""

    path: Path
    name: str


def find(sources: Sequence[Path]) -> list[PaperFile]:
    """Every PDF below the given files and folders, each once, in order of name.

    Raises InputError when a source is missing, when there is no PDF, or when none of them can be a PDF.
    """
    found: dict[Path, tuple[Path, str]] = {}
    for source in sources:
        if not source.exists():
            raise InputError(f"{source} is not there", "name a PDF or a folder of PDFs")
        for path in _below(source):
            found.setdefault(path.resolve(), (path, _name(path, source)))
    if not found:
        raise InputError(f"no PDF in {', '.join(map(str, sources))}", "name a folder that has files ending in .pdf")
    papers = sorted(_distinct(found.values()), key=lambda paper: _natural(paper.name))
    problems = [(paper, problem) for paper in papers if (problem := why_not_pdf(paper.path))]
    if len(problems) == len(papers):
        paper, problem = problems[0]
        others = f" (and {len(papers) - 1} more like it)" if len(papers) > 1 else ""
        raise InputError(f"{paper.path} {problem}{others}", "fetch the PDF itself again")
    return papers


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


def _below(source: Path) -> Iterable[Path]:
    if source.is_file():
        yield source
        return
    for folder, inner, names in os.walk(source):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(".pdf") and not name.startswith("."):
                yield Path(folder, name)


def _name(path: Path, source: Path) -> str:
    return path.relative_to(source).as_posix() if source.is_dir() else path.name


def _distinct(found: Iterable[tuple[Path, str]]) -> Iterable[PaperFile]:
    """Two folders may each hold a 1.pdf: those get their folder's name too, and their whole path if that is not enough."""
    pairs = list(found)
    for level in (1, 2):
        count = Counter(name for _, name in pairs)
        pairs = [
            (path, name if count[name] == 1 else f"{path.parent.name}/{name}" if level == 1 else path.as_posix())
            for path, name in pairs
        ]
    return [PaperFile(path, name) for path, name in pairs]


def _natural(name: str) -> list[tuple[int, int, str]]:
    """2.pdf before 10.pdf, and numbers before letters."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name.lower())
    return [(0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts]
