"""Recalibrations as rows of the ledger, and what they make of a cell when it is read. Stored cells stay as they are.

Rows are only added: the latest one of a question and reader counts, and one without a fit withdraws it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import RowMapping, func, select

from methodlens.errors import LedgerDamaged
from methodlens.ledger.packing import build_decoders, checksum, pack, unpack
from methodlens.ledger.paper_results import stored_cell
from methodlens.ledger.store import Ledger, Run, now
from methodlens.ledger.tables import ANSWERS, RECALIBRATIONS, RUN_CELLS, upsert
from methodlens.questions.question_set import normalised
from methodlens.records import Answer, Cell, Match, Question, Status
from methodlens.verdicts import is_silent, judge
from methodlens.verdicts.recalibration import Recalibration

KEY = ("question", "reader", "at")
JUDGED = (Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD)
"""Cells that a reader has read; the others have no probability of their own."""


class StoredRecalibration(Struct, frozen=True):
    """For one question and one model of a reader: another model gives other probabilities. `fitted` is None if it was undone."""

    question: str
    question_text: str
    reader: str
    model: str
    at: str
    fitted: Recalibration | None


build_decoders(StoredRecalibration)


class Recalibrations:
    """Those that count in a run, by question and reader."""

    def __init__(self, stored: Mapping[tuple[str, str], StoredRecalibration]) -> None:
        self._stored = stored

    def __iter__(self) -> Iterator[StoredRecalibration]:
        return iter(self._stored.values())

    @property
    def questions(self) -> list[str]:
        return sorted({question for question, _ in self._stored})

    def question(self, question: Question) -> Question:
        """With the number of decisions that its probabilities were refitted to."""
        fits = [stored.fitted.decisions for stored in self if stored.question == question.id and stored.fitted]
        return replace(question, calibrated_on=max(fits)) if fits else question

    def cell(self, cell: Cell) -> Cell:
        """With its recalibrated probability and the verdict that follows from it; the same cell if there is none."""
        stored, p = self._stored.get((cell.question, cell.reader)), cell.answer.p_reported
        if not (stored and stored.fitted and stored.model == cell.model) or p is None or cell.verdict.status not in JUDGED:
            return cell
        new = round(stored.fitted(p), 4)
        verdict = judge(replace(cell.answer, p_reported=new))
        note = f"recalibrated on {stored.fitted.decisions} decisions of this review (the reader's p was {p:.2f})"
        answer = _reworded(cell.answer, was=cell.verdict.status, is_now=verdict.status)
        reason = f"{verdict.reason}; {note}" if verdict.reason else note
        return replace(cell, answer=replace(answer, p_reported=new), verdict=replace(verdict, reason=reason))


def current(ledger: Ledger, run: Run) -> Recalibrations:
    """Only those of questions that the run asks in the same words: another question may have the same id."""
    texts = {question.id: normalised(question.text) for question in run.questions}
    latest = {(stored.question, stored.reader): stored for stored in history(ledger)}
    return Recalibrations(
        {
            key: stored
            for key, stored in latest.items()
            if stored.fitted and normalised(stored.question_text) == texts.get(stored.question)
        }
    )


def history(ledger: Ledger) -> list[StoredRecalibration]:
    """Including superseded and undone ones, oldest first."""
    return [_from_row(row) for row in ledger.fetch(select(RECALIBRATIONS).order_by(RECALIBRATIONS.c.at))]


def latest_at(ledger: Ledger) -> str:
    """When the recalibrations last changed; empty if there are none."""
    (row,) = ledger.fetch(select(func.max(RECALIBRATIONS.c.at).label("at")))
    return row["at"] or ""


def keep(ledger: Ledger, recalibrations: Iterable[StoredRecalibration]) -> None:
    with ledger.engine.begin() as connection:
        upsert(connection, RECALIBRATIONS, [_to_row(stored) for stored in recalibrations], by=KEY)


def undo(ledger: Ledger, recalibrations: Iterable[StoredRecalibration]) -> None:
    """The readers' own probabilities count again."""
    at = now()
    keep(ledger, [replace(stored, at=at, fitted=None) for stored in recalibrations])


def cells_of_questions(
    ledger: Ledger, run: Run, questions: Collection[str], papers: Sequence[str] | None = None
) -> Iterator[tuple[str, Cell]]:
    """The stored cells of these questions, each with the name of its paper and without passages. Damaged ones are left out.

    Of all papers of the run, or of these, at most a page of them.
    """
    columns = (*ANSWERS.c, RUN_CELLS.c.paper)
    linked = select(*columns).join_from(RUN_CELLS, ANSWERS, RUN_CELLS.c.cell_key == ANSWERS.c.cell_key)
    wanted = linked.where(RUN_CELLS.c.run == run.id, RUN_CELLS.c.reader.in_(run.readers))
    if papers is not None:
        wanted = wanted.where(RUN_CELLS.c.paper.in_(papers))
    for question in questions:
        for row in ledger.fetch(wanted.where(RUN_CELLS.c.question == question)):
            try:
                yield row["paper"], stored_cell(row)
            except (LedgerDamaged, msgspec.MsgspecError):
                continue


def _reworded(answer: Answer, *, was: Status, is_now: Status) -> Answer:
    """An answer whose text does not contradict its new verdict."""
    if is_now is was:
        return answer
    if is_now is Status.NOT_REPORTED:
        pages = sorted({evidence.page for evidence in answer.evidence if evidence.page})
        where = f"; the closest passages are on page {', '.join(map(str, pages))}" if pages else ""
        return Answer(f"The paper does not report an answer to this question{where}.", usage=answer.usage, tokens=answer.tokens)
    if is_now is Status.REPORTED and (was is Status.NOT_REPORTED or is_silent(answer.text)):
        located = (evidence for evidence in answer.evidence if evidence.match is not Match.ABSENT)
        return replace(
            answer,
            text=" ".join(f"“{evidence.quote}”{f' (p. {evidence.page})' if evidence.page else ''}" for evidence in located),
        )
    return answer


def _to_row(stored: StoredRecalibration) -> dict[str, Any]:
    key = {name: getattr(stored, name) for name in KEY}
    body = pack(stored)
    return {**key, "body": body, "checksum": checksum("".join(key.values()), body)}


def _from_row(row: RowMapping) -> StoredRecalibration:
    what = f"the recalibration of {row['question']}"
    key = "".join(row[name] for name in KEY)
    return unpack(row["body"], StoredRecalibration, key=key, expected=row["checksum"], what=what)
