"""Which files of a folder are papers: folders hold notes, licences, saved pages and settings too."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from methodlens.papers.forms.suffixes import FORM_SUFFIXES, HTML, JATS, LATEX, MARKDOWN, TEXT, WORD, ZIPPED

_HEAD = 64 << 10
_ARTICLE = re.compile(rb"<(?:\w{1,20}:)?article[\s>]")
_JATS = re.compile(rb"<(?:\w{1,20}:)?(?:article-meta|front|journal-meta)[\s>]|//NLM//DTD|\bJATS\b|article-type=", re.IGNORECASE)
_HTML_ARTICLE = re.compile(
    rb"citation_title|ltx_document|ltx_page_main|dc\.identifier|og:type\W{1,12}content=\W?article|main-article-body",
    re.IGNORECASE,
)
_LATEX_MAIN = re.compile(rb"\\document(?:class|style)")
_NOTES = re.compile(
    r"(?:readme|licen[cs]e|copying|notice|changelog|changes|contributing|authors|citation|todo|notes?|index|requirements|code_of_conduct"
    r"|security|install|news|manifest|versions?)(?:[-_.\s].*)?",
    re.IGNORECASE,
)
_PREFERRED = (*JATS, *HTML, *LATEX, *WORD, *MARKDOWN, *TEXT, *ZIPPED)
_BESIDE_OTHERS = (*JATS, *HTML, *LATEX, *WORD)
"""The forms that a folder is searched for. Markdown and text count only if a folder has nothing else."""


def folder_suffixes(suffixes: Sequence[str]) -> tuple[str, ...]:
    """Without the forms that must be named to be read."""
    return tuple(suffix for suffix in suffixes if suffix not in ZIPPED)


def why_not_paper(path: str) -> str:
    """Why a file in one of our forms is no paper, or '' if it may be one. Reads only its first bytes.

    '-' means that nobody would expect it to be one.
    """
    name = PurePath(path).name
    suffix = PurePath(path).suffix.lower()
    if suffix in WORD:
        return "-" if name.startswith("~$") else ""
    if suffix in MARKDOWN + TEXT:
        return "-" if _NOTES.fullmatch(PurePath(path).stem) else ""
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as err:
        return f"cannot be read ({err.strerror})"
    head = head.replace(b"\0", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head
    if suffix in JATS:
        return "" if _ARTICLE.search(head) and _JATS.search(head) else "XML, but not a JATS article"
    if suffix in HTML:
        return "" if _HTML_ARTICLE.search(head) else "a web page, but not a journal's or arXiv's article; name it to read it"
    return "" if _LATEX_MAIN.search(head) else "-"  # a part of another file


def select(paths: Iterable[str], *, forms: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The files of a folder that are papers, each paper once, and the others with the reason why they are left out.

    `forms` are the suffixes that our parsers read. Of files with the same name before the suffix, the PDF is chosen, whose
    text is then that of the JATS or HTML beside it, or else the first of JATS, HTML, LaTeX and DOCX.
    """
    chosen: list[str] = []
    left_out: list[tuple[str, str]] = []
    formed: list[str] = []
    for path in paths:
        (formed if path.lower().endswith(tuple(forms)) else chosen).append(path)
    plain = tuple(suffix for suffix in forms if suffix in MARKDOWN + TEXT)
    marked = [path for path in formed if not path.lower().endswith(plain or ("\0",))]
    papers = []
    for path in marked:
        reason = why_not_paper(path)
        if not reason:
            papers.append(path)
        elif reason != "-":
            left_out.append((path, reason))
    if not chosen and not papers:
        papers = [path for path in formed if path.lower().endswith(plain or ("\0",)) and not why_not_paper(path)]
    kept, doubled = once_each(chosen, papers)
    return kept, [*left_out, *doubled]


def once_each(chosen: Sequence[str], forms: Iterable[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The chosen files, and those in our forms that no file of the same name stands for; then those that one stands for."""
    kept = [*chosen]
    left_out: list[tuple[str, str]] = []
    taken = {os.path.splitext(path)[0]: path for path in chosen}
    for path in sorted(forms, key=lambda path: _PREFERRED.index(os.path.splitext(path)[1].lower())):
        other = taken.setdefault(os.path.splitext(path)[0], path)
        if other is path:
            kept.append(path)
        elif not is_companion(path, other):
            left_out.append((path, f"{os.path.basename(other)} is the same paper"))
    return kept, left_out


def is_found(path: str) -> bool:
    """Whether a search of its folder finds it, whatever else is there. Other files must be named to be read."""
    suffix = PurePath(path).suffix.lower()
    return suffix not in FORM_SUFFIXES or (suffix in _BESIDE_OTHERS and not why_not_paper(path))


def is_companion(path: str, other: str) -> bool:
    """Whether the text of the PDF `other` is taken from this file."""
    return other.lower().endswith(".pdf") and path.lower().endswith((*JATS, *HTML))


def companion_of(path: str) -> str:
    """The file with the same name as a PDF that has its text marked up, or ''."""
    stem, suffix = os.path.splitext(path)
    if suffix.lower() != ".pdf":
        return ""
    for ending in (*JATS, *HTML):
        other = stem + ending
        if os.path.isfile(other) and not why_not_paper(other):
            return other
    return ""


__all__ = [
    "FORM_SUFFIXES",
    "companion_of",
    "folder_suffixes",
    "is_companion",
    "is_found",
    "once_each",
    "select",
    "why_not_paper",
]
