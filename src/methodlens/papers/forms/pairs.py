"""A PDF with its JATS or HTML: the text of the latter, and the boxes of the former where the two texts agree."""

import hashlib
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from methodlens.records import Line, Paper, PaperStatus, Word

_TOKEN = re.compile(r"[^\W_]+")
_ANCHOR = 4  # words in a row that occur once in each text
_MIN_SHARE = 0.5  # of the words of each text that the other has: less, and it is an abstract or another paper
_MAX_GAP = 40  # characters of the marked-up text between two words of a printed line
_KEPT_FLAGS = ("hidden_text",)


class _Token(NamedTuple):
    text: str
    start: int


def pair_fingerprint(pdf: str, companion: str, sha256: str) -> str:
    """Identifies what the text of a pair depends on, apart from the bytes of the PDF."""
    return f"{pdf}+{companion.split('+')[0]}-{hashlib.sha256(f'{companion} {sha256}'.encode()).hexdigest()[:12]}"


def paired(pdf: Paper, marked_up: Paper) -> Paper:
    """The paper with the marked-up text, if both are the same paper; else the PDF as it is."""
    if marked_up.status is not PaperStatus.OK:
        return pdf
    if pdf.status is not PaperStatus.OK:  # a scan, say: the text is readable all the same
        return replace(marked_up, sha256=pdf.sha256) if pdf.sha256 else pdf
    printed, written = _tokens(pdf.text), _tokens(marked_up.text)
    matched = _align(printed, written)
    agreeing = sum(position >= 0 for position in matched)
    if agreeing < _MIN_SHARE * max(len(printed), len(written)):
        return pdf
    return replace(
        marked_up,
        sha256=pdf.sha256,
        title=marked_up.title or pdf.title,
        authors=marked_up.authors or pdf.authors,
        year=marked_up.year or pdf.year,
        doi=marked_up.doi or pdf.doi,
        pages=pdf.pages,
        lines=_lines(pdf, marked_up.text, _offsets(pdf.text, printed, written, matched)),
        hidden=pdf.hidden,
        flags=tuple(dict.fromkeys((*marked_up.flags, *(flag for flag in pdf.flags if flag in _KEPT_FLAGS)))),
    )


def _tokens(text: str) -> list[_Token]:
    return [_Token(match[0].lower(), match.start()) for match in _TOKEN.finditer(text)]


def _align(printed: Sequence[_Token], written: Sequence[_Token]) -> list[int]:
    """For each printed word the position of the same written word, or -1. Words between two anchors are matched outwards."""
    matched = [-1] * len(printed)
    used = bytearray(len(written))
    there = _unique(written)
    for anchor, here in sorted(_unique(printed).items(), key=lambda item: item[1]):
        if anchor not in there or matched[here] >= 0:
            continue
        for step in (1, -1):
            i, j = (here, there[anchor]) if step == 1 else (here - 1, there[anchor] - 1)
            while 0 <= i < len(printed) and 0 <= j < len(written) and matched[i] < 0 and not used[j]:
                if printed[i].text != written[j].text:
                    break
                matched[i], used[j] = j, 1
                i, j = i + step, j + step
    return matched


def _unique(tokens: Sequence[_Token]) -> dict[tuple[str, ...], int]:
    """Where each run of words starts that occurs once."""
    found: dict[tuple[str, ...], int] = {}
    for start in range(len(tokens) - _ANCHOR + 1):
        run = tuple(token.text for token in tokens[start : start + _ANCHOR])
        found[run] = -1 if run in found else start
    return {run: start for run, start in found.items() if start >= 0}


def _offsets(text: str, printed: Sequence[_Token], written: Sequence[_Token], matched: Sequence[int]) -> "array[int]":
    """For each character of the printed text its offset in the written one, or -1."""
    offsets = array("l", [-1]) * len(text)
    for token, position in zip(printed, matched, strict=True):
        if position >= 0:
            start = written[position].start
            for index in range(len(token.text)):
                if token.start + index < len(text):
                    offsets[token.start + index] = start + index
    return offsets


def _lines(pdf: Paper, text: str, offsets: "array[int]") -> tuple[Line, ...]:
    """The printed lines over the written text, in its order and without overlaps."""
    lines: list[Line] = []
    end = 0
    for line in sorted(
        (part for printed in pdf.lines for part in _parts(printed, pdf.text, text, offsets)), key=lambda line: line.start
    ):
        if line.start >= end:
            lines.append(line)
            end = line.end
    return tuple(lines)


def _parts(line: Line, printed: str, written: str, offsets: "array[int]") -> Iterator[Line]:
    """A printed line, split where its words are not next to each other in the written text."""
    part: list[tuple[int, int, Word]] = []
    for word in line.words:
        first, last = line.start + word.start, line.start + word.end
        found = [index for index in range(first, last) if offsets[index] >= 0]
        if not found:
            continue
        start, end = offsets[found[0]], offsets[found[-1]] + 1
        whole = start - (found[0] - first)  # with the punctuation, which is not matched, if it is the same
        if whole >= 0 and written[whole : whole + last - first] == printed[first:last]:
            start, end = whole, whole + last - first
        if start >= end:
            continue
        if part and not 0 <= start - part[-1][1] <= _MAX_GAP:
            yield _line(line, part)
            part = []
        part.append((start, end, word))
    if part:
        yield _line(line, part)


def _line(line: Line, part: Sequence[tuple[int, int, Word]]) -> Line:
    begin = part[0][0]
    words = tuple(Word(start - begin, end - begin, word.x0, word.x1) for start, end, word in part)
    return Line(begin, part[-1][1], line.page, line.top, line.bottom, words)
