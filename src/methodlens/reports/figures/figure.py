"""A figure as data: a plot, the table behind it, and a caption."""

from collections.abc import Sequence
from typing import NamedTuple

from methodlens.reports.formats.csv_tables import encode_lines
from methodlens.reports.statistics.shapes import Plot

Value = str | int | float | None


class Table(NamedTuple):
    head: Sequence[str]
    rows: Sequence[Sequence[Value]]


class Figure(NamedTuple):
    """`caption` says what is shown and how it was computed; `figure_set` adds the run."""

    name: str
    plot: Plot
    table: Table
    caption: str


class Skipped(NamedTuple):
    """A figure for which the run has no data, and why."""

    name: str
    reason: str


def table_csv(table: Table) -> bytes:
    return b"".join(encode_lines([table.head, *table.rows]))


def rounded(value: float) -> float | None:
    """For tables: four digits, None (an empty cell) if undefined."""
    return None if value != value else round(value, 4)
