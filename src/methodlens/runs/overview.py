"""A run at a glance, from the ledger's columns alone: no answer is unpacked, so it can be asked twice a second."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import ColumnElement, Executable, func, select

from methodlens.evaluation.sampling import Candidate
from methodlens.records import Status, Verdict
from methodlens.runs.ledger import Ledger, Run
from methodlens.runs.tables import ANNOTATIONS, CELLS, RUN_CELLS, RUN_PAPERS, RUNS
from methodlens.seams import VotingRule
from methodlens.verdicts import voting_rule


class Progress(Struct, frozen=True):
    """How far a run is, and how many words of people there are: when none of it changes, nothing else has."""

    run: str
    papers: int
    papers_read: int
    cells: int
    cells_done: int
    ended: bool
    annotations: int


def progress(ledger: Ledger, run: Run) -> Progress:
    (times,) = ledger.fetch(select(RUNS.c.ended_at).where(RUNS.c.run == run.id)) or ({"ended_at": None},)
    return Progress(
        run=run.id,
        papers=len(run.papers),
        papers_read=_count(ledger, select(func.count()).where(RUN_PAPERS.c.run == run.id)),
        cells=len(run.papers) * len(run.questions) * len(run.readers),
        cells_done=_count(ledger, select(func.count()).where(*_asked(run))),
        ended=times["ended_at"] is not None,
        annotations=_count(ledger, select(func.count()).select_from(ANNOTATIONS)),
    )


def stamp(ledger: Ledger, run: Run) -> tuple[object, ...]:
    """Another one as soon as the run's papers or cells are others than they were."""
    (run_row,) = ledger.fetch(select(RUNS.c.started_at, RUNS.c.ended_at).where(RUNS.c.run == run.id)) or ({},)
    linked = select(func.count(), func.max(CELLS.c.asked_at)).join_from(
        RUN_CELLS, CELLS, RUN_CELLS.c.cell_key == CELLS.c.cell_key
    )
    (cells,) = ledger.fetch(linked.where(RUN_CELLS.c.run == run.id))
    papers = _count(ledger, select(func.count()).where(RUN_PAPERS.c.run == run.id))
    return (run.id, papers, *run_row.values(), *cells.values())


def glance(ledger: Ledger, run: Run) -> list[Candidate]:
    """Each paper x question that has an answer, in the run's order, with what each reader says and the vote's verdict."""
    linked = select(RUN_CELLS.c.paper, RUN_CELLS.c.question, RUN_CELLS.c.reader, CELLS.c.status).join_from(
        RUN_CELLS, CELLS, RUN_CELLS.c.cell_key == CELLS.c.cell_key
    )
    rule = voting_rule(run.vote, run.readers if len(run.readers) > 1 else ())
    said: dict[tuple[str, str], dict[str, Status]] = {}
    for row in ledger.fetch(linked.where(*_asked(run))):
        said.setdefault((row["paper"], row["question"]), {})[row["reader"]] = Status(row["status"])
    return [
        Candidate(paper, question.id, _verdict(found, run.readers, rule), found)
        for paper in run.papers
        for question in run.questions
        if (found := said.get((paper, question.id)))
    ]


def _verdict(said: dict[str, Status], readers: Sequence[str], rule: VotingRule) -> Status:
    """As `board` has it: a reader that has not answered yet counts as one that failed."""
    if len(readers) == 1:
        return next(iter(said.values()))
    return rule({reader: Verdict(said.get(reader, Status.FAILED)) for reader in readers}).status


def _asked(run: Run) -> tuple[ColumnElement[bool], ...]:
    """What readers said when asked again takes no part in tables and votes."""
    return RUN_CELLS.c.run == run.id, RUN_CELLS.c.reader.in_(run.readers)


def _count(ledger: Ledger, query: Executable) -> int:
    (row,) = ledger.fetch(query)
    return int(next(iter(row.values())))
