"""A page of figures, apart from how it is shown: tables, bars with intervals, a matrix of agreement, a reliability curve.

`statistics_text` prints one, `statistics_html` draws it. Whoever measures fills it in.
"""

from msgspec import Struct


class TableSection(Struct, frozen=True, tag=True):
    """The first column names the row; `wide` says that a screen may fold it away."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    folded: bool = False


class Bar(Struct, frozen=True):
    """A value with its format_interval, and marks to see it against (baselines). None is shown as undefined."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    marks: tuple[float | None, ...] = ()


class BarsSection(Struct, frozen=True, tag=True):
    """`marks` names the marks of the bars, in their order."""

    title: str
    bars: tuple[Bar, ...]
    marks: tuple[str, ...] = ()
    note: str = ""
    folded: bool = False


class MatrixSection(Struct, frozen=True, tag=True):
    """Agreement of each with each: `values[i][j]`, None where there is none."""

    title: str
    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    note: str = ""


class CurvePoint(Struct, frozen=True):
    """Said, true, and how many cells stand behind it."""

    x: float
    y: float
    n: int


class CurveSection(Struct, frozen=True, tag=True):
    title: str
    points: tuple[CurvePoint, ...]
    x_label: str
    y_label: str
    note: str = ""


Section = TableSection | BarsSection | MatrixSection | CurveSection


class StatisticsPage(Struct, frozen=True):
    title: str
    summary: tuple[str, ...]
    parts: tuple[Section, ...]


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
