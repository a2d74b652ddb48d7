"""A page of statistics as data: tables, bars with intervals, agreement matrices, reliability curves.

Fill in a `StatisticsPage`; `statistics_output` prints it as text or writes it as HTML. Every section has a title and a note,
and can be folded in HTML.
"""

from msgspec import Struct


class TableSection(Struct, frozen=True):
    """The first column names the row."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    folded: bool = False


class Bar(Struct, frozen=True):
    """A value with its interval, and marks to compare it with (baselines). None is undefined."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    marks: tuple[float | None, ...] = ()


class BarsSection(Struct, frozen=True):
    """`marks` names the marks of the bars, in the same order (at most two)."""

    title: str
    bars: tuple[Bar, ...]
    marks: tuple[str, ...] = ()
    note: str = ""
    folded: bool = False


class MatrixSection(Struct, frozen=True):
    """Pairwise agreement: `values[i][j]`, None where it is undefined."""

    title: str
    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    note: str = ""
    folded: bool = False


class CurvePoint(Struct, frozen=True):
    """Mean predicted probability, observed share, and the number of cells."""

    x: float
    y: float
    n: int


class CurveSection(Struct, frozen=True):
    title: str
    points: tuple[CurvePoint, ...]
    x_label: str
    y_label: str
    note: str = ""
    folded: bool = False


Section = TableSection | BarsSection | MatrixSection | CurveSection


class StatisticsPage(Struct, frozen=True):
    title: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]


def format_number(value: float | None, places: int = 2) -> str:
    """
    >>> format_number(0.6931), format_number(None), format_number(-0.001)
    ('0.69', '–', '0.00')
    """
    if value is None or value != value:
        return "–"
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def format_interval(value: float | None, low: float | None, high: float | None) -> str:
    """
    >>> format_interval(0.5, 0.4, 0.6)
    '0.50 [0.40, 0.60]'
    """
    shown = format_number(value)
    return shown if low is None or high is None else f"{shown} [{format_number(low)}, {format_number(high)}]"
