"""Find the papers in files, folders and URLs, and give each a unique name."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from methodlens.errors import InputError
from methodlens.papers.forms.recognition import FORM_SUFFIXES, folder_suffixes, select
from methodlens.papers.remote_files import is_url, list_remote
from methodlens.text.url_secrets import redact_url

PDF_SUFFIXES = (".pdf",)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
OnSkip = Callable[[str], None]


class PaperFile(NamedTuple):
    """A file and its name: the path below the folder that was given. `location` is a path or a URL.

    Plain strings, because there may be millions.
    """

    location: str
    name: str

    @property
    def path(self) -> Path:
        return Path(self.location)


def find(
    sources: Sequence[Path | str], *, suffixes: Sequence[str] = PDF_SUFFIXES, on_skip: OnSkip = lambda _: None
) -> list[PaperFile]:
    """Every paper in the given files, folders and URLs, each once, in order of name.

    Besides `suffixes`, which are accepted as they are, folders are searched for papers in our other forms. Linked folders
    are followed. `on_skip` is called with each file or folder that is left out, and why.
    Raises InputError if a source is missing, if there is no paper, or if none of the files can be one.
    """
    papers = list_files(sources, suffixes=suffixes, on_skip=on_skip)
    if not papers:
        fix = f"name a folder that contains files ending in {' or '.join(suffixes)}"
        raise InputError(f"no PDF in {', '.join(map(printable_name, sources))}", fix)
    other_formats = tuple({*suffixes, *FORM_SUFFIXES} - set(PDF_SUFFIXES))
    unchecked = (is_url(paper.location) or paper.name.lower().endswith(other_formats) for paper in papers)
    problems = ["" if skip else why_not_pdf(paper.path) for paper, skip in zip(papers, unchecked, strict=True)]
    if all(problems):
        others = f" (and {len(papers) - 1} more like it)" if len(papers) > 1 else ""
        raise InputError(f"{printable_name(papers[0].location)} {problems[0]}{others}", "download the PDF itself again")
    return papers


def list_files(
    sources: Sequence[Path | str], *, suffixes: Sequence[str] = PDF_SUFFIXES, on_skip: OnSkip = lambda _: None
) -> list[PaperFile]:
    """The same list, which may be empty. PDFs are not opened; of other forms, the first bytes are read."""
    papers: dict[str, PaperFile] = {}
    for source in sources:
        if is_url(source):
            papers.update((location, PaperFile(location, name)) for location, name in list_remote(str(source), suffixes))
            continue
        folder = Path(source)
        if not folder.exists():
            raise InputError(f"{printable_name(source)} does not exist", "name a PDF or a folder of PDFs")
        if not folder.is_dir() and not folder.is_file():
            raise InputError(f"{printable_name(source)} is not a regular file", "name a PDF or a folder of PDFs")
        for path in _papers_in(folder, suffixes, on_skip):
            papers.setdefault(os.path.realpath(path), PaperFile(path, _name(path, folder)))
    return sorted(_with_unique_names(papers.values()), key=lambda paper: _natural_order(paper.name))


def locate(sources: Sequence[str], name: str) -> PaperFile | None:
    """The paper of this name, if it still exists. Most are found without listing folders."""
    for source in map(Path, sources):
        path = source if source.name == name and source.is_file() else source / name
        if path.is_file():
            return PaperFile(str(path), name)
    return locate_all(sources).get(name)  # files of the same name in two folders have longer names


def locate_all(sources: Sequence[str]) -> dict[str, PaperFile]:
    """The papers that still exist, by name. Folders that have been moved are skipped."""
    existing = [Path(source) for source in sources if Path(source).exists()]
    try:
        return {file.name: file for file in find(existing)} if existing else {}
    except InputError:
        return {}


def why_not_pdf(path: Path) -> str:
    """Why a file cannot be a PDF, or '' if it may be one. Reads only its first bytes."""
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
    """Of the file's bytes; '' if it cannot be read or is not a regular file, which the parser reports."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _papers_in(source: Path, suffixes: Sequence[str], on_skip: OnSkip) -> Iterable[str]:
    """The source itself, or the papers below it."""
    if source.is_file():
        return [str(source)]
    forms = folder_suffixes([suffix for suffix in FORM_SUFFIXES if suffix not in suffixes])
    papers, left_out = select(_walk(source, (*suffixes, *forms), on_skip), forms=forms)
    for path, reason in left_out:
        on_skip(f"{printable_name(path)}: {reason}")
    return papers


def _walk(source: Path, suffixes: Sequence[str], on_skip: OnSkip) -> Iterable[str]:
    entered: set[str] = set()
    folders = [str(source)]
    while folders:  # not os.walk, which recurses: folders may be nested a thousand deep
        folder = folders.pop()
        if (real := os.path.realpath(folder)) in entered:  # a link may lead back to a folder above
            continue
        entered.add(real)
        try:
            names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
        except OSError as err:
            on_skip(f"{printable_name(folder)}: the folder cannot be read ({err.strerror})")
            continue
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                folders.append(path)
            elif not name.lower().endswith(tuple(suffixes)):
                continue
            elif os.path.isfile(path):
                yield path
            else:  # a FIFO or a device would block the process that opens it
                on_skip(f"{printable_name(path)}: {'not a regular file' if os.path.exists(path) else 'a broken link'}")


def _name(path: str, source: Path) -> str:
    return printable_name(Path(path).relative_to(source).as_posix() if source.is_dir() else source.name)


def printable_name(path: object) -> str:
    """The path or URL as text that can be printed and stored: without other encodings, terminal escapes, or passwords.

    >>> printable_name(os.fsdecode(b"caf\\xe9.pdf"))
    'caf\\\\xe9.pdf'
    """
    text = redact_url(os.fsencode(str(path)).decode("utf-8", "backslashreplace"))
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _with_unique_names(files: Iterable[PaperFile]) -> list[PaperFile]:
    """Adds the folder's name where two folders contain a 1.pdf, or the whole path where that is still ambiguous."""
    papers = list(files)
    for use_full_path in (False, True):
        count = Counter(paper.name for paper in papers)
        if len(count) == len(papers):
            break
        papers = [paper if count[paper.name] == 1 else _with_longer_name(paper, use_full_path) for paper in papers]
    return papers


def _with_longer_name(paper: PaperFile, use_full_path: bool) -> PaperFile:
    full_path = paper.location if is_url(paper.location) else paper.path.as_posix()
    return paper._replace(name=printable_name(full_path) if use_full_path else _with_folder(paper))


def _with_folder(paper: PaperFile) -> str:
    return f"{printable_name(paper.path.parent.name)}/{paper.name}"


def _natural_order(name: str) -> list[tuple[int, int, str]]:
    """2.pdf before 10.pdf, and numbers before letters."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name.lower())
    return [(0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts]
