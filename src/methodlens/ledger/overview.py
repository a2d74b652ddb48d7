"""Summaries of a run from indexed columns alone: no answer is decoded, so they can be fetched twice per second."""

import contextlib
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, Executable, func, select

from methodlens.ledger import recalibrations
from methodlens.ledger.listing import PAGE
from methodlens.ledger.packing import build_decoders
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.tables import ANNOTATIONS, ANSWERS, RUN_CELLS, RUN_PAPERS, RUNS
from methodlens.records import Status, Verdict
from methodlens.seams import VotingRule
from methodlens.verdicts import voting_rule


class Progress(Struct, frozen=True):
    """How far a run is, and how many annotations there are: if none of it changes, nothing else has."""

    run: str
    papers: int
    papers_read: int
    cells: int
    cells_done: int
    ended: bool
    annotations: int


class CellSummary(Struct, frozen=True):
    """A paper x question. `verdict` is that of the vote, or of the only reader; `statuses` are those of the readers."""

    paper: str
    question: str
    verdict: Status
    statuses: Mapping[str, Status]
    p_reported: float | None = None

    @property
    def split(self) -> bool:
        """Whether readers contradict each other."""
        return {Status.REPORTED, Status.NOT_REPORTED} <= set(self.statuses.values())

    @property
    def uncertainty(self) -> float:
        """From 0, all readers agree, to 1: half say yes, or none decides, or the probability is 0.5."""
        decided = [status.reported for status in self.statuses.values() if status.reported is not None]
        if not decided:
            return 1.0
        disagreement = 1 - abs(2 * sum(decided) / len(decided) - 1)
        undecided = 1 - len(decided) / len(self.statuses)
        unsure = 0.0 if self.p_reported is None else 1 - abs(2 * self.p_reported - 1)
        return max(disagreement, undecided, unsure)


def progress(ledger: Ledger, run: Run) -> Progress:
    (times,) = ledger.fetch(select(RUNS.c.ended_at).where(RUNS.c.run == run.id)) or ({"ended_at": None},)
    return Progress(
        run=run.id,
        papers=run.papers,
        papers_read=papers_read(ledger, run),
        cells=run.papers * len(run.questions) * len(run.readers),
        cells_done=_count(ledger, select(func.count()).where(*_asked(run))),
        ended=times["ended_at"] is not None,
        annotations=_count(ledger, select(func.count()).select_from(ANNOTATIONS)),
    )


def papers_read(ledger: Ledger, run: Run) -> int:
    return _count(ledger, select(func.count()).where(RUN_PAPERS.c.run == run.id))


def version(ledger: Ledger, run: Run) -> tuple[object, ...]:
    """Changes whenever the papers, the cells or the recalibrations of the run change."""
    (run_row,) = ledger.fetch(select(RUNS.c.started_at, RUNS.c.ended_at).where(RUNS.c.run == run.id)) or ({},)
    linked = select(func.count(), func.max(ANSWERS.c.asked_at)).join_from(
        RUN_CELLS, ANSWERS, RUN_CELLS.c.cell_key == ANSWERS.c.cell_key
    )
    (cells,) = ledger.fetch(linked.where(RUN_CELLS.c.run == run.id))
    return (run.id, papers_read(ledger, run), *run_row.values(), *cells.values(), recalibrations.latest_at(ledger))


def cell_summaries(ledger: Ledger, run: Run, *, page: int | None = None) -> Iterator[CellSummary]:
    """Each answered paper x question in the run's order, of all papers or of one page. One page is in memory at a time."""
    names = ledger.names(run, page=page)
    while papers := list(itertools.islice(names, PAGE)):
        yield from summaries_of(ledger, run, papers)


def summaries_of(ledger: Ledger, run: Run, papers: Sequence[str], *, probabilities: bool = False) -> Iterator[CellSummary]:
    """The same for these papers, at most a page of them, in their order.

    With `probabilities`, p_reported is the mean of those that readers gave; this reads all answers.
    """
    linked = select(RUN_CELLS.c.paper, RUN_CELLS.c.question, RUN_CELLS.c.reader, ANSWERS.c.status).join_from(
        RUN_CELLS, ANSWERS, RUN_CELLS.c.cell_key == ANSWERS.c.cell_key
    )
    rule = voting_rule(run.vote, run.readers if len(run.readers) > 1 else ())
    by_cell: dict[tuple[str, str], dict[str, Status]] = {}
    for row in ledger.fetch(linked.where(*_asked(run), RUN_CELLS.c.paper.in_(papers))):
        by_cell.setdefault((row["paper"], row["question"]), {})[row["reader"]] = Status(row["status"])
    refits = recalibrations.current(ledger, run)
    for paper, cell in recalibrations.cells_of_questions(ledger, run, refits.questions, papers):
        by_cell[paper, cell.question][cell.reader] = refits.cell(cell).verdict.status
    p_reported = _probabilities(ledger, run, papers) if probabilities else {}
    # there are few combinations of statuses: thousands of cells share them, and each is voted on once
    shared: dict[tuple[tuple[str, Status], ...], tuple[Status, dict[str, Status]]] = {}
    for paper in papers:
        for question in run.questions:
            if statuses := by_cell.pop((paper, question.id), None):
                key = tuple(sorted(statuses.items()))
                if key not in shared:
                    shared[key] = _verdict(statuses, run.readers, rule), statuses
                yield CellSummary(paper, question.id, *shared[key], p_reported.get((paper, question.id)))


class _StoredProbability(Struct, frozen=True):
    p_reported: float | None = None


class _StoredAnswer(Struct, frozen=True):
    """What is needed of the body of an answer."""

    answer: _StoredProbability


build_decoders(_StoredAnswer)


def _probabilities(ledger: Ledger, run: Run, papers: Sequence[str]) -> dict[tuple[str, str], float]:
    linked = select(RUN_CELLS.c.paper, RUN_CELLS.c.question, ANSWERS.c.body).join_from(
        RUN_CELLS, ANSWERS, RUN_CELLS.c.cell_key == ANSWERS.c.cell_key
    )
    by_cell: dict[tuple[str, str], list[float]] = {}
    for row in ledger.fetch(linked.where(*_asked(run), RUN_CELLS.c.paper.in_(papers))):
        with contextlib.suppress(msgspec.MsgspecError):  # a damaged answer is reported where it is shown
            p_reported = msgspec.json.decode(row["body"], type=_StoredAnswer).answer.p_reported
            if p_reported is not None:
                by_cell.setdefault((row["paper"], row["question"]), []).append(p_reported)
    return {cell: sum(values) / len(values) for cell, values in by_cell.items()}


def content_hashes(ledger: Ledger, run: Run, papers: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of the file of each of these papers, at most a page of them; unread files are left out."""
    columns = select(RUN_PAPERS.c.paper, RUN_PAPERS.c.sha256)
    rows = ledger.fetch(columns.where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.paper.in_(papers)))
    return {row["paper"]: row["sha256"] for row in rows if row["sha256"]}


def names_of(ledger: Ledger, run: Run, sha256s: Collection[str]) -> dict[str, list[str]]:
    """The names of the papers with these files, at most a page of them. Identical files have several names."""
    columns = select(RUN_PAPERS.c.paper, RUN_PAPERS.c.sha256)
    names: dict[str, list[str]] = {}
    for row in ledger.fetch(columns.where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.sha256.in_({*sha256s} - {""}))):
        names.setdefault(row["sha256"], []).append(row["paper"])
    return names


def _verdict(statuses: dict[str, Status], readers: Sequence[str], rule: VotingRule) -> Status:
    """As in `run_rows`: a reader that has not answered yet counts as failed."""
    if len(readers) == 1:
        return next(iter(statuses.values()))
    return rule({reader: Verdict(statuses.get(reader, Status.FAILED)) for reader in readers}).status


def _asked(run: Run) -> tuple[ColumnElement[bool], ...]:
    """Repeats are left out of tables and votes."""
    return RUN_CELLS.c.run == run.id, RUN_CELLS.c.reader.in_(run.readers)


def _count(ledger: Ledger, query: Executable) -> int:
    (row,) = ledger.fetch(query)
    return int(next(iter(row.values())))
