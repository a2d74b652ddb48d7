"""What is added to a paper's PDF, worked out from its rows: highlights with notes, and the verdicts for outline and cover."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.records import Box, Evidence, Match, PaperEntry, Question, Row, Status
from methodlens.reports.checklists.filled_item import shorten
from methodlens.reports.formats.export_rows import decided_by, pages_of, quote_location
from methodlens.reports.verdict_matrix import status_label
from methodlens.text.printable import printable

Colour = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""

# Zotero's eight, so that its filter by colour finds our highlights
PALETTE: tuple[Colour, ...] = tuple(
    (red / 255, green / 255, blue / 255)
    for red, green, blue in (bytes.fromhex(code) for code in "ffd400 5fb236 2ea8e5 a28ae5 f19837 ff6666 e56eee aaaaaa".split())
)
_LONGEST_NOTE, _LONGEST_TITLE, _LONGEST_ANSWER = 4000, 300, 170


class Highlight(Struct, frozen=True):
    """A quote on one page, in the colour of its question's group. Boxes are in points from the displayed page's top left."""

    page: int
    boxes: tuple[Box, ...]
    colour: Colour
    subject: str
    note: str
    author: str

    @property
    def id(self) -> str:
        """Its name in the file: the same whenever the same place is highlighted in the same colour."""
        place = msgspec.json.encode((self.page, self.boxes, self.colour))
        return f"methodlens-{hashlib.sha256(place).hexdigest()[:16]}"


class VerdictLine(Struct, frozen=True):
    """One question. `target` is where its first quote starts: the page, and the points from its top."""

    group: str
    colour: Colour
    title: str
    status: str
    pages: str
    answer: str
    target: tuple[int, float] | None = None


class PaperMarks(Struct, frozen=True):
    title: str
    about: tuple[str, ...]
    highlights: tuple[Highlight, ...]
    verdicts: tuple[VerdictLine, ...]


def group_colours(questions: Iterable[Question]) -> dict[str, Colour]:
    """By question id. Questions without a group have a colour each; after eight, colours repeat."""
    groups: dict[str, Colour] = {}
    colours: dict[str, Colour] = {}
    for question in questions:
        group = question.group or question.id
        colours[question.id] = groups.setdefault(group, PALETTE[len(groups) % len(PALETTE)])
    return colours


def paper_marks(paper: PaperEntry, rows: Sequence[Row], colours: Mapping[str, Colour]) -> PaperMarks:
    """`rows` has one row per question."""
    reported = sum(row.cell.verdict.status is Status.REPORTED for row in rows)
    about = [f"{reported} of {len(rows)} questions reported. Answers may be wrong: check them on the page."]
    about.append(paper.name + (f", doi:{paper.doi}" if paper.doi else ""))
    about.append(f"methodlens {__version__}, {', '.join(dict.fromkeys(map(decided_by, rows)))}")
    return PaperMarks(
        shorten(paper.title or paper.name, _LONGEST_TITLE),
        tuple(shorten(line, _LONGEST_TITLE) for line in about),
        tuple(_merged(mark for row in rows for mark in _highlights(row, colours[row.question.id]))),
        tuple(_verdict_line(row, colours[row.question.id]) for row in rows),
    )


def _highlights(row: Row, colour: Colour) -> Iterator[Highlight]:
    return (mark for evidence in _located(row) for mark in highlights_of(row, evidence, colour))


def highlights_of(row: Row, evidence: Evidence, colour: Colour) -> Iterator[Highlight]:
    """One per page that the quote is on."""
    for place in evidence.places:
        yield Highlight(place.page, place.boxes, colour, _title(row.question), _note(row, evidence), decided_by(row))


def _merged(highlights: Iterable[Highlight]) -> list[Highlight]:
    """A sentence that answers several questions of a group is highlighted once, with all answers in its note."""
    merged: dict[object, Highlight] = {}
    for mark in highlights:
        place = (mark.page, mark.boxes, mark.colour)
        first = merged.get(place)
        if first and mark.note not in first.note:
            mark = replace(first, subject=f"{first.subject}; {mark.subject}", note=f"{first.note}\n\n{mark.note}"[:_LONGEST_NOTE])
        merged[place] = mark
    return list(merged.values())


def _verdict_line(row: Row, colour: Colour) -> VerdictLine:
    located = _located(row)
    pages = sorted({page for evidence in located for page in pages_of(evidence)})
    place = located[0].places[0] if located else None
    return VerdictLine(
        row.question.group,
        colour,
        shorten(_title(row.question), _LONGEST_TITLE),
        status_label(row.cell.verdict.status),
        f"p. {', '.join(map(str, pages))}" if pages else "",
        shorten(_answer(row), _LONGEST_ANSWER),
        (place.page, place.boxes[0][1]) if place else None,
    )


def _located(row: Row) -> list[Evidence]:
    evidence = row.cell.answer.evidence
    return [one for one in evidence if one.match is not Match.ABSENT and one.places and all(p.boxes for p in one.places)]


def _title(question: Question) -> str:
    return f"{question.id} {question.title or question.text}"


def _answer(row: Row) -> str:
    verdict = row.cell.verdict
    return row.cell.answer.text if verdict.status is Status.REPORTED else verdict.reason


def _note(row: Row, evidence: Evidence) -> str:
    status = status_label(row.cell.verdict.status)
    nearly = f" ({quote_location(evidence)})" if evidence.match is Match.FUZZY else ""
    return printable(f"{_title(row.question)}: {status}{nearly}\n{_answer(row)}".strip())[:_LONGEST_NOTE]
