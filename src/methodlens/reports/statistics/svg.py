"""Plots as SVG shapes, which `statistics.html.j2` draws: no script, no fonts, no network.

Colours are variables of the stylesheet, so plots follow the light and the dark scheme; every value is also printed or in a
tooltip.
"""

from collections.abc import Iterator

from methodlens.reports.statistics.sections import Bar, BarsSection, CurveSection, MatrixSection, Section, format_number
from methodlens.reports.statistics.shapes import WIDTH, Plot, Shape, circle, line, points, rect, shortened, text

_ROW = 18
_LABELS = 62  # width of the labels of bars
_VALUES = 40  # width of the values of bars
_TOP = 20
_CELL = 34
_NAMES = 104  # width of the names of a matrix
_SIDE = 230  # of the square of a curve
_MIN_GAP = 0.15  # between tick labels


def plot(section: Section) -> Plot | None:
    """The plot of a section; None for a table."""
    match section:
        case BarsSection():
            return _bars(section)
        case MatrixSection():
            return _matrix(section)
        case CurveSection():
            return _curve(section)
        case _:
            return None


def _bars(section: BarsSection) -> Plot:
    """One row per bar: a whisker for the interval, a triangle or a diamond for each mark, the value at the end."""
    least = min([0.0, *(value for bar in section.bars for value in (bar.low, bar.value) if value is not None)])
    least = max(-1.0, -(-least * 10 // 1) / 10) if least < 0 else 0.0
    height = _TOP + _ROW * len(section.bars) + 6
    shapes = []
    for tick in sorted({least, 0.0, 0.5, 1.0}):
        x = _bar_x(tick, least)
        shapes.append(line(x, _TOP - 4, x, height - 6, css="zero" if tick == 0 else "grid"))
        if not -_MIN_GAP < tick < 0:  # its label would overlap that of zero
            shapes.append(text(x, 12, format_number(tick, 1), "middle"))
    for row, bar in enumerate(section.bars):
        shapes += _bar(bar, _TOP + _ROW * row, least)
    return Plot(section.title, WIDTH, height, shapes)


def _bar(bar: Bar, top: float, least: float) -> Iterator[Shape]:
    middle = top + _ROW / 2
    yield text(_LABELS - 6, middle + 4, shortened(bar.label, 9), "end", title=bar.label)
    yield text(WIDTH - 2, middle + 4, format_number(bar.value), "end")
    if bar.value is not None:
        zero, end = _bar_x(0, least), _bar_x(bar.value, least)
        yield rect(min(zero, end), top + 3, round(abs(end - zero), 1), _ROW - 6, css="bar")
    if bar.low is not None and bar.high is not None:
        low, high = _bar_x(bar.low, least), _bar_x(bar.high, least)
        yield line(low, middle, high, middle, css="whisker")
        yield from (line(x, middle - 3, x, middle + 3, css="whisker") for x in (low, high))
    for index, mark in enumerate(bar.marks):
        if mark is not None:
            x = _bar_x(mark, least)
            triangle = ((x, middle - 1), (x - 4, middle - 8), (x + 4, middle - 8))
            diamond = ((x, middle - 4), (x + 4, middle), (x, middle + 4), (x - 4, middle))
            yield Shape("polygon", {"class": "base", "points": points(diamond if index else triangle)})


def _bar_x(value: float, least: float) -> float:
    share = (max(least, min(1.0, value)) - least) / (1 - least)
    return round(_LABELS + (WIDTH - _LABELS - _VALUES) * share, 1)


def _matrix(section: MatrixSection) -> Plot:
    size = len(section.names)
    shapes = [text(_NAMES + _CELL * (column + 0.5), 13, str(column + 1), "middle") for column in range(size)]
    for row, (name, values) in enumerate(zip(section.names, section.values, strict=True)):
        y, middle = _TOP + _CELL * row, _TOP + _CELL * (row + 0.5) + 4
        shapes.append(text(_NAMES - 6, middle, f"{shortened(name, 17)} {row + 1}", "end", title=name))
        for column, (other, value) in enumerate(zip(section.names, values, strict=True)):
            x = _NAMES + _CELL * column
            if row == column:
                shapes.append(rect(x + 1, y + 1, _CELL - 2, _CELL - 2, css="same"))
                continue
            cell = rect(x + 1, y + 1, _CELL - 2, _CELL - 2, css="heat")
            cell.attributes["fill-opacity"] = round(0.0 if value is None or value != value else max(0.0, min(1.0, value)), 2)
            shapes.append(cell._replace(title=f"{name}, {other}: {format_number(value, 3)}"))
            shapes.append(text(x + _CELL / 2, middle, format_number(value), "middle"))
    return Plot(section.title, max(WIDTH, _NAMES + _CELL * size + 8), _TOP + _CELL * size + 4, shapes)


def _curve(section: CurveSection) -> Plot:
    """The diagonal is perfect calibration; the area of a point grows with its number of cells."""
    left, top = 52, 12
    most = max((point.n for point in section.points), default=1)

    def place(x: float, y: float) -> tuple[float, float]:
        return round(left + _SIDE * x, 1), round(top + _SIDE * (1 - y), 1)

    shapes = [rect(left, top, _SIDE, _SIDE, css="frame"), line(*place(0, 0), *place(1, 1), css="ideal")]
    for tick in (0.0, 0.5, 1.0):
        x, y = place(tick, 0)
        shapes.append(text(x, y + 14, format_number(tick, 1), "middle"))
        x, y = place(0, tick)
        shapes.append(text(x - 6, y + 4, format_number(tick, 1), "end"))
    places = [place(point.x, point.y) for point in section.points]
    shapes.append(Shape("polyline", {"class": "curve", "points": points(places)}))
    for (x, y), point in zip(places, section.points, strict=True):
        title = f"predicted {format_number(point.x)}, observed {format_number(point.y)}, {point.n} cells"
        radius = 2.5 + 6 * (point.n / most) ** 0.5
        shapes.append(circle(x, y, radius, css="spot", title=title))
    shapes.append(text(left + _SIDE / 2, top + _SIDE + 30, section.x_label, "middle"))
    shapes.append(text(left, top + _SIDE + 46, f"vertical axis: {section.y_label}", "start"))
    return Plot(section.title, WIDTH, top + _SIDE + 54, shapes)
