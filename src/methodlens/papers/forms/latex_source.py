"""The source of a LaTeX paper: its main file with the files that it includes. Only files below its folder are read."""

import hashlib
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from methodlens.papers.forms.decoding import decoded
from methodlens.papers.forms.document import NotReadable
from methodlens.papers.forms.docx import open_archive, read_member
from methodlens.papers.forms.limits import MAX_INCLUDED, MAX_TEXT_BYTES
from methodlens.records import PaperStatus

Read = Callable[[str], bytes | None]
"""The content of a file by its path below the folder; None if there is none."""
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_INCLUDE = re.compile(r"\\(?:input|include|subfile)\s*\{\s*([^{}\n]{1,200}?)\s*\}")
_BIBLIOGRAPHY = re.compile(r"\\bibliography\s*\{[^{}]{0,500}\}|\\printbibliography(?:\[[^\]]{0,300}\])?")
_MAX_DEPTH = 10
_MAIN = re.compile(rb"\\documentclass|\\documentstyle")


def latex_source(main: str, read: Read) -> str:
    """The text of the main file with the included ones in their places, without comments."""
    return _Source(read).expand(main, depth=0)


def below_folder(path: Path) -> Read:
    """Reads regular files below the folder of `path`: no absolute paths, no "..", no links that lead out."""
    folder = os.path.realpath(path.parent)

    def read(name: str) -> bytes | None:
        real = os.path.realpath(os.path.join(folder, name))
        if not real.startswith(os.path.join(folder, "")) or not os.path.isfile(real):
            return None
        with open(real, "rb") as file:
            data = file.read(MAX_TEXT_BYTES + 1)
        return data if len(data) <= MAX_TEXT_BYTES else None

    return read


def in_archive(data: bytes) -> tuple[str, Read]:
    """The main file of a zipped LaTeX source, and how to read the others. Nothing is unpacked to disk."""
    archive = open_archive(data)
    names = [name for name in archive.namelist() if name.lower().endswith(".tex") and not _is_outside(name)]
    mains = [name for name in names[:MAX_INCLUDED] if _MAIN.search(read_member(archive, name) or b"")]
    if not mains:
        raise NotReadable(PaperStatus.MALFORMED, "its archive has no LaTeX file with a \\documentclass; name the paper itself")
    main = min(mains, key=lambda name: (name.count("/"), PurePosixPath(name).stem not in ("main", "ms", "paper"), name))
    folder = PurePosixPath(main).parent.as_posix()
    return PurePosixPath(main).name, lambda name: _member(archive, name if folder == "." else f"{folder}/{name}")


def _member(archive: zipfile.ZipFile, name: str) -> bytes | None:
    return None if _is_outside(name) else read_member(archive, os.path.normpath(name).replace(os.sep, "/"))


def _is_outside(name: str) -> bool:
    return name.startswith(("/", "\\")) or ".." in PurePosixPath(name.replace("\\", "/")).parts or ":" in name


def included_digest(path: Path) -> str:
    """Changes with the files that a LaTeX file includes; '' for other files, and if it includes none."""
    if path.suffix.lower() != ".tex":
        return ""
    try:
        source = _Source(below_folder(path))
        text = source.expand(path.name, depth=0)
    except (NotReadable, OSError):  # which parsing it reports
        return ""
    return f"+files-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}" if source.files > 1 else ""


class _Source:
    def __init__(self, read: Read) -> None:
        self._read = read
        self.files = self._bytes = 0

    def expand(self, name: str, *, depth: int) -> str:
        data = self._read(name)
        if data is None:
            if depth == 0:
                raise NotReadable(PaperStatus.MALFORMED, "it cannot be read; check its permissions")
            return ""
        self.files += 1
        self._bytes += len(data)
        if self.files > MAX_INCLUDED or self._bytes > MAX_TEXT_BYTES:
            raise NotReadable(PaperStatus.TOO_BIG, "it includes too many or too large files; name the paper's own file")
        text = _COMMENT.sub("", decoded(data))
        if depth == 0:
            text = self._with_bibliography(text, name)
        if depth >= _MAX_DEPTH:
            return _INCLUDE.sub(" ", text)
        return _INCLUDE.sub(lambda match: f"\n{self.expand(_with_suffix(match[1]), depth=depth + 1)}\n", text)

    def _with_bibliography(self, text: str, name: str) -> str:
        """BibTeX leaves the formatted references in a .bbl file with the name of the main file."""
        match = _BIBLIOGRAPHY.search(text)
        data = self._read(str(PurePosixPath(name).with_suffix(".bbl"))) if match else None
        return text[: match.start()] + decoded(data) + text[match.end() :] if match and data else text


def _with_suffix(name: str) -> str:
    return name if PurePosixPath(name).suffix in (".tex", ".bbl", ".txt", ".tikz") else f"{name}.tex"
