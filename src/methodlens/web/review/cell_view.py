"""One cell as a reviewer sees it: the readers' answers, the passages, people's annotations, and the page to open first."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from methodlens.ledger.store import Run
from methodlens.questions import is_calibrated
from methodlens.records import (
    Annotation,
    Evidence,
    Facts,
    Hit,
    Match,
    Paper,
    PaperEntry,
    PaperStatus,
    Place,
    Question,
    Row,
    Status,
)
from methodlens.reports.fact_words import doubtful_values
from methodlens.reports.formats.export_rows import quote_location
from methodlens.text import places
from methodlens.text.printable import one_line, printable


class QuoteView(Struct, frozen=True):
    quote: str
    match: Match
    where: str
    places: tuple[Place, ...]


class ReaderView(Struct, frozen=True):
    """One reader's answer; or the vote's, with each reader's status in `votes`."""

    reader: str
    model: str
    status: Status
    reason: str
    p_reported: float | None
    answer: str
    quotes: tuple[QuoteView, ...]
    facts: Facts
    doubtful: tuple[str, ...] = ()
    """The values in `facts` that may well be wrong, as "optimizers: Adam"."""
    unsupported: tuple[str, ...] = ()
    votes: Mapping[str, Status] | None = None


class PassageView(Struct, frozen=True):
    rank: int
    shown: bool
    page: int
    section: str
    text: str
    places: tuple[Place, ...]


class CellView(Struct, frozen=True):
    """`hidden`: a blind reviewer has not annotated the cell yet, so `readers`, `verdict` and `people` are empty."""

    run: str
    paper: str
    paper_sha256: str
    paper_title: str
    paper_status: PaperStatus
    paper_reason: str
    flags: tuple[str, ...]
    question: str
    question_title: str
    question_text: str
    calibrated: bool
    hidden: bool
    verdict: Status | None
    readers: tuple[ReaderView, ...]
    people: tuple[Annotation, ...]
    mine: Annotation | None
    passages: tuple[PassageView, ...]
    page: int
    """The page to open first."""
    pages: int


def cell_view(
    run: Run,
    entry: PaperEntry,
    question: Question,
    rows: Sequence[Row],
    annotations: Sequence[Annotation],
    paper: Paper,
    *,
    reviewer: str,
    blind: bool,
) -> CellView:
    mine = next((annotation for annotation in annotations if annotation.annotator == reviewer), None)
    hidden = blind and mine is None
    readers = [] if hidden else [_reader(row) for row in rows]
    hits, shown = (rows[-1].cell.hits, rows[-1].cell.shown) if rows else ((), 0)
    return CellView(
        run=run.id,
        paper=entry.name,
        paper_sha256=entry.sha256,
        paper_title=one_line(entry.title),
        paper_status=entry.status,
        paper_reason=entry.reason,
        flags=() if hidden else entry.flags,  # some are a reader's conclusion
        question=question.id,
        question_title=one_line(question.title),
        question_text=one_line(question.text),
        calibrated=is_calibrated(question),
        hidden=hidden,
        verdict=rows[-1].cell.verdict.status if rows and not hidden else None,
        readers=tuple(readers),
        people=() if hidden else tuple(annotations),
        mine=mine,
        passages=tuple(_passage(paper, rank, hit, shown=rank <= shown) for rank, hit in enumerate(hits, 1)),
        page=_first_page(readers, mine, hits),
        pages=len(paper.pages),
    )


def _reader(row: Row) -> ReaderView:
    cell, answer = row.cell, row.cell.answer
    return ReaderView(
        reader=one_line(cell.reader),
        model=one_line(cell.model),
        status=cell.verdict.status,
        reason=one_line(cell.verdict.reason),
        p_reported=answer.p_reported,
        answer=printable(answer.text),
        quotes=tuple(map(_quote, answer.evidence)),
        facts=answer.facts,
        doubtful=tuple(doubtful_values(answer)),
        unsupported=answer.unsupported,
        votes=row.votes,
    )


def _quote(evidence: Evidence) -> QuoteView:
    return QuoteView(one_line(evidence.quote), evidence.match, quote_location(evidence), evidence.places)


def _passage(paper: Paper, rank: int, hit: Hit, *, shown: bool) -> PassageView:
    passage = hit.passage
    return PassageView(
        rank, shown, passage.page, passage.section, printable(passage.text), places(paper, passage.start, passage.end)
    )


def _first_page(readers: Sequence[ReaderView], mine: Annotation | None, hits: Sequence[Hit]) -> int:
    """The page of the reviewer's evidence, else of the first quote (the vote's before the readers'), else of the best passage."""
    marked = [place for evidence in (mine.evidence if mine else ()) for place in evidence.places]
    marked += [place for reader in reversed(readers) for quote in reader.quotes for place in quote.places]
    return marked[0].page if marked else hits[0].passage.page if hits else 1
