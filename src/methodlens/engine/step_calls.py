"""The readers of a cascade, asked on behalf of one paper: stored answers are used, calls are booked, answers are kept at once."""

import threading
from collections.abc import Callable

from msgspec.structs import replace

from methodlens.engine.budget import Budget
from methodlens.engine.execute import ask
from methodlens.errors import ReaderAbandoned
from methodlens.ledger.calls import Outcome, end_call, open_call
from methodlens.ledger.keys import cell_key
from methodlens.ledger.store import Ledger, now
from methodlens.records import Answer, Cell, Hit, Paper, Question, Status, Verdict
from methodlens.seams import Reader


class StepCalls:
    """Call it instead of `execute.ask`. `refused` says why a reader was not asked, if the budget was reached."""

    def __init__(
        self, ledger: Ledger, run: str, name: str, budget: Budget, writing: threading.Lock, *, stopping: Callable[[], bool]
    ) -> None:
        self._ledger, self._run, self._name, self._budget, self._writing = ledger, run, name, budget, writing
        self._stopping = stopping
        self.refused = ""

    def __call__(self, paper: Paper, question: Question, reader: Reader, hits: tuple[Hit, ...], *, shown: int) -> Cell:
        """Raises ReaderAbandoned if the run stops: the answers so far are stored, and a rerun goes on after them."""
        info = reader.info
        if not info.remote:
            return ask(paper, question, reader, hits, shown=shown)
        key = cell_key(paper, question, info, hits[:shown])
        if cell := self._ledger.cell(key, paper):
            with self._writing:
                self._ledger.link_cell(self._run, self._name, cell)
            return cell
        if self._stopping():
            raise ReaderAbandoned("the run stops", "rerun to resume")
        if reason := self._budget.exhausted:
            self.refused = reason
            verdict = Verdict(Status.FAILED, f"not asked: {reason}")
            return Cell(key, paper.sha256, question.id, info.name, info.model, verdict, Answer(""), hits, shown)
        return self._call(key, paper, question, reader, hits, shown=shown)

    def _call(self, key: str, paper: Paper, question: Question, reader: Reader, hits: tuple[Hit, ...], *, shown: int) -> Cell:
        call = open_call(run=self._run, paper=self._name, question=question.id, reader=reader.info.name, cell_key=key, at=now())
        with self._writing:
            self._ledger.keep_call(call)
        try:
            cell = ask(paper, question, reader, hits, shown=shown)
        except BaseException as err:
            outcome = Outcome.ABANDONED if isinstance(err, ReaderAbandoned) else Outcome.FAILED
            with self._writing:
                self._ledger.keep_call(replace(call, outcome=outcome, ended_at=now()))
            raise
        self._budget.spend(cell.answer.usage)
        end = end_call(call, cell.verdict.status, cell.answer.usage, seconds=cell.seconds, at=now())
        with self._writing:
            self._ledger.keep_cell(self._run, self._name, cell, end)
        return cell
