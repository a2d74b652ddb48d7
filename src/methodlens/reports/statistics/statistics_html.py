"""A page of figures as one HTML file: no script, no network, all text escaped, plots as SVG inside it."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from methodlens.reports.output_files import atomic_path
from methodlens.reports.statistics import svg
from methodlens.reports.statistics.sections import BarsSection, CurveSection, MatrixSection, Section, StatisticsPage, TableSection
from methodlens.reports.statistics.shell import head
from methodlens.text.printable import one_line


def write(page: StatisticsPage, path: Path) -> None:
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as out:
        out.write(head(page.title, "plots"))
        out.writelines(f"{line}\n" for line in _body(page))
        out.write("</main>\n</body>\n</html>\n")


def _body(page: StatisticsPage) -> Iterator[str]:
    yield f"<h1>{_line(page.title)}</h1>"
    yield from (f'<p class="summary">{_line(text)}</p>' for text in page.summary)
    for part in page.parts:
        shown = _shown(part)
        note = f'<p class="reason">{_line(part.note)}</p>' if part.note else ""
        if isinstance(part, TableSection | BarsSection) and part.folded:
            yield f"<details><summary>{_line(part.title)}</summary>\n{shown}\n{note}</details>"
        else:
            yield f"<h2>{_line(part.title)}</h2>\n{shown}\n{note}"


def _shown(part: Section) -> str:
    match part:
        case TableSection():
            return _table(part)
        case BarsSection():
            legend = "".join(
                f'<span class="mark"><span aria-hidden="true">{sign}</span> {_line(name)}</span>'
                for sign, name in zip("▼◆", part.marks, strict=False)
            )
            return f'<div class="scroll fit">{svg.bars(part)}</div>' + (f'<p class="legend">{legend}</p>' if legend else "")
        case MatrixSection():
            return f'<div class="scroll fit">{svg.matrix(part)}</div>'
        case CurveSection():
            return f'<div class="scroll fit">{svg.curve(part)}</div>'


def _table(part: TableSection) -> str:
    heads = "".join(f'<th scope="col">{_line(name)}</th>' for name in part.head)
    rows = "\n".join(map(_row, part.rows))
    return f"""<div class="scroll fit"><table class="figures">
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody></table></div>"""


def _row(row: tuple[str, ...]) -> str:
    cells = "".join(f'<td class="count">{_line(value)}</td>' for value in row[1:])
    return f'<tr><th scope="row">{_line(row[0])}</th>{cells}</tr>'


def _line(text: str) -> str:
    return escape(one_line(text))
