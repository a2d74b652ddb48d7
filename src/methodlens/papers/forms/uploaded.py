"""Whether a file that somebody sends can be a paper in one of our forms. Nothing is unpacked or parsed here."""

import re
from pathlib import Path

from methodlens.errors import InputError
from methodlens.papers.forms.recognition import why_not_paper
from methodlens.papers.forms.suffixes import JATS, LATEX, WORD, ZIPPED

_HEAD = 64 << 10
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_OLD_WORD = b"\xd0\xcf\x11\xe0"
"""The container of .doc files, and of .docx files with a password."""
_INCLUDE = re.compile(rb"\\(?:input|include|subfile)\s*\{")
_COMMENT = re.compile(rb"(?<!\\)%")
_AS_ZIP = "send all files of the document as one .zip"


def check_form(path: Path, name: str) -> None:
    """Raises InputError if the file, which is shown as `name`, cannot be what its suffix says."""
    if problem := _problem(path, path.suffix.lower()):
        raise InputError(f"{name!r} {problem[0]}", problem[1])


def _problem(path: Path, suffix: str) -> tuple[str, str] | None:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip():
        return "is empty", "choose the paper itself"
    if head.startswith(b"%PDF-"):
        return "is a PDF", "rename it to .pdf"
    if suffix in WORD + ZIPPED:
        return _packing_problem(head, suffix)
    if b"\0" in head and not head.startswith(_UTF_16):
        return f"is not a {suffix} file", "choose the paper itself"
    if suffix in LATEX:
        return _latex_problem(path)
    if suffix in JATS and why_not_paper(str(path)):
        return "is XML, but not a JATS article", "choose the article's full text"
    return None


def _packing_problem(head: bytes, suffix: str) -> tuple[str, str] | None:
    if head.startswith(b"PK\x03\x04"):
        return None
    if head.startswith(_OLD_WORD) and suffix in WORD:
        return "is an old .doc file or has a password", "save it as .docx without one"
    return f"is not a {suffix} file", "choose the paper itself"


def _latex_problem(path: Path) -> tuple[str, str] | None:
    """Files that were sent lie next to those of other papers, so they must not include any."""
    if why_not_paper(str(path)):
        return "is only a part of a LaTeX document", _AS_ZIP
    with path.open("rb") as file:
        includes = any(_INCLUDE.search(_COMMENT.split(line, maxsplit=1)[0]) for line in file)
    return ("includes other files", _AS_ZIP) if includes else None
