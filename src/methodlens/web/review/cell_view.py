"""One cell as a person looks at it: the readers' answers, the passages around, what people said, and where to look first."""

from collections.abc import Sequence

from methodlens.ledger.ledger import Run
from methodlens.records import Annotation, Evidence, Hit, Paper, PaperEntry, Question, Row
from methodlens.reports.formats.export_rows import quote_location
from methodlens.text import places
from methodlens.text.printable import one_line, printable
from methodlens.web.views import CellView, PassageView, QuoteView, ReaderView


def view(
    run: Run,
    entry: PaperEntry,
    question: Question,
    rows: Sequence[Row],
    words: Sequence[Annotation],
    paper: Paper,
    *,
    name: str,
    blind: bool,
) -> CellView:
    mine = next((one for one in words if one.annotator == name), None)
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
        flags=entry.flags,
        question=question.id,
        question_title=one_line(question.title),
        question_text=one_line(question.text),
        hidden=hidden,
        verdict=rows[-1].cell.verdict.status if rows and not hidden else None,
        readers=tuple(readers),
        people=() if hidden else tuple(words),
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
        quotes=tuple(map(quote, answer.evidence)),
        facts=answer.facts,
        unsupported=answer.unsupported,
        votes=row.votes,
    )


def quote(evidence: Evidence) -> QuoteView:
    return QuoteView(one_line(evidence.quote), evidence.match, quote_location(evidence), evidence.places)


def _passage(paper: Paper, rank: int, hit: Hit, *, shown: bool) -> PassageView:
    passage = hit.passage
    return PassageView(
        rank, shown, passage.page, passage.section, printable(passage.text), places(paper, passage.start, passage.end)
    )


def _first_page(readers: Sequence[ReaderView], mine: Annotation | None, hits: Sequence[Hit]) -> int:
    """Where this person's own sentence stands, else the first quote (the vote's before the readers'), else the best passage."""
    spots = [spot for evidence in (mine.evidence if mine else ()) for spot in evidence.places]
    spots += [spot for reader in reversed(readers) for found in reader.quotes for spot in found.places]
    return spots[0].page if spots else hits[0].passage.page if hits else 1
