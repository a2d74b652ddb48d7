"""The body sentences of a paper, and whether another form of the paper has them.

A body sentence is prose: at least 30 characters apart from addresses, and mostly words. Headings, tables, references, front
matter, formulas on a line of their own and lines that are only a link or a DOI are not counted. In the other form, a sentence is

- *verbatim* if only spaces, hyphens and case differ;
- *located* if it would be found as a quote, which allows for 15% of other characters;
- *located in parts* if the rest of it is there, in order, without what only one of the two can have: addresses of links, DOIs of
  figures, and formulas that the marked-up form has as images. A printed sentence with such a formula counts if it is inside a
  sentence of the form whose parts are located around it.

The other file *has* a sentence if its raw text, in which nothing is put in order or left out, has a run of 24 letters and digits
of it. What a publisher or typesetter left out cannot be found by any reader.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from methodlens.papers.forms.suffixes import HTML, JATS, LATEX
from methodlens.papers.pdf.parse import plain_text
from methodlens.records import Match, Paper, SectionKind
from methodlens.settings import PaperLimits
from methodlens.text import locate, places, sentences

_NO_BODY = (SectionKind.FRONT, SectionKind.REFERENCES)
_MIN_CHARS = 30
_MIN_WORDS = 0.5  # share of the characters of prose that are in words
_MIN_PART = 8  # letters and digits of a part that is looked for
_WIDEST = 3000  # characters in which the next part must be
_LONGEST_FORMULA = 300  # characters of the PDF in place of an image
_RUN = 24  # letters and digits
_ADDRESS = re.compile(r"(?: \()?\b(?:(?:https?|ftp)://|doi:? ?10\.)[^\s()]{1,300}\)?")
_GAP = re.compile(r"\(?\[…\]\)?(?:\s\(\d{1,3}\))?")
_WORD = re.compile(r"[^\W\d_]{3,}")


class Found(NamedTuple):
    """The body sentences of one text, and how many of them another has."""

    sentences: int
    verbatim: int
    located: int
    in_parts: int
    held: int
    """Those that are in the raw text of the other file, or located."""
    absent: tuple[str, ...]
    """Those that are not even located in parts."""


def find(paper: Paper, other: Paper, *, raw: str) -> Found:
    """The body sentences of a paper in the text of the other. `raw` is the raw text of the other's file."""
    matches = [(sentence, locate(sentence, other.text).match) for sentence in body_sentences(paper)]
    missing = [sentence for sentence, match in matches if match is Match.ABSENT]
    around = list(_around_formulas(paper, other))
    absent = tuple(
        sentence
        for sentence in missing
        if parts_of(sentence, other.text) is None and not _is_inside(sentence, paper.text, around)
    )
    verbatim = sum(match is Match.EXACT for _, match in matches)
    letters = _letters(raw)
    held = len(matches) - sum(not has_run(sentence, letters) for sentence in absent)
    return Found(len(matches), verbatim, len(matches) - len(missing), len(matches) - len(absent), held, absent)


def parts_of(sentence: str, text: str) -> tuple[int, int] | None:
    """Where the parts of a sentence between its gaps are in the text, one after the other; None if it has no gaps.

    >>> parts_of("The pond (https://example.org/pond) of 12 newts […] is deep.", "The pond of 12 newts, a = 4, is deep.")
    (0, 20)
    """
    bare = _ADDRESS.sub("", sentence)
    if bare == sentence and _GAP.search(sentence) is None:
        return None
    parts = [part for part in _GAP.split(bare) if sum(map(str.isalnum, part)) >= _MIN_PART]
    if sum(map(len, parts)) < _MIN_CHARS / 2:
        return None
    start, at = -1, 0
    for part in parts:
        found = locate(part, text[at : at + _WIDEST] if at else text)
        if found.match is Match.ABSENT:
            return None
        start = found.start if start < 0 else start
        at += found.end
    return start, at


def _around_formulas(paper: Paper, other: Paper) -> Iterator[tuple[int, int]]:
    """The spans of the paper in which a sentence of the other has images of formulas."""
    for sentence in body_sentences(other):
        gaps = len(_GAP.findall(sentence))
        if gaps and (span := parts_of(sentence, paper.text)) and span[1] - span[0] < len(sentence) + gaps * _LONGEST_FORMULA:
            yield span


def _is_inside(sentence: str, text: str, spans: list[tuple[int, int]]) -> bool:
    start = text.find(sentence)
    end = start + len(sentence)
    return any(min(end, last) - max(start, first) >= 0.85 * len(sentence) for first, last in spans)


def has_run(sentence: str, letters: str) -> bool:
    """Whether a run of letters and digits of the sentence is among those of a raw text."""
    own = _letters(sentence)
    starts = range(0, max(1, len(own) - _RUN + 1), _RUN // 4)
    return any(own[start : start + _RUN] in letters for start in starts)


def raw_text(path: Path) -> str:
    """All text of a file, in the order of the file; nothing for a format in which it is packed."""
    if path.suffix.lower() == ".pdf":
        return plain_text(str(path), limits=PaperLimits())[0]
    if path.suffix.lower() not in (*JATS, *HTML, *LATEX):
        return ""
    return html.unescape(re.sub(r"<[^<>]*>", "", path.read_text(encoding="utf-8", errors="replace")))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def placed_sentences(paper: Paper) -> int:
    """How many body sentences have a place on a page."""
    starts = ((paper.text.find(sentence), len(sentence)) for sentence in body_sentences(paper))
    return sum(bool(places(paper, start, start + length)) for start, length in starts)


def is_prose(sentence: str) -> bool:
    """Whether a sentence is long enough and mostly words, apart from addresses and formulas.

    >>> is_prose("Newts live in the deep pond of the garden."), is_prose("doi:10.5555/pond.2020.12.g001 (0.8 MB TIF)")
    (True, False)
    """
    bare = _GAP.sub("", _ADDRESS.sub("", sentence)).strip()
    in_words = sum(map(len, _WORD.findall(bare)))
    return len(bare) >= _MIN_CHARS and in_words >= _MIN_WORDS * len("".join(bare.split()))


def body_sentences(paper: Paper) -> Iterator[str]:
    """Prose of paragraphs, without headings, tables and references."""
    for section in paper.sections:
        if section.kind in _NO_BODY:
            continue
        begin = section.start + len(section.title)
        while begin < section.end:
            stop = paper.text.find("\n", begin, section.end)
            stop = section.end if stop < 0 else stop
            if not any(table.start <= begin < table.end for table in paper.tables):
                spans = sentences(paper.text, begin, stop)
                yield from (text for text in (paper.text[a:b] for a, b in spans) if is_prose(text))
            begin = stop + 1
