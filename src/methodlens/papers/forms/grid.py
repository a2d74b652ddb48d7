"""The rows of a marked-up table as a grid: cells that span rows or columns are repeated in each."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from methodlens.papers.forms.limits import MAX_COLUMNS, MAX_ROWS


class MarkedCell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1


def grid(rows: Iterable[Sequence[MarkedCell]]) -> list[list[str]]:
    """
    >>> grid([[MarkedCell("a", rows=2), MarkedCell("b")], [MarkedCell("c")]])
    [['a', 'b'], ['a', 'c']]
    """
    result: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # by column: further rows that a cell from above fills
    for cells in rows:
        if len(result) >= MAX_ROWS:
            break
        row: list[str] = []
        waiting = list(reversed(cells))
        while (waiting or len(row) in hanging) and len(row) < MAX_COLUMNS:
            if len(row) in hanging:
                left, text = hanging.pop(len(row))
                if left > 1:
                    hanging[len(row)] = (left - 1, text)
                row.append(text)
                continue
            cell = waiting.pop()
            for _ in range(max(1, min(cell.columns, MAX_COLUMNS - len(row)))):
                if cell.rows > 1:
                    hanging[len(row)] = (min(cell.rows, MAX_ROWS) - 1, cell.text)
                row.append(cell.text)
        result.append(row)
    return result


def span(value: str | None) -> int:
    """The number in a colspan or rowspan, 1 if there is none.

    >>> span("3"), span(None), span("0x7f")
    (3, 1, 1)
    """
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 5 and int(value) else 1
