"""A page of figures as plain lines, aligned in columns."""

from collections.abc import Iterator, Sequence

from methodlens.reports.statistics.sections import (
    BarsSection,
    CurveSection,
    MatrixSection,
    Section,
    StatisticsPage,
    TableSection,
    format_number,
)
from methodlens.text.printable import one_line


def lines(page: StatisticsPage) -> Iterator[str]:
    """Bars are left out: their numbers stand in the tables."""
    yield one_line(page.title)
    yield from (one_line(text) for text in page.summary)
    for part in page.parts:
        if isinstance(part, BarsSection):
            continue
        yield ""
        yield one_line(part.title)
        yield from (f"  {line}" for line in aligned(*_table(part)))
        if part.note:
            yield f"  {one_line(part.note)}"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Names to the left, the rest to the right."""
    table = [[one_line(value) for value in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in table if column < len(row)) for column in range(len(head))]
    for row in table:
        first, *others = row
        rest = (value.rjust(width) for value, width in zip(others, widths[1:], strict=False))
        yield "  ".join([first.ljust(widths[0]), *rest]).rstrip()


def _table(part: Section) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    if isinstance(part, TableSection):
        return part.head, part.rows
    if isinstance(part, MatrixSection):
        short = [str(index) for index, _ in enumerate(part.names, 1)]
        rows = [
            (f"{index} {name}", *map(format_number, row)) for index, name, row in zip(short, part.names, part.values, strict=True)
        ]
        return ("", *short), rows
    if isinstance(part, CurveSection):
        points = [(format_number(point.x), format_number(point.y), str(point.n)) for point in part.points]
        return (part.x_label, part.y_label, "cells"), points
    return ("",), ()
