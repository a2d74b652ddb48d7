"""A run at a glance, from the ledger's columns alone: no answer is unpacked, so it can be asked twice a second."""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from sqlalchemy import ColumnElement, Executable, func, select

from methodlens.ledger.listing import PAGE
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.tables import ANNOTATIONS, ANSWERS, RUN_CELLS, RUN_PAPERS, RUNS
from methodlens.records import Status, Verdict
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


class CellSummary(Struct, frozen=True):
    """A paper x question. `verdict` is that of the vote, or of the only reader; `statuses` has each reader's."""

    paper: str
    question: str
    verdict: Status
    statuses: Mapping[str, Status]
    p_reported: float | None = None

    @property
    def split(self) -> bool:
        """Do readers contradict each other?"""
        return {Status.REPORTED, Status.NOT_REPORTED} <= set(self.statuses.values())

    @property
    def uncertainty(self) -> float:
        """From 0, all are of one mind, to 1: half say yes, or nobody decides, or the probability is a half."""
        decided = [status.reported for status in self.statuses.values() if status.reported is not None]
        if not decided:
            return 1.0
        even = 1 - abs(2 * sum(decided) / len(decided) - 1)
        open_ended = 1 - len(decided) / len(self.statuses)
        unsure = 0.0 if self.p_reported is None else 1 - abs(2 * self.p_reported - 1)
        return max(even, open_ended, unsure)


def progress(ledger: Ledger, run: Run) -> Progress:
    (times,) = ledger.fetch(select(RUNS.c.ended_at).where(RUNS.c.run == run.id)) or ({"ended_at": None},)
    return Progress(
        run=run.id,
        papers=run.papers,
        papers_read=_count(ledger, select(func.count()).where(RUN_PAPERS.c.run == run.id)),
        cells=run.papers * len(run.questions) * len(run.readers),
        cells_done=_count(ledger, select(func.count()).where(*_asked(run))),
        ended=times["ended_at"] is not None,
        annotations=_count(ledger, select(func.count()).select_from(ANNOTATIONS)),
    )


def version(ledger: Ledger, run: Run) -> tuple[object, ...]:
    """Another one as soon as the run's papers or cells are others than they were."""
    (run_row,) = ledger.fetch(select(RUNS.c.started_at, RUNS.c.ended_at).where(RUNS.c.run == run.id)) or ({},)
    linked = select(func.count(), func.max(ANSWERS.c.asked_at)).join_from(
        RUN_CELLS, ANSWERS, RUN_CELLS.c.cell_key == ANSWERS.c.cell_key
    )
    (cells,) = ledger.fetch(linked.where(RUN_CELLS.c.run == run.id))
    papers = _count(ledger, select(func.count()).where(RUN_PAPERS.c.run == run.id))
    return (run.id, papers, *run_row.values(), *cells.values())


def cell_summaries(ledger: Ledger, run: Run, *, page: int | None = None) -> Iterator[CellSummary]:
    """Each paper x question that has an answer, in the run's order, with what each reader says and the vote's verdict.

    Of all papers, or of one page of them; no more than a page is held.
    """
    names = ledger.names(run, page=page)
    while some := list(itertools.islice(names, PAGE)):
        yield from summaries_of(ledger, run, some)


def summaries_of(ledger: Ledger, run: Run, papers: Sequence[str]) -> Iterator[CellSummary]:
    """The same of these papers, a page of them at most, in their order."""
    linked = select(RUN_CELLS.c.paper, RUN_CELLS.c.question, RUN_CELLS.c.reader, ANSWERS.c.status).join_from(
        RUN_CELLS, ANSWERS, RUN_CELLS.c.cell_key == ANSWERS.c.cell_key
    )
    rule = voting_rule(run.vote, run.readers if len(run.readers) > 1 else ())
    statuses: dict[tuple[str, str], dict[str, Status]] = {}
    for row in ledger.fetch(linked.where(*_asked(run), RUN_CELLS.c.paper.in_(papers))):
        statuses.setdefault((row["paper"], row["question"]), {})[row["reader"]] = Status(row["status"])
    # few things can be statuses: thousands of cells share them, and each is voted on once
    alike: dict[tuple[tuple[str, Status], ...], tuple[Status, dict[str, Status]]] = {}
    for paper in papers:
        for question in run.questions:
            if found := statuses.pop((paper, question.id), None):
                words = tuple(sorted(found.items()))
                if words not in alike:
                    alike[words] = _verdict(found, run.readers, rule), found
                yield CellSummary(paper, question.id, *alike[words])


def content_hashes(ledger: Ledger, run: Run, papers: Sequence[str]) -> dict[str, str]:
    """The checksums of the files of these papers, a page of them at most; of those that were reached and could be read."""
    columns = select(RUN_PAPERS.c.paper, RUN_PAPERS.c.sha256)
    found = ledger.fetch(columns.where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.paper.in_(papers)))
    return {row["paper"]: row["sha256"] for row in found if row["sha256"]}


def names_of(ledger: Ledger, run: Run, sha256s: Collection[str]) -> dict[str, list[str]]:
    """The papers of a run whose files have these checksums, a page of them at most: mostly one each."""
    columns = select(RUN_PAPERS.c.paper, RUN_PAPERS.c.sha256)
    names: dict[str, list[str]] = {}
    for row in ledger.fetch(columns.where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.sha256.in_({*sha256s} - {""}))):
        names.setdefault(row["sha256"], []).append(row["paper"])
    return names


def _verdict(statuses: dict[str, Status], readers: Sequence[str], rule: VotingRule) -> Status:
    """As `board` has it: a reader that has not answered yet counts as one that failed."""
    if len(readers) == 1:
        return next(iter(statuses.values()))
    return rule({reader: Verdict(statuses.get(reader, Status.FAILED)) for reader in readers}).status


def _asked(run: Run) -> tuple[ColumnElement[bool], ...]:
    """What readers statuses when asked again takes no part in tables and votes."""
    return RUN_CELLS.c.run == run.id, RUN_CELLS.c.reader.in_(run.readers)


def _count(ledger: Ledger, query: Executable) -> int:
    (row,) = ledger.fetch(query)
    return int(next(iter(row.values())))
