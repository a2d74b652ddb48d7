"""What is known about readers before a run: from the cells and calls of a ledger, or from assumptions and a shipped table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from methodlens.evaluation.comparison import Stored
from methodlens.ledger.calls import Call, Outcome
from methodlens.records import Cell, CellRef
from methodlens.settings import CascadeSettings
from methodlens.verdicts.cascade import doubt
from methodlens.verdicts.judge import MAX_P_NOT_REPORTED, MIN_P_REPORTED

LEAST_CELLS = 30
"""With fewer answers or labels, the assumption is used."""
BINS = 20
_VERDICT_BAND = CascadeSettings(low=MAX_P_NOT_REPORTED, high=MIN_P_REPORTED, fact_confidence=0.0)


class Doubt(Struct, frozen=True):
    """Shares of all cells: `sure` of the first reader, `right_sure` those and right; `decided` and `right` without a cascade."""

    sure: float
    right_sure: float
    decided: float
    right: float


class ReaderFigures(Struct, frozen=True):
    """Per call of a reader. `right` is the share of its answers that are right, `in_doubt` that would go on to the next reader.

    `assumed` names the figures that are assumptions, because the ledger has too few answers.
    """

    tokens_in: float
    tokens_out: float
    seconds: float
    right: float
    in_doubt: float
    cost: float | None = None
    assumed: tuple[str, ...] = ()


class QuestionTable(Struct, frozen=True):
    """How many gold cells of a question have a probability in each twentieth from 0 to 1, and in doubt for other reasons."""

    p: tuple[int, ...]
    other_doubt: int = 0


def embedded_doubt(cells: Iterable[Cell], settings: CascadeSettings) -> Doubt:
    """From cells with calibrated probabilities: one with p = 0.9 is right with probability 0.9."""
    read = [cell for cell in cells if cell.answer.p_reported is not None]
    if not read:
        return Doubt(0.0, 0.0, 0.0, 0.0)
    sure = [_certainty(cell) for cell in read if not doubt(cell, (), settings)]
    decided = [_certainty(cell) for cell in read if cell.verdict.status.reported is not None]
    n = len(read)
    return Doubt(len(sure) / n, sum(sure) / n, len(decided) / n, sum(decided) / n)


def table_doubt(questions: Sequence[str], settings: CascadeSettings) -> tuple[Doubt, list[str]]:
    """From the shipped table, and the questions that it lacks: for these the mean of the others is used."""
    table = shipped_table()
    missing = [question for question in questions if question not in table]
    known = [table[question] for question in questions if question in table] or list(table.values())
    parts = [_from_table(row, settings) for row in known]
    means = (sum(getattr(part, name) for part in parts) / len(parts) for name in Doubt.__struct_fields__)
    return Doubt(*means), missing


def tabulate(cells: Iterable[Cell]) -> dict[str, QuestionTable]:
    """The table of these cells, by question; `benchmarks/plans.py` writes the shipped one."""
    table: dict[str, QuestionTable] = {}
    for cell in cells:
        p = cell.answer.p_reported
        if p is None:
            continue
        row = table.setdefault(cell.question, QuestionTable((0,) * BINS))
        place = min(int(p * BINS), BINS - 1)
        counts = tuple(count + (number == place) for number, count in enumerate(row.p))
        other = bool(doubt(cell, (), CascadeSettings())) and not _VERDICT_BAND.low < p < _VERDICT_BAND.high
        table[cell.question] = QuestionTable(counts, row.other_doubt + other)
    return table


@cache
def shipped_table() -> Mapping[str, QuestionTable]:
    path = resources.files("methodlens.evaluation") / "data" / "embedded-doubt.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, QuestionTable])


def figures(
    reader: str,
    assumed: ReaderFigures,
    *,
    stored: Stored,
    calls: Iterable[Call],
    truth: Mapping[CellRef, bool],
    settings: CascadeSettings,
) -> ReaderFigures:
    """`assumed`, with everything replaced that the ledger has enough answers for."""
    known = assumed
    ended = [call for call in calls if call.reader == reader and call.outcome is Outcome.ANSWERED and call.requests]
    if len(ended) >= LEAST_CELLS:
        costs = [call.cost for call in ended if call.cost is not None]
        known = replace(
            known,
            tokens_in=_mean(call.tokens_in for call in ended),
            tokens_out=_mean(call.tokens_out for call in ended),
            seconds=_mean(call.seconds for call in ended),
            cost=_mean(costs) if costs else known.cost,
            assumed=tuple(name for name in known.assumed if name not in ("tokens", "seconds")),
        )
    cells = {ref: by_reader[reader] for ref, by_reader in stored.items() if reader in by_reader}
    if len(cells) >= LEAST_CELLS:
        doubtful = _mean(bool(doubt(cell, (), settings)) for cell in cells.values())
        known = replace(known, in_doubt=doubtful, assumed=tuple(name for name in known.assumed if name != "in_doubt"))
    judged = [truth[ref] is cell.verdict.status.reported for ref, cell in cells.items() if ref in truth]
    if len(judged) >= LEAST_CELLS:
        known = replace(known, right=_mean(judged), assumed=tuple(name for name in known.assumed if name != "right"))
    return known


def _certainty(cell: Cell) -> float:
    p = cell.answer.p_reported or 0.0
    return p if cell.verdict.status.reported else 1 - p


def _from_table(row: QuestionTable, settings: CascadeSettings) -> Doubt:
    total = sum(row.p)
    middles = [((number + 0.5) / BINS, count) for number, count in enumerate(row.p)]
    kept = 1 - row.other_doubt / max(1, total)

    def outside(low: float, high: float) -> Iterator[tuple[float, int]]:
        return ((max(p, 1 - p), count) for p, count in middles if not low < p < high)

    sure = list(outside(settings.low, settings.high))
    decided = list(outside(_VERDICT_BAND.low, _VERDICT_BAND.high))
    return Doubt(
        kept * sum(count for _, count in sure) / total,
        kept * sum(certainty * count for certainty, count in sure) / total,
        sum(count for _, count in decided) / total,
        sum(certainty * count for certainty, count in decided) / total,
    )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
