"""A page of statistics as plain text for terminals, and as one HTML file without scripts."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from methodlens.reports.html.assets import render, stylesheet
from methodlens.reports.output_files import atomic_path
from methodlens.reports.statistics.sections import (
    BarsSection,
    CurveSection,
    MatrixSection,
    StatisticsPage,
    TableSection,
    format_number,
)
from methodlens.reports.statistics.svg import plot
from methodlens.text.printable import one_line


def write_html(page: StatisticsPage, path: Path) -> None:
    html = render("statistics.html.j2", page=page, plot=plot, style=stylesheet("base", "plots"))
    with atomic_path(path) as draft:
        draft.write_text(html, encoding="utf-8", newline="\n")


def text_lines(page: StatisticsPage) -> Iterator[str]:
    """Tables in aligned columns. Bars are left out: the tables have their numbers."""
    yield one_line(page.title)
    yield from map(one_line, page.summary)
    for section in page.sections:
        if isinstance(section, BarsSection):
            continue
        yield ""
        yield one_line(section.title)
        yield from (f"  {line}" for line in _aligned(*_table(section)))
        if section.note:
            yield f"  {one_line(section.note)}"


def _table(section: TableSection | MatrixSection | CurveSection) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    match section:
        case TableSection():
            return section.head, section.rows
        case MatrixSection():
            numbered = enumerate(zip(section.names, section.values, strict=True), 1)
            rows = [(f"{number} {name}", *map(format_number, values)) for number, (name, values) in numbered]
            return ("", *(str(number) for number in range(1, len(rows) + 1))), rows
        case CurveSection():
            points = [(format_number(point.x), format_number(point.y), str(point.n)) for point in section.points]
            return (section.x_label, section.y_label, "cells"), points


def _aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first column flush left, the others flush right."""
    table = [[one_line(value) for value in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in table if column < len(row)) for column in range(len(head))]
    for first, *others in table:
        cells = (value.rjust(width) for value, width in zip(others, widths[1:], strict=False))
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
