"""Uploaded papers: limited in size, checked by their first bytes, and saved under safe names, each paper once."""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from methodlens.errors import InputError, OutputError
from methodlens.papers import PaperFile, sha256_of
from methodlens.papers.files import PDF_SUFFIXES, why_not_pdf
from methodlens.papers.forms.recognition import companion_of, once_each
from methodlens.papers.forms.suffixes import FORM_SUFFIXES
from methodlens.papers.forms.uploaded import check_form
from methodlens.reports.output_files import slug
from methodlens.text.printable import one_line
from methodlens.web.expected_errors import error_message

FOLDER = "uploads"
_CHUNK = 1 << 20
_MAX_NAME = 80  # characters of a refused file's name
_NAMING = threading.Lock()  # two uploads at the same time must not choose the same free name


class Upload(NamedTuple):
    """A file as the browser sends it; its name may be anything."""

    name: str
    stream: BinaryIO

    @property
    def shown(self) -> str:
        return one_line(self.name)[:_MAX_NAME]


class RefusedFile(msgspec.Struct, frozen=True):
    name: str
    reason: str


class SavedUploads(NamedTuple):
    papers: tuple[PaperFile, ...]
    refused: tuple[RefusedFile, ...]


class UploadRules(NamedTuple):
    """`is_taken` says whether the run has a paper of this name; `suffixes` are those of plugins, besides our own forms."""

    is_taken: Callable[[str], bool]
    max_mb: int
    suffixes: Sequence[str] = ()


def save_all(uploads: Sequence[Upload], folder: Path, rules: UploadRules) -> SavedUploads:
    """Save the files in `folder` under names that are not taken. What cannot be a paper is removed and refused.

    Files with the same name before the suffix are one paper, as in `methodlens run`: a PDF with its JATS or HTML stays a pair.
    The same file sent again keeps its first name.
    """
    saved: dict[PaperFile, None] = {}
    refused: list[RefusedFile] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".incoming-", dir=folder) as drafts:
            received = _receive(uploads, Path(drafts), rules, refused)
            for group in dict.fromkeys(path.parent for path in received):
                for paper, others in _papers(group, received, refused):
                    saved[_move(paper, others, folder, rules.is_taken)] = None
    except OSError as err:
        raise OutputError(f"cannot write to {folder} ({err.strerror})", "free some space, or choose another --out") from err
    return SavedUploads(tuple(saved), tuple(refused))


def accepted_suffixes(plugins: Sequence[str] = ()) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*PDF_SUFFIXES, *FORM_SUFFIXES, *plugins)))


def _receive(uploads: Sequence[Upload], drafts: Path, rules: UploadRules, refused: list[RefusedFile]) -> dict[Path, Upload]:
    """Write each file to the folder of its group: the files with the same name apart from the suffix."""
    received: dict[Path, Upload] = {}
    names = [_split(upload.name, accepted_suffixes(rules.suffixes)) for upload in uploads]
    stems = [stem for stem, _ in names]
    for number, (upload, (stem, suffix)) in enumerate(zip(uploads, names, strict=True)):
        same_name = names[:number].count((stem, suffix))  # of another folder, and so another paper
        group = drafts / f"{stems.index(stem)}-{same_name}"
        group.mkdir(exist_ok=True)
        path = group / f"{slug(stem)}{suffix}"
        try:
            _write(upload, path, rules.max_mb)
            _check(upload, path, rules.suffixes)
            received[path] = upload
        except InputError as err:
            path.unlink(missing_ok=True)
            refused.append(RefusedFile(upload.shown, error_message(err)))
    return received


def _split(name: str, suffixes: Sequence[str]) -> tuple[str, str]:
    """The name without folders and suffix, and the suffix. A name with another suffix can only be that of a PDF."""
    base = Path(name.replace("\\", "/")).name
    suffix = next((suffix for suffix in suffixes if base.lower().endswith(suffix)), "")
    return base[: len(base) - len(suffix)] or "paper", suffix or ".pdf"


def _write(upload: Upload, path: Path, max_mb: int) -> None:
    size = 0
    path.touch(mode=0o600)
    with path.open("wb") as out:
        while chunk := upload.stream.read(_CHUNK):
            size += len(chunk)
            if size > max_mb << 20:
                raise InputError(f"{upload.shown!r} is larger than {max_mb} MB", "raise papers.max_file_mb, or make it smaller")
            out.write(chunk)


def _check(upload: Upload, path: Path, plugins: Sequence[str]) -> None:
    """Raises InputError if the first bytes are not those of a paper. What plugins read, only they can tell."""
    if path.suffix in PDF_SUFFIXES:
        reason = why_not_pdf(path)
    elif path.name.endswith(tuple(plugins)):
        reason = "" if path.stat().st_size else "is empty"
    else:
        check_form(path, upload.shown)
        return
    if reason:
        raise InputError(f"{upload.shown!r} {reason}", "choose a PDF, or another form of the paper")


def _papers(group: Path, received: dict[Path, Upload], refused: list[RefusedFile]) -> Iterator[tuple[Path, list[Path]]]:
    """The paper of a group, with the marked-up file that its text comes from, if any. The others are refused."""
    files = {str(path): path for path in received if path.parent == group}
    forms = [name for name in files if name.lower().endswith(FORM_SUFFIXES)]
    papers, _ = once_each([name for name in files if name not in forms], forms)
    used = {name: companion_of(name) for name in papers}
    yield from ((files[name], [files[other]] if other in files else []) for name, other in used.items())
    for name in files.keys() - {*papers, *used.values()}:
        main = received[files[papers[0]]].shown
        refused.append(RefusedFile(received[files[name]].shown, f"{received[files[name]].shown!r} is the same paper as {main!r}"))


def _move(paper: Path, others: Sequence[Path], folder: Path, is_taken: Callable[[str], bool]) -> PaperFile:
    digest, suffix = sha256_of(paper), paper.suffix
    stem = paper.name[: len(paper.name) - len(suffix)]
    with _NAMING:
        used = {os.path.splitext(name)[0].casefold() for name in os.listdir(folder)}
        for candidate in (stem, f"{stem}-{digest[:8]}"):
            name = f"{candidate}{suffix}"
            if sha256_of(folder / name) == digest or (candidate.casefold() not in used and not is_taken(name)):
                break
        else:
            candidate, name = digest, f"{digest}{suffix}"
        for other in others:
            other.replace(folder / f"{candidate}{other.suffix}")
        paper.replace(folder / name)
    return PaperFile(str(folder / name), name)
