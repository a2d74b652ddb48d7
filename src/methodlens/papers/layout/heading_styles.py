"""Headings told by their type: lines in bold, italics, capitals or larger letters that stand above a paragraph.

A heading named or numbered like one is found without this (see `headings`). The others share a font with each other and differ
from the text below them, so that a paper's own headings show which fonts it uses for them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from methodlens.papers.layout.headings import is_named, kind_of
from methodlens.papers.layout.roles import LayoutLine, Role, starts_caption
from methodlens.papers.raw_page import RawLine
from methodlens.records import SectionKind

_MAX_WORDS, _MAX_CHARS, _MAX_LINES = 16, 120, 3
_MAX_ITALIC_WORDS = 12
_MAX_RUN_IN_WORDS = 13
_MIN_PROSE = 5  # words of the line below a heading
_UNLIKE = re.compile(
    r"[=<>@{}•]|https?:|www\.|\bet al\b|[(,]\s?(?:1[89]|20)\d\d\b|\b(?:1[89]|20)\d\d[.;)]|\bdoi\b|\d\s?%", re.IGNORECASE
)
_STATEMENT = re.compile(
    r"(?:definition|theorem|lemma|proof|proposition|corollary|remark|example|note|step|figure|table|box|algorithm|keywords?|"
    r"key words|citation|copyright|correspondence|e-?mail|received|accepted|published|edited|reviewed|open access)\b",
    re.IGNORECASE,
)
_RUN_IN_END = re.compile(r"[.:—–]$")
_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}[.)]?|(?:[IVX]{1,5}|[A-H])[.)])\s+")
_LABEL = re.compile(rf"{_NUMBER.pattern}|^Appendix [A-Z]\b")  # enough in the type of other headings, even above a table
_IN_CAPITALS = re.compile(r"^[A-H](\.\d{1,2}){0,2}\s+[A-Z]{3}[A-Z &-]{0,60}$")
_START = (SectionKind.ABSTRACT, SectionKind.INTRODUCTION)


class _Style(NamedTuple):
    font: str
    size: float
    capitals: bool


def with_styled_headings(lines: Sequence[LayoutLine], body: float) -> list[LayoutLine]:
    """The same lines, with the role of headings given to those in the fonts of headings, and taken from reference lists."""
    fonts: Counter[str] = Counter()
    for item in lines:
        if item.role is Role.BODY:
            fonts[item.line.font] += len(item.line.words)
    usual = fonts.most_common(1)[0][0] if fonts else ""
    if not usual:  # plain text, OCR
        return list(lines)
    first, last = _extent(lines)
    kept = _without_false_ones(lines, first, last, body)
    for at in range(last + 1, len(lines)):
        if kept[at].role is Role.BODY and _opens_appendix(lines, at, last):
            kept[at] = kept[at]._replace(role=Role.HEADING)
    runs = _candidates(kept, first, last, usual, body)
    accepted = _accepted(kept, runs, first, last)
    for run in runs:
        if _style(kept[run[0]].line) in accepted:
            for at in run:
                kept[at] = kept[at]._replace(role=Role.HEADING)
    return _with_run_ins(_with_continuations(kept, usual), first, last, usual)


def _with_continuations(lines: list[LayoutLine], usual: str) -> list[LayoutLine]:
    """Also the next lines of headings over several lines, which begin with a small letter or are in capitals."""
    for at in range(1, len(lines)):
        head, item = lines[at - 1], lines[at]
        if head.role is Role.HEADING and item.role is Role.BODY and head.page == item.page:
            line = item.line
            set_off = line.font != usual or line.text.isupper()
            whole = line.lead == len(line.words) <= _MAX_WORDS and head.line.lead == len(head.line.words)
            close = 0 <= line.box[1] - head.line.box[1] < 1.6 * line.size
            goes_on = line.text[:1].islower() or line.text.isupper()
            if set_off and whole and close and goes_on and _style(line) == _style(head.line):
                lines[at] = item._replace(role=Role.HEADING)
    return lines


def _extent(lines: Sequence[LayoutLine]) -> tuple[int, int]:
    """From the first heading of the paper itself, after its title and authors, to its reference list."""
    named = [(at, kind_of(item.line.text)) for at, item in enumerate(lines) if item.role is Role.HEADING]
    first = next((at for at, kind in named if kind in _START), next((at for at, kind in named if kind), 0))
    last = next((at for at, kind in reversed(named) if kind is SectionKind.REFERENCES and at > first), len(lines))
    return first, last


def _without_false_ones(lines: Sequence[LayoutLine], first: int, last: int, body: float) -> list[LayoutLine]:
    kept = list(lines)
    for at, item in enumerate(lines):
        if item.role is not Role.HEADING or is_named(item.line.text):
            continue
        plain = not item.line.bold and item.line.size < 1.05 * body
        if (
            at < first
            or (at > last and plain and not _opens_appendix(lines, at, last))
            or (at < last and _is_list_item(lines, at))
        ):
            kept[at] = item._replace(role=Role.BODY)
    return kept


def _opens_appendix(lines: Sequence[LayoutLine], at: int, last: int) -> bool:
    """ "A NEWT CALLS" in the type of the heading "REFERENCES" before it, and "A.1 CALLS AT NIGHT", even if neither is bold."""
    match = _IN_CAPITALS.match(lines[at].line.text)
    return bool(match) and last < at and (bool(match and match[1]) or _style(lines[at].line) == _style(lines[last].line))


def _is_list_item(lines: Sequence[LayoutLine], at: int) -> bool:
    """Whether the line goes on in the same type: '2. The snails were counted / by two gardeners ...'."""
    if lines[at].line.lead < len(lines[at].line.words):
        return False
    run = [item for item in lines[at : at + _MAX_LINES + 1] if _style(item.line) == _style(lines[at].line)]
    return len(run) > _MAX_LINES and run[1].line.text[:1].islower() and not lines[at].line.text.isupper()


def _style(line: RawLine) -> _Style:
    return _Style(line.font, round(2 * line.size) / 2, line.text.isupper())


def _candidates(lines: Sequence[LayoutLine], first: int, last: int, usual: str, body: float) -> list[range]:
    """Runs of lines that may be one heading each."""
    known = {_style(item.line) for item in lines[first:] if item.role is Role.HEADING}
    runs: list[range] = []
    at = first + 1
    while at < len(lines):
        end = at
        while end < min(len(lines), at + _MAX_LINES) and _may_continue(lines, at, end, usual, body, known):
            end += 1
        labelled = end > at and _LABEL.match(lines[at].line.text) and _style(lines[at].line) in known
        alone = end > at and (labelled or _stands_above_prose(lines, at, end, usual, body))
        if alone and (at < last or _after_references(lines[at])):
            runs.append(range(at, end))
        at = max(at + 1, end)
    return runs


def _after_references(item: LayoutLine) -> bool:
    return item.line.bold and not _UNLIKE.search(item.line.text) and "," not in item.line.text


def _may_continue(lines: Sequence[LayoutLine], start: int, at: int, usual: str, body: float, known: AbstractSet[_Style]) -> bool:
    """`known` are the styles of headings that are told by their words: fonts do not always say that they are bold."""
    item, head = lines[at], lines[start]
    line = item.line
    if item.role not in (Role.BODY, Role.LETTERING) or item.table or not line.upright or line.lead < len(line.words):
        return False
    if line.font == usual and not line.text.isupper() and line.size < 1.05 * body:
        return False
    set_off = line.bold or line.italic or line.size > 1.05 * body or line.text.isupper()
    if _style(line) not in known and (not set_off or line.size < 0.85 * body):
        return False
    if at == start:
        return _reads_like_one(line)
    gap = line.box[1] - lines[at - 1].line.box[3]
    return item.page == head.page and _style(line) == _style(head.line) and -0.5 * line.size < gap < 0.7 * line.size


def _reads_like_one(line: RawLine) -> bool:
    text = _NUMBER.sub("", line.text)
    words = text.split()
    most = _MAX_ITALIC_WORDS if line.italic and not line.bold else _MAX_WORDS
    letters = sum(char.isalpha() for char in text)
    return (
        0 < len(words) <= most
        and len(text) <= _MAX_CHARS
        and letters >= max(3, 0.6 * len(text.replace(" ", "")))
        and text[0].isupper()
        and not _UNLIKE.search(text)
        and not _STATEMENT.match(text)
        and not starts_caption(line.text)
    )


def _stands_above_prose(lines: Sequence[LayoutLine], start: int, end: int, usual: str, body: float) -> bool:
    """Whether a paragraph in the font of the body, or another heading, begins below, and no sentence runs into the line."""
    text = lines[end - 1].line.text
    if text.endswith((",", ";", "-", ".", "(")) or lines[end - 1].line.broken or end >= len(lines):
        return False
    before = next((item for item in reversed(lines[max(0, start - 30) : start]) if not item.role.floats), None)
    if before and before.page == lines[start].page and _runs_into(before, lines[start].line, usual):
        return False
    after = next((item for item in lines[end : end + 30] if not item.role.floats), None)
    if after is None or after.page > lines[end - 1].page + 1:
        return False
    if after.role is Role.HEADING:
        return True
    prose = len(after.line.words) >= _MIN_PROSE and abs(after.line.size - body) < 0.08 * body
    gap = after.line.box[1] - lines[end - 1].line.box[3]
    near = gap < 2.5 * after.line.size and (gap > -0.6 * after.line.size or after.line.box[1] < lines[start].line.box[1] - 50)
    begins = after.line.text[:1].isupper() or not after.line.text[:1].isalpha()
    return prose and near and begins and _style(after.line) != _style(lines[start].line)


def _runs_into(before: LayoutLine, line: RawLine, usual: str) -> bool:
    ended = before.line.text.endswith((".", "!", "?", ":", ")", "]", "”")) and not before.line.broken
    return before.role is Role.BODY and not ended and before.line.font == usual and not _apart(before.line, line)


def _apart(before: RawLine, line: RawLine) -> bool:
    """Whether there is more space above the line than between lines of text, or it starts another column."""
    return line.box[1] - before.box[3] > 0.45 * line.size or line.box[1] < before.box[1]


def _accepted(lines: Sequence[LayoutLine], runs: Sequence[range], first: int, last: int) -> set[_Style]:
    """The styles that a paper uses for headings: of its named or numbered headings, or of lines that mostly are candidates."""
    known = {_style(item.line) for item in lines[first:] if item.role is Role.HEADING}
    counts = Counter(_style(lines[run[0]].line) for run in runs)
    inside = {at for run in runs for at in run}
    others = Counter(
        _style(item.line) for at, item in enumerate(lines[first:last], first) if item.role is Role.BODY and at not in inside
    )
    accepted = set()
    for style, count in counts.items():
        strong = any(lines[run[0]].line.bold and _style(lines[run[0]].line) == style for run in runs)
        if style in known or (count >= (1 if strong else 2) and others[style] <= count * (1.0 if strong else 0.5)):
            accepted.add(style)
    return accepted


def _with_run_ins(lines: list[LayoutLine], first: int, last: int, usual: str) -> list[LayoutLine]:
    """Marks headings on the same line as their text, in bold or italics, if the paper has two in that style."""
    kind = SectionKind.FRONT
    found: list[int] = []
    for at, item in enumerate(lines[first:last], first):
        line = item.line
        if item.role is Role.HEADING:
            kind = kind_of(line.text) or (SectionKind.OTHER if kind is SectionKind.ABSTRACT else kind)
            if _is_numbered_run_in(line, usual):
                lines[at] = item._replace(role=Role.BODY, run_in=_lead_chars(line))
        elif item.role is Role.BODY and kind is not SectionKind.ABSTRACT and _is_run_in(lines, at, usual):
            found.append(at)
    styles = Counter(_style(lines[at].line)[:2] for at in found)
    for at in found:
        if styles[_style(lines[at].line)[:2]] > 1:
            lines[at] = lines[at]._replace(run_in=_lead_chars(lines[at].line))
    return lines


def _is_numbered_run_in(line: RawLine, usual: str) -> bool:
    """'3.1 Snails We counted ...' in two fonts. Where only the number has a font of its own, the line is a heading."""
    title = _NUMBER.sub("", line.text[: _lead_chars(line)])
    return line.font != usual and len(line.words) - line.lead > 3 and sum(map(str.isalpha, title)) > 2


def _lead_chars(line: RawLine) -> int:
    return len(" ".join(word.text for word in line.words[: line.lead]))


def _is_run_in(lines: Sequence[LayoutLine], at: int, usual: str) -> bool:
    line, before = lines[at].line, lines[at - 1].line
    if not (line.bold or line.italic) or line.font == usual or not 0 < line.lead < min(len(line.words) - 1, _MAX_RUN_IN_WORDS):
        return False
    lead = line._replace(words=line.words[: line.lead])
    ended = lines[at - 1].role is not Role.BODY or before.text.endswith((".", "!", "?", ":", ")", "]"))
    return bool(ended and _RUN_IN_END.search(lead.text)) and _reads_like_one(lead) and line.words[line.lead].text[:1].isupper()
