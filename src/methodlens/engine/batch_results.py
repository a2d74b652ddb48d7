"""From a line of a batch's results to cells: answered, failed, or to be asked again."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from methodlens.engine.execute import AskedCell, cell_of
from methodlens.errors import ReaderFailed
from methodlens.ledger.batches import BatchItem
from methodlens.ledger.calls import Call, end_call
from methodlens.ledger.keys import digest
from methodlens.ledger.paper_results import unpack_hits
from methodlens.ledger.store import now
from methodlens.readers.batched_chat import BatchedChatReader
from methodlens.readers.batches.batch_api import Line
from methodlens.readers.grouping import even_parts
from methodlens.records import Answer, Cell, Paper, Question, Usage

MAX_ATTEMPTS = 2
"""For a request whose result is an error or unusable. Groups are asked again in smaller ones instead."""
_PARTS = 4


class Collected(NamedTuple):
    """`cells` are decided or failed; `calls` and `used` include those of cells that are asked `again`."""

    cells: list[Cell]
    calls: list[Call]
    used: list[Usage]
    again: list[BatchItem]


def collect_item(
    reader: BatchedChatReader,
    item: BatchItem,
    paper: Paper,
    questions: Sequence[Question],
    *,
    batch_id: str,
    line: Line | None = None,
) -> Collected:
    """Without a line, the request was not made, because there was nothing to show."""
    contexts = [unpack_hits(cell.passages, paper) for cell in item.cells]
    shown = [hits[:count] for hits, count in contexts]
    answers: Sequence[Answer | ReaderFailed]
    if line is None:
        answers = [reader.read(question, paper, context) for question, context in zip(questions, shown, strict=True)]
    elif line.content is None:
        error = ReaderFailed(f"{reader.info.name}: no result from the batch: {line.problem}", "rerun to ask again")
        answers = [error] * len(item.cells)
    else:
        answers = reader.answers(line.content, questions, paper, shown)
    unusable = line is not None and line.content is not None
    again = _again(
        item, [isinstance(answer, ReaderFailed) for answer in answers], unusable=unusable, lost=bool(line and line.again)
    )
    repeated = {cell.key for one in again for cell in one.cells}
    result = Collected([], [], [], again)
    for stored, question, (hits, count), answer in zip(item.cells, questions, contexts, answers, strict=True):
        made = cell_of(AskedCell(paper, question, hits, count), reader.info, answer, seconds=0.0)
        cell = replace(made, key=stored.key)  # the settings may have changed since
        usage = cell.answer.usage
        if batch_id:
            call_id = digest([batch_id, stored.key])[:32]  # the same if a kill makes us collect it twice
            call = Call(call_id, "", item.paper, stored.question, reader.info.name, stored.key, "")
            result.calls.append(end_call(call, cell.verdict.status, usage, seconds=0.0, at=now()))
        if usage:
            result.used.append(usage)
        if stored.key not in repeated:
            result.cells.append(cell)
    return result


def _again(item: BatchItem, failed: Sequence[bool], *, unusable: bool, lost: bool) -> list[BatchItem]:
    """What to ask again. A part of a group alone, a group without any answer in smaller ones, a lost request as it was."""
    cells = [cell for cell, is_failed in zip(item.cells, failed, strict=True) if is_failed]
    if not cells or not (unusable or lost):
        return []
    if lost or len(item.cells) == 1:
        more = item.attempt < MAX_ATTEMPTS
        return [replace(item, attempt=item.attempt + 1)] if more else []
    parts = len(cells) if len(cells) < len(item.cells) else _PARTS
    return [replace(item, cells=tuple(cells[part.start : part.stop])) for part in even_parts(len(cells), parts)]
