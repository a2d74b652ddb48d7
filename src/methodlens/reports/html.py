"""One HTML file that needs nothing else: no script, no network, all text escaped, so that nothing a paper says can act."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from methodlens.records import Evidence, Match, PaperEntry, PaperStatus, Row, Status
from methodlens.reports.assets import asset
from methodlens.reports.files import replacing
from methodlens.reports.matrix import MARKS, NOT_ASKED, Matrix, MatrixBuilder, in_words, numbers
from methodlens.reports.plain import one_line, printable
from methodlens.reports.rows import whereabouts

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def write(rows: Iterable[Row], path: Path, *, title: str, summary: Sequence[str] = ()) -> int:
    """Writes the page in one pass over the rows; returns how many there were. `summary` is shown a line each."""
    seen = MatrixBuilder()
    # What is shown of each cell, by paper and question; rendered at once because rows carry passages and are heavy
    cells: dict[tuple[str, str], dict[str, list[str]]] = {}
    count = 0
    for row in rows:
        seen.add(row)
        shown = cells.setdefault((row.paper.name, row.paper.sha256), {}).setdefault(row.question.id, [])
        # The vote leads, its readers follow
        shown.insert(0 if row.votes is not None else len(shown), _cell(row))
        count += 1
    matrix = seen.build()
    body = [
        f"<h1>{_line(title)}</h1>",
        *(f'<p class="summary">{_line(text)}</p>' for text in summary),
        _papers(matrix),
        _verdicts(matrix),
        "<h2>Answers</h2>",
        *(_answers(number, paper, matrix, cells) for number, paper in enumerate(matrix.papers, 1)),
        _questions(matrix),
    ]
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as out:
        out.write(head(title))
        out.writelines(f"{part}\n" for part in body)
        out.write("</main>\n</body>\n</html>\n")
    return count


def _line(text: str) -> str:
    return escape(one_line(text))


def _text(text: str) -> str:
    """Several lines stay several: the style says white-space: pre-line."""
    return escape(printable(text).strip())


def head(title: str, *, more_style: str = "") -> str:
    """The start of a page, up to its first heading: what it forbids itself, and the style all pages share."""
    style = asset("base.css") + more_style
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_line(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
"""


def _mark(status: Status) -> str:
    return f'<span class="mark {status.value}"><span aria-hidden="true">{MARKS[status]}</span> {in_words(status)}</span>'


# --- the overview ---------------------------------------------------------------------------------------------------


def _verdicts(matrix: Matrix) -> str:
    with_readers = len(matrix.readers) > 1
    heads = "".join(
        f'<th scope="col" title="{_line(f"{question.id}: {question.title or question.text}")}">'
        f'<a href="#q{column}">{_line(number)}</a></th>'
        for column, (number, question) in enumerate(zip(numbers(matrix.questions), matrix.questions, strict=True), 1)
    )
    rank = {paper: number for number, paper in enumerate(matrix.papers, 1)}
    lines = []
    for line in matrix.lines:
        number = rank[line.paper]
        reader = f"<td>{_line(line.reader)}</td>" if with_readers else ""
        readable = line.paper.status is PaperStatus.OK  # else the paper has one sentence for all questions
        marks = "".join(
            _verdict(status, f"#p{number}q{column}" if readable else f"#p{number}")
            for column, status in enumerate(line.statuses, 1)
        )
        lines.append(
            f'<tr><th scope="row" title="{_line(line.paper.title)}"><a href="#p{number}">{_line(line.paper.name)}</a></th>'
            f'{reader}{marks}<td class="count">{line.counts[Status.REPORTED]}</td></tr>'
        )
    reader_head = '<th scope="col">reader</th>' if with_readers else ""
    total = f'<th scope="col" title="reported">{MARKS[Status.REPORTED]}</th>'
    legend = " ".join(_mark(status) for status in Status)
    body = "\n".join(lines)
    return f"""<h2>Verdicts</h2>
<p class="legend">{legend}</p>
<div class="scroll fit"><table class="verdicts">
<thead><tr><th scope="col">paper</th>{reader_head}{heads}{total}</tr></thead>
<tbody>
{body}
</tbody></table></div>"""


def _verdict(status: Status | None, target: str) -> str:
    if status is None:
        return f'<td title="not asked">{NOT_ASKED}</td>'
    name = in_words(status)
    return f'<td class="{status.value}"><a href="{target}" title="{name}" aria-label="{name}">{MARKS[status]}</a></td>'


def _papers(matrix: Matrix) -> str:
    numbered = list(enumerate(matrix.papers, 1))
    unread = [(number, paper) for number, paper in numbered if paper.status is not PaperStatus.OK]
    count = f"{len(numbered)} paper{'' if len(numbered) == 1 else 's'}"
    parts = ["<h2>Papers</h2>"]
    if unread:
        parts.append(f"<p>{len(unread)} of {count} could not be read, and no reader was asked:</p>")
        parts.append(_paper_table(unread))
    parts.append(f"<details><summary>{'All ' if unread else ''}{count}</summary>{_paper_table(numbered)}</details>")
    return "\n".join(parts)


def _paper_table(papers: Iterable[tuple[int, PaperEntry]]) -> str:
    lines = "\n".join(
        f'<tr><td><a href="#p{number}">{_line(paper.name)}</a> <span class="title">{_line(_described(paper))}</span></td>'
        f'<td>{_status(paper)}</td><td class="count">{paper.pages or ""}</td></tr>'
        for number, paper in papers
    )
    return f"""<div class="scroll"><table class="papers">
<thead><tr><th scope="col">paper</th><th scope="col">status</th><th scope="col">pages</th></tr></thead>
<tbody>
{lines}
</tbody></table></div>"""


def _described(paper: PaperEntry) -> str:
    """Title, authors, year, DOI: as much as is known."""
    by = ", ".join(paper.authors[:3]) + (" et al." if len(paper.authors) > 3 else "")
    about = [paper.title, by, str(paper.year or ""), paper.doi]
    return ". ".join(part for part in about if part)


def _status(paper: PaperEntry) -> str:
    """What became of it, what to do about that, and what its verdicts are to be read with."""
    reason = f": {paper.reason}" if paper.reason else ""
    flags = f" ({', '.join(paper.flags)})" if paper.flags else ""
    same = f"; the same paper as {paper.duplicate_of}" if paper.duplicate_of else ""
    hidden = "".join(
        f'<br><span class="title">hidden text, p. {piece.page}, {_line(piece.why)}: “{_line(piece.text)}”</span>'
        for piece in paper.hidden
    )
    return _line(in_words(paper.status) + reason + flags + same) + hidden


def _questions(matrix: Matrix) -> str:
    items = []
    for column, (number, question) in enumerate(zip(numbers(matrix.questions), matrix.questions, strict=True), 1):
        reported = sum(line.statuses[column - 1] is Status.REPORTED for line in matrix.lines)
        name = "" if number == question.id else f" {_line(question.id)}"
        title = f" {_line(question.title)}:" if question.title else ""
        items.append(
            f'<tr id="q{column}"><td class="count">{_line(number)}</td><td>{name}{title} {_line(question.text)}</td>'
            f'<td class="count">{reported} of {len(matrix.lines)}</td></tr>'
        )
    body = "\n".join(items)
    return f"""<h2>Questions</h2>
<div class="scroll"><table>
<thead><tr><th scope="col"></th><th scope="col">question</th><th scope="col">reported</th></tr></thead>
<tbody>
{body}
</tbody></table></div>"""


# --- the answers ----------------------------------------------------------------------------------------------------


def _answers(number: int, paper: PaperEntry, matrix: Matrix, cells: dict[tuple[str, str], dict[str, list[str]]]) -> str:
    of_paper = cells[(paper.name, paper.sha256)]
    title = f' <span class="title">{_line(paper.title)}</span>' if paper.title else ""
    parts = [f'<details class="paper" id="p{number}"><summary>{_line(paper.name)}{title}</summary>']
    if paper.status is not PaperStatus.OK:
        # One sentence says it for every question
        parts.append(f"<p>{_mark(Status.UNREADABLE)} {_status(paper)}</p>")
    else:
        for column, question in enumerate(matrix.questions, 1):
            if question.id in of_paper:
                heading = f"{_line(question.id)} {_line(question.title or question.text)}"
                parts.append(f'<section id="p{number}q{column}"><h3>{heading}</h3>')
                parts += of_paper[question.id]
                parts.append("</section>")
    parts.append("</details>")
    return "\n".join(parts)


def _cell(row: Row) -> str:
    cell, answer = row.cell, row.cell.answer
    by = f'<span class="reader">{_line(cell.reader)}</span>'
    model = f' <span class="reader">({_line(cell.model)})</span>' if cell.model and cell.model != cell.reader else ""
    chance = "" if answer.p_reported is None else f' <span class="reader">p = {answer.p_reported:.2f}</span>'
    parts = [f'<div class="cell"><p>{_mark(cell.verdict.status)} {by}{model}{chance}</p>']
    if row.votes:
        votes = ", ".join(f"{_line(reader)}: {in_words(status)}" for reader, status in row.votes.items())
        parts.append(f'<p class="reason">{votes}</p>')
    if cell.verdict.reason:
        parts.append(f'<p class="reason">{_line(cell.verdict.reason)}</p>')
    if answer.text:
        parts.append(f'<p class="answer">{_text(answer.text)}</p>')
    parts += map(_quote, answer.evidence)
    parts.append("</div>")
    return "".join(parts)


def _quote(evidence: Evidence) -> str:
    kind = ' class="absent"' if evidence.match is Match.ABSENT else ""
    return f"<blockquote{kind}><bdi>{_line(evidence.quote)}</bdi> <cite>{whereabouts(evidence)}</cite></blockquote>"
