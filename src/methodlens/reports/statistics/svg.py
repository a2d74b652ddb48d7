"""Plots as SVG, drawn by hand: no script, no fonts, no network. 360 wide, so that a phone shows them as they are.

Every colour is a variable of the page's style, so they follow light and dark; every value can be read without colour.
"""

from collections.abc import Iterator, Sequence
from html import escape

from methodlens.reports.statistics.sections import Bar, BarsSection, CurveSection, MatrixSection, format_number
from methodlens.text.printable import one_line

WIDTH = 360
_ROW = 18
_GUTTER = 62  # for the names of bars
_RIGHT = 40  # for their values
_TOP = 20
_CELL = 34
_NAME = 104  # for the names of a matrix
_SIDE = 230  # of the square of a curve
_LONGEST = 17
_CLOSE = 0.15


def bars(part: BarsSection) -> str:
    """A bar a row, a whisker for the interval, a triangle or a diamond for each mark, the value in words at the end."""
    least = min([0.0, *(low for bar in part.bars for low in (bar.low, bar.value) if low is not None)])
    least = max(-1.0, -(-least * 10 // 1) / 10) if least < 0 else 0.0
    height = _TOP + _ROW * len(part.bars) + 6
    body = [*_axis(least, height)]
    for index, bar in enumerate(part.bars):
        body += _bar(bar, _TOP + _ROW * index, least)
    return _svg(WIDTH, height, part.title, body)


def matrix(part: MatrixSection) -> str:
    size = len(part.names)
    width, height = max(WIDTH, _NAME + _CELL * size + 8), _TOP + _CELL * size + 4
    body = [_text(_NAME + _CELL * (column + 0.5), 13, str(column + 1), "middle") for column in range(size)]
    for row, (name, values) in enumerate(zip(part.names, part.values, strict=True)):
        middle = _TOP + _CELL * (row + 0.5) + 4
        body.append(_text(_NAME - 6, middle, f"{_short(name)} {row + 1}", "end", title=name))
        for column, value in enumerate(values):
            x, y = _NAME + _CELL * column, _TOP + _CELL * row
            if row == column:
                body.append(f'<rect class="same" x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_CELL - 2}"/>')
                continue
            strength = 0.0 if value is None or value != value else max(0.0, min(1.0, value))
            body.append(
                f'<rect class="heat" x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_CELL - 2}" '
                f'fill-opacity="{strength:.2f}"><title>{escape(f"{_plain(name)}, {_plain(part.names[column])}")}: '
                f"{format_number(value, 3)}</title></rect>"
            )
            body.append(_text(x + _CELL / 2, middle, format_number(value), "middle"))
    return _svg(width, height, part.title, body)


def curve(part: CurveSection) -> str:
    """The diagonal is what it should be; a point's area grows with its cells."""
    left, top = 52, 12
    most = max((point.n for point in part.points), default=1)

    def place(x: float, y: float) -> tuple[float, float]:
        return round(left + _SIDE * x, 1), round(top + _SIDE * (1 - y), 1)

    body = [f'<rect class="frame" x="{left}" y="{top}" width="{_SIDE}" height="{_SIDE}"/>']
    body.append(_line(*place(0, 0), *place(1, 1), kind="ideal"))
    for tick in (0.0, 0.5, 1.0):
        x, y = place(tick, 0)
        body.append(_text(x, y + 14, format_number(tick, 1), "middle"))
        x, y = place(0, tick)
        body.append(_text(x - 6, y + 4, format_number(tick, 1), "end"))
    spots = [place(point.x, point.y) for point in part.points]
    body.append(f'<polyline class="curve" points="{" ".join(f"{x},{y}" for x, y in spots)}"/>')
    for (x, y), point in zip(spots, part.points, strict=True):
        said = f"{format_number(point.x)} said, {format_number(point.y)} true, {point.n} cells"
        radius = 2.5 + 6 * (point.n / most) ** 0.5
        body.append(f'<circle class="spot" cx="{x}" cy="{y}" r="{radius:.1f}"><title>{said}</title></circle>')
    body.append(_text(left + _SIDE / 2, top + _SIDE + 30, part.x_label, "middle"))
    body.append(_text(left, top + _SIDE + 46, f"up: {part.y_label}", "start"))
    return _svg(WIDTH, top + _SIDE + 54, part.title, body)


# --- pieces ---------------------------------------------------------------------------------------------------------


def _axis(least: float, height: float) -> Iterator[str]:
    for tick in sorted({least, 0.0, 0.5, 1.0}):
        x = _at(tick, least)
        yield _line(x, _TOP - 4, x, height - 6, kind="zero" if tick == 0 else "grid")
        if not -_CLOSE < tick < 0:  # its number would stand on that of zero
            yield _text(x, 12, format_number(tick, 1), "middle")


def _bar(bar: Bar, top: float, least: float) -> Iterator[str]:
    middle = top + _ROW / 2
    yield _text(_GUTTER - 6, middle + 4, _short(bar.label, 9), "end", title=bar.label)
    yield _text(WIDTH - 2, middle + 4, format_number(bar.value), "end")
    if bar.value is not None:
        zero, end = _at(0, least), _at(bar.value, least)
        left, width = min(zero, end), abs(end - zero)
        yield f'<rect class="bar" x="{left:.1f}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}"/>'
    if bar.low is not None and bar.high is not None:
        yield _line(_at(bar.low, least), middle, _at(bar.high, least), middle, kind="whisker")
        for end in (bar.low, bar.high):
            yield _line(_at(end, least), middle - 3, _at(end, least), middle + 3, kind="whisker")
    for index, mark in enumerate(bar.marks):
        if mark is not None:
            yield _mark(_at(mark, least), middle, index)


def _mark(x: float, y: float, index: int) -> str:
    """The first kind is a triangle above, the second a diamond."""
    shape = [(x, y - 1), (x - 4, y - 8), (x + 4, y - 8)] if index == 0 else [(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y)]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in shape)
    return f'<polygon class="base" points="{points}"/>'


def _at(value: float, least: float) -> float:
    share = (max(least, min(1.0, value)) - least) / (1 - least)
    return round(_GUTTER + (WIDTH - _GUTTER - _RIGHT) * share, 1)


def _line(x0: float, y0: float, x1: float, y1: float, *, kind: str) -> str:
    return f'<line class="{kind}" x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}"/>'


def _text(x: float, y: float, text: str, anchor: str, *, title: str = "") -> str:
    hint = f"<title>{escape(_plain(title))}</title>" if title else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(_plain(text))}{hint}</text>'


def _svg(width: float, height: float, title: str, body: Sequence[str]) -> str:
    """Plots wider than a phone keep their size and scroll."""
    kind = "plot" if width <= WIDTH else "plot wide"
    label = escape(_plain(title))
    drawn = "\n".join(body)
    return (
        f'<svg class="{kind}" role="img" aria-label="{label}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}">\n{drawn}\n</svg>'
    )


def _short(name: str, longest: int = _LONGEST) -> str:
    plain = _plain(name)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def _plain(text: str) -> str:
    return one_line(text)
