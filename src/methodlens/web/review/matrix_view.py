"""The matrix, a page of papers at a time; or those papers that have some words in their name or title."""

from collections.abc import Mapping
from typing import NamedTuple

from methodlens.evaluation.raters import Cell as Place
from methodlens.ledger import overview
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.listing import PAGE
from methodlens.ledger.overview import CellSummary
from methodlens.records import PaperEntry, Status
from methodlens.reports.verdict_matrix import question_labels
from methodlens.web.review.run_order import pages
from methodlens.web.views import MatrixView, PaperLine, QuestionHead

_ENOUGH = PAGE // 2  # found papers: more are a page of their own
_MOST_SEARCHED = 40  # pages that are looked through at once: 20,000 papers take about a second


class Part(NamedTuple):
    """What of the run is wanted: a page, from 0; or what is found from that page on."""

    page: int
    find: str = ""


def nothing(*, blind: bool) -> MatrixView:
    """While there is no run."""
    return MatrixView("", blind, (), (), (), 0, 1, 1, 1)


def view(ledger: Ledger, run: Run, part: Part, mine: Mapping[Place, Status], *, blind: bool) -> MatrixView:
    """`mine` is what the person who looks has decided."""
    heads = [
        QuestionHead(question.id, number, question.title, question.text)
        for question, number in zip(run.questions, question_labels(run.questions), strict=True)
    ]
    papers, until = _found(ledger, run, part) if part.find else (_listed(ledger, run, part.page), part.page)
    said: dict[Place, CellSummary] = {}
    for start in range(0, len(papers), PAGE):
        for cell in overview.glance_at(ledger, run, [paper.name for paper in papers[start : start + PAGE]]):
            said[cell.paper, cell.question] = cell
    lines = tuple(_line(paper, run, said, mine, blind=blind) for paper in papers)
    return MatrixView(run.id, blind, run.readers, tuple(heads), lines, run.papers, part.page + 1, until + 1, pages(run))


def _listed(ledger: Ledger, run: Run, page: int) -> list[PaperEntry]:
    """Those that were not reached yet have a name and nothing else."""
    entered = {entry.name: entry for entry, _ in ledger.entries(run, page=page)}
    return [entered.get(name) or PaperEntry(name, "") for name in ledger.names(run, page=page)]


def _found(ledger: Ledger, run: Run, part: Part) -> tuple[list[PaperEntry], int]:
    """With the last page that was looked through."""
    wanted, papers, page = part.find.casefold(), list[PaperEntry](), part.page
    for page in range(part.page, min(pages(run), part.page + _MOST_SEARCHED)):
        papers += [one for one in _listed(ledger, run, page) if wanted in f"{one.name} {one.title}".casefold()]
        if len(papers) >= _ENOUGH:
            break
    return papers, page


def _line(
    entry: PaperEntry, run: Run, said: Mapping[Place, CellSummary], mine: Mapping[Place, Status], *, blind: bool
) -> PaperLine:
    own = tuple(mine.get((entry.sha256, question.id)) for question in run.questions)
    found = [said.get((entry.name, question.id)) for question in run.questions]
    # a blind annotator sees what was decided already, and that a paper could not be read
    seen = [
        one if one and (not blind or decided or one.verdict is Status.UNREADABLE) else None
        for one, decided in zip(found, own, strict=True)
    ]
    return PaperLine(
        name=entry.name,
        sha256=entry.sha256,
        title=entry.title,
        year=entry.year,
        status=entry.status,
        reason=entry.reason,
        flags=entry.flags,
        marks=tuple(one.verdict if one else None for one in seen),
        split=tuple(index for index, one in enumerate(seen) if one and one.split),
        mine=own,
    )
