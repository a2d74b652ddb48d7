"""One cell as a reviewer sees it: the readers' answers, the passages, people's annotations, and the page to open first."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from methodlens.facts import FactType
from methodlens.facts.shapes import Amount, ValueType, editable_types, shape_of
from methodlens.ledger.final_words import final_row
from methodlens.ledger.store import Run
from methodlens.questions import calibration_mark
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
    Source,
    Status,
    Step,
)
from methodlens.reports.code_cells import ShownCode, shown_code
from methodlens.reports.fact_words import doubtful_values
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.supplement_cells import ShownSupplement, shown_supplement
from methodlens.text import places
from methodlens.text.printable import one_line, printable


class QuoteView(Struct, frozen=True):
    quote: str
    match: Match
    where: str
    places: tuple[Place, ...]
    start: int = 0
    end: int = 0


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
    trail: tuple[Step, ...] = ()
    """What each reader of a cascade answered."""


class FinalView(Struct, frozen=True):
    """The final word on the cell, and where it comes from."""

    status: Status
    reason: str
    answer: str
    facts: Facts
    source: Source


class FactField(Struct, frozen=True):
    """A fact of the question that reviewers can correct. Without `fields`, a value has the type `type`."""

    key: str
    label: str
    unit: str
    amount: Amount
    type: ValueType
    fields: tuple[tuple[str, ValueType], ...]


class PassageView(Struct, frozen=True):
    rank: int
    shown: bool
    page: int
    section: str
    text: str
    places: tuple[Place, ...]
    start: int = 0
    end: int = 0


class CellView(Struct, frozen=True):
    """`hidden`: a blind reviewer has not annotated the cell yet, so `readers`, `verdict`, `final` and `people` are empty."""

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
    calibration: str
    """Empty for a question that was calibrated on labelled papers; else what to show with it."""
    hidden: bool
    verdict: Status | None
    final: FinalView | None
    readers: tuple[ReaderView, ...]
    fact_fields: tuple[FactField, ...]
    people: tuple[Annotation, ...]
    mine: Annotation | None
    passages: tuple[PassageView, ...]
    page: int
    """The page to open first."""
    pages: int
    duplicate_of: str = ""
    disputed: bool = False
    """The others in `people` decided differently, and this reviewer may settle it."""
    code: ShownCode | None = None
    """What the paper's repository says on the question, compared with the final word; empty while the verdict is hidden."""
    supplements: tuple[ShownSupplement, ...] = ()
    """What the paper's supplements say on it; empty while the verdict is hidden."""


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
    settling: bool = False,
) -> CellView:
    """`settling`: the reviewer may adjudicate the cell and asks to, which reveals everything."""
    mine = next((annotation for annotation in annotations if annotation.annotator == reviewer), None)
    hidden = blind and mine is None and not settling
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
        calibration=calibration_mark(rows[0].question if rows else question),
        hidden=hidden,
        verdict=rows[-1].cell.verdict.status if rows and not hidden else None,
        final=_final(final_row(rows, annotations)) if rows and not hidden else None,
        readers=tuple(readers),
        fact_fields=tuple(map(_fact_field, editable_types(question))),
        people=() if hidden else tuple(annotations),
        mine=mine,
        passages=tuple(_passage(paper, rank, hit, shown=rank <= shown) for rank, hit in enumerate(hits, 1)),
        page=_first_page(readers, mine, hits),
        pages=len(paper.pages),
        duplicate_of=entry.duplicate_of,
        disputed=settling,
        code=None if hidden else _code(rows, annotations),
        supplements=() if hidden or not rows else tuple(map(shown_supplement, rows[-1].supplements)),
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
        trail=answer.trail,
    )


def _final(row: Row) -> FinalView | None:
    if row.final is None:
        return None
    verdict, answer = row.cell.verdict, row.cell.answer
    return FinalView(verdict.status, one_line(verdict.reason), printable(answer.text), answer.facts, row.final)


def _code(rows: Sequence[Row], annotations: Sequence[Annotation]) -> ShownCode | None:
    code = final_row(rows, annotations).code if rows else None
    return shown_code(code) if code else None


def _fact_field(fact_type: FactType) -> FactField:
    shape = shape_of(fact_type.key)
    return FactField(fact_type.key, fact_type.label, fact_type.unit, shape.amount, shape.type, tuple(shape.fields.items()))


def _quote(evidence: Evidence) -> QuoteView:
    return QuoteView(
        one_line(evidence.quote), evidence.match, quote_location(evidence), evidence.places, evidence.start, evidence.end
    )


def _passage(paper: Paper, rank: int, hit: Hit, *, shown: bool) -> PassageView:
    passage = hit.passage
    start, end = passage.start, passage.end
    return PassageView(rank, shown, passage.page, passage.section, printable(passage.text), places(paper, start, end), start, end)


def _first_page(readers: Sequence[ReaderView], mine: Annotation | None, hits: Sequence[Hit]) -> int:
    """The page of the reviewer's evidence, else of the first quote (the vote's before the readers'), else of the best passage."""
    marked = [place for evidence in (mine.evidence if mine else ()) for place in evidence.places]
    marked += [place for reader in reversed(readers) for quote in reader.quotes for place in quote.places]
    return marked[0].page if marked else hits[0].passage.page if hits else 1
