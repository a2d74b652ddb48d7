"""Verdicts in a terminal: a line a paper, a character a question, for eighty columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from methodlens.records import PaperStatus, Row, Status
from methodlens.reports.verdict_matrix import MARKS, NOT_ASKED, Matrix, MatrixLine, matrix, question_labels, status_label
from methodlens.text.printable import one_line

_GROUP = 5
_MOST_MARKS = 40  # more do not fit beside a name; the counts still do
_COLOURS = {
    Status.REPORTED: "bright_blue",
    Status.NOT_REPORTED: "yellow",
    Status.WITHHELD: "magenta",
    Status.FAILED: "bold red",
    Status.UNREADABLE: "dim",
}
_COUNTED = (Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD, Status.FAILED)


class _Alphabet(NamedTuple):
    """The characters a console can show."""

    marks: Mapping[Status, str]
    not_asked: str
    ascii_only: bool

    def mark(self, status: Status | None) -> str:
        return self.marks[status] if status else self.not_asked

    def show(self, text: str) -> str:
        plain = one_line(text)
        return plain.encode("ascii", "replace").decode() if self.ascii_only else plain


_UTF8 = _Alphabet(MARKS, NOT_ASKED, ascii_only=False)
_ASCII = _Alphabet(
    {**MARKS, Status.REPORTED: "+", Status.NOT_REPORTED: "o", Status.UNREADABLE: "-"}, not_asked=".", ascii_only=True
)


def verdict_table(rows: Iterable[Row], *, ascii_only: bool = False, most: int | None = None) -> Table:
    """`ascii_only` is for consoles that do not speak UTF-8: `not console.encoding.startswith("utf")`. `most`: so many papers."""
    found, letters = matrix(rows, most=most), _ASCII if ascii_only else _UTF8
    with_readers = len(found.readers) > 1
    with_marks = len(found.questions) <= _MOST_MARKS
    table = Table(
        box=box.ASCII if ascii_only else box.SIMPLE_HEAD,
        caption=_legend(found, letters, with_marks=with_marks),
        caption_justify="left",
        caption_style="",
    )
    table.add_column("paper")  # the one column that gives way, because it alone may wrap; see `_shortened`
    if with_readers:
        table.add_column("reader", no_wrap=True, max_width=14)
    if with_marks:
        # Text, here and below: a paper called "[bold]x[/].pdf" has a name, not markup
        table.add_column(Text(heads(question_labels(found.questions))), no_wrap=True)
    for status in _COUNTED:
        table.add_column(Text(letters.mark(status), _COLOURS[status]), justify="right", no_wrap=True)
    for line in found.lines:
        cells = [_shortened(line.paper.name, letters)]
        cells += [_shortened(line.reader, letters)] if with_readers else []
        cells += [_coloured(line, letters)] if with_marks else []
        cells += [Text(str(line.counts[status])) for status in _COUNTED]
        table.add_row(*cells)
    return table


def plain_lines(rows: Iterable[Row], *, ascii_only: bool = False, most: int | None = None) -> list[str]:
    """A line a paper, for logs and pipes: '8.pdf (vote): 20 reported, 7 not reported, 1 withheld  ●●●●● ○●…'."""
    letters = _ASCII if ascii_only else _UTF8
    lines = []
    for line in matrix(rows, most=most).lines:
        who = f"{letters.show(line.paper.name)} ({letters.show(line.reader)})"
        if line.paper.status is PaperStatus.OK:
            counts = ", ".join(f"{line.counts[status]} {status_label(status)}" for status in Status if line.counts[status])
            marks = " ".join(_groups([letters.mark(status) for status in line.statuses]))
            lines.append(f"{who}: {counts}  {marks}")
        else:
            lines.append(f"{who}: unreadable, {status_label(line.paper.status)}: {letters.show(line.paper.reason)}")
    return lines


def heads(labels: Sequence[str]) -> str:
    """Numbers set upright, one digit a line, in groups of five as the marks below them.

    >>> print(heads(["8", "9", "10", "11", "12", "13"]))
      111 1
    89012 3
    """
    height = max(map(len, labels), default=1)
    upright = [label.rjust(height) for label in labels]
    return "\n".join(" ".join(_groups([label[place] for label in upright])).rstrip() for place in range(height))


def _groups(characters: Sequence[str]) -> list[str]:
    return ["".join(characters[at : at + _GROUP]) for at in range(0, len(characters), _GROUP)]


def _shortened(text: str, letters: _Alphabet) -> Text:
    """On one line, however narrow; rich ends a shortened text with "…", which ASCII lacks."""
    return Text(letters.show(text), no_wrap=True, overflow="crop" if letters.ascii_only else "ellipsis")


def _coloured(line: MatrixLine, letters: _Alphabet) -> Text:
    text = Text()
    for index, status in enumerate(line.statuses):
        text.append(" " if index and index % _GROUP == 0 else "")
        text.append(letters.mark(status), style=_COLOURS[status] if status else "dim")
    return text


def _legend(found: Matrix, letters: _Alphabet, *, with_marks: bool) -> Text:
    present = {status for line in found.lines for status in line.statuses}
    text = Text()
    for status in (status for status in Status if status in present):
        text.append(letters.mark(status), style=_COLOURS[status]).append(f" {status_label(status)}  ")
    if None in present:
        text.append(letters.not_asked, style="dim").append(" not asked")
    labels = question_labels(found.questions)
    if not with_marks:
        text.append(f"\n{len(labels)} questions are too many to show one by one here; the reports have each.")
    elif not all(question.id.endswith(label) for question, label in zip(found.questions, labels, strict=True)):
        ids = (f"{label} {letters.show(question.id)}" for question, label in zip(found.questions, labels, strict=True))
        text.append("\n" + "  ".join(ids))
    return text
