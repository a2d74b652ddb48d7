"""The matrix of papers by questions: one page of it, or the papers that match a search."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from methodlens.ledger import overview
from methodlens.ledger.final_words import Settlement
from methodlens.ledger.listing import PAGE
from methodlens.ledger.overview import CellSummary
from methodlens.ledger.store import Ledger, Run
from methodlens.records import ContentRef, PaperEntry, PaperStatus, Status
from methodlens.reports.verdict_matrix import question_labels
from methodlens.web.review.annotation_index import AnnotationSummary
from methodlens.web.review.run_order import page_count

_MAX_MATCHES = PAGE // 2  # a search stops at the page on which it reaches this many
_MAX_PAGES_SEARCHED = 40  # per request: 20,000 papers take about a second


class PaperLine(Struct, frozen=True):
    """One paper. `final` and `marks`, the final words and the readers', have one status per question; None if there is no
    answer yet, or if a blind reviewer may not see it."""

    name: str
    sha256: str
    title: str
    year: int | None
    status: PaperStatus
    reason: str
    flags: tuple[str, ...]
    final: tuple[Status | None, ...]
    marks: tuple[Status | None, ...]
    reviewed: tuple[int, ...]
    """Positions of the questions whose final word is people's."""
    split: tuple[int, ...]
    """Positions of the questions on which readers contradict each other."""
    mine: tuple[Status | None, ...]
    """The reviewer's own annotations, one per question."""
    tags: Mapping[str, tuple[int, ...]] = {}
    """By the reviewer's own tags: the positions of the questions."""
    duplicate_of: str = ""


class QuestionHead(Struct, frozen=True):
    id: str
    number: str
    title: str
    text: str


class MatrixView(Struct, frozen=True):
    """One page of papers. The result of a search has the matches on pages `page` to `until`."""

    run: str
    blind: bool
    readers: tuple[str, ...]
    questions: tuple[QuestionHead, ...]
    papers: tuple[PaperLine, ...]
    total: int
    """Papers in the run."""
    page: int
    """Counts from 1, like `until` and `pages`."""
    until: int
    pages: int


def empty_matrix(*, blind: bool) -> MatrixView:
    return MatrixView("", blind, (), (), (), 0, 1, 1, 1)


def matrix_view(
    ledger: Ledger,
    run: Run,
    mine: Mapping[ContentRef, AnnotationSummary],
    settled: Mapping[ContentRef, Settlement],
    *,
    page: int,
    find: str,
    blind: bool,
    duplicates: Mapping[str, str],
) -> MatrixView:
    """`page` counts from 0; `find` searches names and titles from that page on; `mine` are the reviewer's annotations.
    `duplicates` names the original of each duplicate."""
    heads = [
        QuestionHead(question.id, number, question.title, question.text)
        for question, number in zip(run.questions, question_labels(run.questions), strict=True)
    ]
    papers, until = _search(ledger, run, find, page) if find else (_listed(ledger, run, page), page)
    cells: dict[tuple[str, str], CellSummary] = {}
    for start in range(0, len(papers), PAGE):
        for cell in overview.summaries_of(ledger, run, [paper.name for paper in papers[start : start + PAGE]]):
            cells[cell.paper, cell.question] = cell
    marked = (replace(paper, duplicate_of=duplicates.get(paper.name, "")) for paper in papers)
    lines = tuple(_line(paper, run, cells, mine, settled, blind=blind) for paper in marked)
    return MatrixView(run.id, blind, run.readers, tuple(heads), lines, run.papers, page + 1, until + 1, page_count(run))


def _listed(ledger: Ledger, run: Run, page: int) -> list[PaperEntry]:
    """Papers that the run has not reached yet have only a name."""
    entries = {entry.name: entry for entry, _ in ledger.entries(run, page=page)}
    return [entries.get(name) or PaperEntry(name, "") for name in ledger.names(run, page=page)]


def _search(ledger: Ledger, run: Run, find: str, first: int) -> tuple[list[PaperEntry], int]:
    """The matches and the last page searched."""
    text, matches, page = find.casefold(), list[PaperEntry](), first
    for page in range(first, min(page_count(run), first + _MAX_PAGES_SEARCHED)):
        matches += [paper for paper in _listed(ledger, run, page) if text in f"{paper.name} {paper.title}".casefold()]
        if len(matches) >= _MAX_MATCHES:
            break
    return matches, page


def _line(
    entry: PaperEntry,
    run: Run,
    cells: Mapping[tuple[str, str], CellSummary],
    mine: Mapping[ContentRef, AnnotationSummary],
    settled: Mapping[ContentRef, Settlement],
    *,
    blind: bool,
) -> PaperLine:
    refs = [ContentRef(entry.sha256, question.id) for question in run.questions]
    annotations = list(map(mine.get, refs))
    own = tuple(annotation.status if annotation else None for annotation in annotations)
    answered = [cells.get((entry.name, question.id)) for question in run.questions]
    # a blind reviewer sees cells that they have annotated, and that a paper could not be read
    visible = [
        cell if cell and (not blind or annotated or cell.verdict is Status.UNREADABLE) else None
        for cell, annotated in zip(answered, own, strict=True)
    ]
    marks = tuple(cell.verdict if cell else None for cell in visible)
    people = [settled.get(ref) if cell else None for ref, cell in zip(refs, visible, strict=True)]
    return PaperLine(
        name=entry.name,
        sha256=entry.sha256,
        title=entry.title,
        year=entry.year,
        status=entry.status,
        reason=entry.reason,
        flags=() if blind else entry.flags,  # some are a reader's conclusion
        final=tuple(word.status if word else mark for word, mark in zip(people, marks, strict=True)),
        marks=marks,
        reviewed=tuple(index for index, word in enumerate(people) if word),
        split=tuple(index for index, cell in enumerate(visible) if cell and cell.split),
        mine=own,
        tags=_positions_by_tag(annotations),
        duplicate_of=entry.duplicate_of,
    )


def _positions_by_tag(annotations: Sequence[AnnotationSummary | None]) -> dict[str, tuple[int, ...]]:
    positions: dict[str, tuple[int, ...]] = {}
    for index, annotation in enumerate(annotations):
        for tag in annotation.tags if annotation else ():
            positions[tag] = (*positions.get(tag, ()), index)
    return positions
