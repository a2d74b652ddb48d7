"""Marks in the text that lead to a link: those of footnotes, and citations of references by number or by author and year."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from methodlens.facts.link_text import mend_links, printed_links
from methodlens.facts.urls import is_article

_MOST_MARKS = 2  # of one footnote: a word that has the same number more often is a name, such as "ResNet50"
_SKIPPED = 3  # numbers from one entry to the next, where the text of some is out of order
LONGEST_NOTE = 300  # characters of a footnote or an entry up to its link
_NOTE = re.compile(r"^(\d{1,2}|[*∗†‡§¶])[.)]?\s?(?=[A-Z(“\"]|h\s?ttps?\s?:|www\.|[a-z]+\.(?:com|org|io)/)", re.MULTILINE)
_MARKS = re.compile(r"(?<=[A-Za-z)\]”\"’.,;:])(\d{1,2}(?:,\s?\d{1,2}){0,3}|[*∗†‡§¶])(?=[\s.,;:)\]”\"’]|$)")
_GLUED = re.compile(r"[^\W\d_][^\W\d]{0,40}\d{1,2}\b")
_SPACED_MARK = re.compile(r"(?<=[a-z)]) (\d{1,2})(?= ?[.,;)](?!\d)| \[\d)")  # also "the pond dataset 4 [35]"
# a note whose number got lost, and a word whose mark may be its own
_BARE_NOTE = re.compile(r"^https?://\S{4,200}$", re.MULTILINE)
_POINTS_TO_LINK = re.compile(
    r"(?:git\s?hub|gitlab|codes?|repository|available|online|here|website|(?:web)?page|data\s?sets?)$", re.IGNORECASE
)
_WORD_BEFORE = re.compile(r"([^\W\d_][\w-]*|(?=[)\]”\"’]))[)\]”\"’]{0,2}[.,;:]?$")
_COUNTED = frozenset(
    "fig figs figure figures table tables tab eq eqs equation section sections sec step stage appendix part chapter no vol pp "
    "version and or to of in by with is are was were than on at for from".split()
)
_BRACKETED = re.compile(r"\[(\d{1,3}(?:\]?\s?[,;–-]\s?\[?\d{1,3}){0,12})\]")
# how entries likely begin, and how they may: after a link without a full stop, in the middle of a line
_BRACKETED_ENTRY = re.compile(r"(?:^|(?<=\s))\[(\d{1,3})\]\s?(?=\S)")
_NUMBERED_ENTRY = (
    (_BRACKETED_ENTRY, _BRACKETED_ENTRY),
    (
        re.compile(r"(?:^|(?<=\n)|(?<=[.)] ))(\d{1,3})\.\s(?=[A-Z“\"])"),
        re.compile(r"(?:^|(?<=\s))(\d{1,3})\.\s(?=[A-Z“\"])"),
    ),
)
# citations printed as superscripts: "the PondNet images12", "shown before.3,7–9"
_RAISED = re.compile(r"(?<=[A-Za-z)\]”\"’.,;:])(\d{1,3}(?:\s?[,–−-]\s?\d{1,3}){0,12})(?=[\s.,;:)\]”\"’]|$)")
_MOSTLY_RAISED = 5  # superscripts for each number in brackets, which may be an interval: "[0, 1]"
_ENTRY = re.compile(r"(?:^|(?<=[•▪●] ))(?=[A-ZÀ-Þ][^\n]{0,120}?(?:[A-Z]\.|\(|,|\d{4}))", re.MULTILINE)
# "Marsh, A." or "Ann B. Marsh."; a middle initial is part of the name
_FIRST_AUTHOR = re.compile(r"[A-ZÀ-Þ][\w’'-]{1,40}(?: [A-Z]\.| [A-ZÀ-Þ][\w’'-]{1,40}| (?:de|van|von|der|den|la)\b){0,4}")
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w’'-]{1,40}")
_LONGEST_CITATION = 80  # characters before the year
_SEVERAL = re.compile(r"\bet al\b|&|\band\b|,\s[A-ZÀ-Þ][\w’'-]+\s[A-Z]")  # authors, in a citation or before an entry's year
_YEAR = re.compile(r"\b((?:19|20)\d\d)([a-z]?)\b")


class Citation(NamedTuple):
    """A mark in the text; `link` is what to read in its place, from the footnote or entry at `source`."""

    start: int
    end: int
    link: str
    source: tuple[int, int]


# --- footnotes --------------------------------------------------------------------------------------------------------


def footnotes(text: str, lists: Sequence[tuple[int, int]], pages: Sequence[tuple[int, int]]) -> Iterator[Citation]:
    notes = [match for match in _NOTE.finditer(text) if not inside(match.start(), lists)]
    glued = Counter(match[0] for match in _GLUED.finditer(text)) if notes else Counter[str]()
    for first, last in pages:
        on_page = [match for match in notes if first <= match.start() < last]
        tied = False
        marks = _marks(text, first, last, glued) if on_page else {}
        for match in on_page:
            stop = text.find("\n", match.end(), match.end() + 2 * LONGEST_NOTE)
            note = _up_to_link(text, match.end(), min(len(text), match.end() + 2 * LONGEST_NOTE) if stop < 0 else stop)
            for start, end in marks.get(match[1], ())[:_MOST_MARKS] if note else ():
                if note and not match.start() <= start < note[1]:
                    tied = True
                    yield Citation(start, end, note[0], (match.start(), note[1]))
        if not tied:
            yield from _unnumbered(text, lists, first, last)


def _unnumbered(text: str, lists: Sequence[tuple[int, int]], first: int, last: int) -> Iterator[Citation]:
    """The only link on a line of its own, if the page has one mark "1" or "*" at a word that leads to a link: "on GitHub1"."""
    bare = [match for match in _BARE_NOTE.finditer(text, first, last) if not inside(match.start(), lists)]
    if len(bare) != 1:
        return
    marks = [
        match
        for match in _MARKS.finditer(text, first, last)
        if _POINTS_TO_LINK.search(text, max(0, match.start() - 20), match.start())
    ]
    if len(marks) == 1 and not inside(marks[0].start(), lists):
        yield Citation(marks[0].start(), marks[0].end(), bare[0][0], bare[0].span())


def _marks(text: str, first: int, last: int, glued: Mapping[str, int]) -> Mapping[str, list[tuple[int, int]]]:
    """The marks of a page with their places. A mark is glued to a word or its punctuation, or stands before a full stop."""
    marks: dict[str, list[tuple[int, int]]] = {}
    for match in _MARKS.finditer(text, first, last):
        if _cites(text, match.start(), match[1], glued):
            for mark in re.split(r",\s?", match[1]):
                marks.setdefault(mark, []).append((match.start(), match.end()))
    for match in _SPACED_MARK.finditer(text, first, last):
        if match[1] not in marks and _cites(text, match.start(), "", glued):
            marks[match[1]] = [(match.start(), match.end())]
    return marks


def _cites(text: str, at: int, mark: str, glued: Mapping[str, int]) -> bool:
    """Not if the number belongs to a name ("F1", "CO2", "Fig.2"), as shown by its letters or its use elsewhere in the paper."""
    before = _WORD_BEFORE.search(text, max(0, at - 60), at)
    if not before:
        return False
    word = before[1]
    if not mark.isdigit() or before.end(1) < at:
        decimal = mark.isdigit() and text[at - 1] in ".," and text[at - 2].isdigit()  # "v1.1"
        return word.lower() not in _COUNTED and not decimal
    # the last letter of "Newt-v2" is no word
    return len(word.rpartition("-")[2]) > 1 and word.lower() not in _COUNTED and glued.get(f"{word}{mark}", 0) <= _MOST_MARKS


# --- references -------------------------------------------------------------------------------------------------------


def references(text: str, lists: Sequence[tuple[int, int]]) -> Iterator[Citation]:
    for start, end in _joined(lists):
        numbered = _numbered(text, start, end)
        if len(numbered) > 2:
            yield from _by_number(text, lists, numbered)
        else:
            yield from _by_author(text, lists, start, end)


def _joined(lists: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Neighbouring spans as one: a heading may be a section by itself."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(lists):
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _numbered(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """Entries by number. Numbers that do not continue the list, such as years, are not entries."""
    best = max((_in_order(text, start, end, *patterns) for patterns in _NUMBERED_ENTRY), key=len)
    stops = [*(at for _, at in best[1:]), end]
    return {str(number): (at, stop) for (number, at), stop in zip(best, stops, strict=False)}


def _in_order(text: str, start: int, end: int, likely: re.Pattern[str], possible: re.Pattern[str]) -> list[tuple[int, int]]:
    """Numbers and places of entries. A possible beginning must be the next number, and a likely one replaces it."""
    certain = {match.start() for match in likely.finditer(text, start, end)}
    found: list[tuple[int, int]] = []
    for match in possible.finditer(text, start, end):
        number, at = int(match[1]), match.start()
        step = number - found[-1][0] if found else 1
        if at in certain and step == 0 and found[-1][1] not in certain:
            found[-1] = (number, at)
        elif (at in certain and 0 < step <= _SKIPPED) or (found and step == 1):
            found.append((number, at))
    return found


def _by_number(text: str, lists: Sequence[tuple[int, int]], entries: dict[str, tuple[int, int]]) -> Iterator[Citation]:
    links = {number: found for number, (at, stop) in entries.items() if (found := _entry_link(text, at, stop))}
    if not links:
        return
    marks = [match for match in _BRACKETED.finditer(text) if not inside(match.start(), lists)]
    raised = _raised(text, lists)
    for match in raised if len(raised) > _MOSTLY_RAISED * (len(marks) + 1) else marks:
        cited = [number for number in _numbers(match[1]) if number in links]
        if len(cited) == 1:  # of several references it is not clear which one a noun belongs to
            link, end = links[cited[0]]
            yield Citation(match.start(), match.end(), link, (entries[cited[0]][0], end))


def _raised(text: str, lists: Sequence[tuple[int, int]]) -> list[re.Match[str]]:
    """Numbers that may be citations printed as superscripts."""
    glued = Counter(match[0] for match in _GLUED.finditer(text))
    found = (match for match in _RAISED.finditer(text) if not inside(match.start(), lists))
    return [match for match in found if _cites(text, match.start(), match[1], glued)]


def _numbers(listed: str) -> list[str]:
    """
    >>> _numbers("3, 7-9")
    ['3', '7', '8', '9']
    """
    numbers: list[str] = []
    for part in re.split(r"[,;]", listed):
        first, _, last = re.sub(r"[\s\[\]]", "", part).replace("–", "-").replace("−", "-").partition("-")
        numbers += map(str, range(int(first), min(int(last or first), int(first) + 50) + 1))
    return numbers


def _by_author(text: str, lists: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[Citation]:
    starts = [match.start() for match in _ENTRY.finditer(text, start, end)]
    entries = list(zip(starts, [*starts[1:], end], strict=False))
    links = {at: found for at, stop in entries if (found := _entry_link(text, at, min(stop, at + 2 * LONGEST_NOTE)))}
    cited = _cited_years(text, lists) if links else {}
    by_name: dict[tuple[str, str], list[tuple[int, bool]]] = {}
    for at, stop in entries:
        author, year = _FIRST_AUTHOR.match(text, at), _YEAR.search(text, at, min(stop, at + 2 * LONGEST_NOTE))
        if author and year:
            several = _SEVERAL.search(text, at, year.start()) is not None
            for name in dict.fromkeys(_NAME.findall(author[0])):
                by_name.setdefault((name, year[0]), []).append((at, several))
    for name, works in by_name.items():
        for mark, several in cited.get(name, ()):
            # of an author's works of one year, "Marsh 2019" is by one and "Marsh et al. 2019" by several
            alike = [at for at, of_several in works if of_several is several] or [at for at, _ in works]
            for at in [at for at in alike if at in links][:1]:
                yield Citation(mark, mark, links[at][0], (at, links[at][1]))


def _cited_years(text: str, lists: Sequence[tuple[int, int]]) -> dict[tuple[str, str], list[tuple[int, bool]]]:
    """Where the text cites whom: (name, year) for each name before a year, "(Marsh and Reed, 2019" being two, with the place and
    whether other authors follow the name."""
    cited: dict[tuple[str, str], list[tuple[int, bool]]] = {}
    for year in _YEAR.finditer(text):
        if not inside(year.start(), lists):
            before = re.split(r"[;)\n]", text[max(0, year.start() - _LONGEST_CITATION) : year.start()])[-1]
            for name, end in {match[0]: match.end() for match in _NAME.finditer(before)}.items():
                cited.setdefault((name, year[0]), []).append((year.end(), _SEVERAL.search(before, end) is not None))
    return cited


def _entry_link(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The first link of an entry that does not lead to an article, and where it ends."""
    note = _up_to_link(text, start, end)
    if not note:
        return None
    links = [link.url for link in printed_links(note[0]) if not is_article(link.url)]
    return (links[0], note[1]) if links else None


# --- both -------------------------------------------------------------------------------------------------------------


def _up_to_link(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The text from `start` to the end of its last link, mended, and where that is in the original text."""
    stop = min(end, start + LONGEST_NOTE)
    while stop < min(end, start + 2 * LONGEST_NOTE) and not text[stop].isspace():
        stop += 1
    note = text[start:stop]
    mended = mend_links(note)
    links = printed_links(mended)
    if not links:
        return None
    rest = len("".join(mended[links[-1].end :].split()))
    at = len(note)
    while at and rest:
        at -= 1
        rest -= not note[at].isspace()
    return mended[: links[-1].end].replace("\n", " "), start + at


def inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)
