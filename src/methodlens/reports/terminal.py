"""Verdicts in a terminal of 80 columns: one line per paper, one character per question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from methodlens.records import PaperStatus, Row, Status
from methodlens.reports.verdict_matrix import MARKS, NOT_ASKED, Matrix, MatrixLine, matrix, question_labels, status_label
from methodlens.text.printable import one_line

_GROUP = 5
_MOST_MARKS = 40  # more do not fit next to a name; the counts still do
_COLOURS = {
    Status.REPORTED: "bright_blue",
    Status.NOT_REPORTED: "yellow",
    Status.WITHHELD: "magenta",
    Status.FAILED: "bold red",
    Status.UNREADABLE: "dim",
}
_TITLE_COLUMNS, _TITLE_WIDTH = 2, 40
_COUNTED = (Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD, Status.FAILED)


class _Charset(NamedTuple):
    """The characters that a console can show."""

    marks: Mapping[Status, str]
    not_asked: str
    ascii_only: bool

    def mark(self, status: Status | None) -> str:
        return self.marks[status] if status else self.not_asked

    def show(self, text: str) -> str:
        line = one_line(text)
        return line.encode("ascii", "replace").decode() if self.ascii_only else line


_UTF8 = _Charset(MARKS, NOT_ASKED, ascii_only=False)
_ASCII = _Charset(
    {**MARKS, Status.REPORTED: "+", Status.NOT_REPORTED: "o", Status.UNREADABLE: "-"}, not_asked=".", ascii_only=True
)


def verdict_table(rows: Iterable[Row], *, ascii_only: bool = False, most: int | None = None) -> Table:
    """A coloured table of the first `most` papers. Use `ascii_only` if the console's encoding is not UTF-8."""
    verdicts, charset = matrix(rows, most=most), _ASCII if ascii_only else _UTF8
    with_readers = len(verdicts.readers) > 1
    with_marks = len(verdicts.questions) <= _MOST_MARKS
    table = Table(
        box=box.ASCII if ascii_only else box.SIMPLE_HEAD,
        caption=_legend(verdicts, charset, with_marks=with_marks),
        caption_justify="left",
        caption_style="",
    )
    table.add_column("paper")  # the only column that may wrap, so that rich shrinks this one; see `_shortened`
    if with_readers:
        table.add_column("reader", no_wrap=True, max_width=14)
    if with_marks:
        # Text, here and below: "[bold]x[/].pdf" is a file name, not markup
        table.add_column(Text(column_heads(question_labels(verdicts.questions))), no_wrap=True)
    for status in _COUNTED:
        table.add_column(Text(charset.mark(status), _COLOURS[status]), justify="right", no_wrap=True)
    for line in verdicts.lines:
        cells = [_shortened(line.paper.name, charset)]
        cells += [_shortened(line.reader, charset)] if with_readers else []
        cells += [_coloured_marks(line, charset)] if with_marks else []
        cells += [Text(str(line.counts[status])) for status in _COUNTED]
        table.add_row(*cells)
    return table


def plain_lines(rows: Iterable[Row], *, ascii_only: bool = False, most: int | None = None) -> list[str]:
    """One line per paper, for logs and pipes: '8.pdf (vote): 20 reported, 7 not reported, 1 withheld  ●●●●● ○●…'.

    The last lines explain the marks and name the questions.
    """
    charset = _ASCII if ascii_only else _UTF8
    verdicts = matrix(rows, most=most)
    lines = []
    for line in verdicts.lines:
        name = f"{charset.show(line.paper.name)} ({charset.show(line.reader)})"
        if line.paper.status is PaperStatus.OK:
            counts = ", ".join(f"{line.counts[status]} {status_label(status)}" for status in Status if line.counts[status])
            marks = " ".join(_groups([charset.mark(status) for status in line.statuses]))
            lines.append(f"{name}: {counts}  {marks}")
        else:
            lines.append(f"{name}: unreadable, {status_label(line.paper.status)}: {charset.show(line.paper.reason)}")
    if verdicts.lines:
        lines.append(f"marks: {', '.join(f'{mark} {meaning}' for mark, meaning, _ in _marks_used(verdicts, charset))}")
        lines.append(f"questions: {'; '.join(_titles(verdicts, charset))}")
    return lines


def column_heads(labels: Sequence[str]) -> str:
    """Labels set vertically, in groups of five like the marks below them.

    >>> print(column_heads(["8", "9", "10", "11", "12", "13"]))
      111 1
    89012 3
    """
    height = max(map(len, labels), default=1)
    padded = [label.rjust(height) for label in labels]
    return "\n".join(" ".join(_groups([label[row] for label in padded])).rstrip() for row in range(height))


def _groups(characters: Sequence[str]) -> list[str]:
    return ["".join(characters[start : start + _GROUP]) for start in range(0, len(characters), _GROUP)]


def _shortened(text: str, charset: _Charset) -> Text:
    """Always one line. rich marks a shortened text with "…", which ASCII lacks."""
    return Text(charset.show(text), no_wrap=True, overflow="crop" if charset.ascii_only else "ellipsis")


def _coloured_marks(line: MatrixLine, charset: _Charset) -> Text:
    text = Text()
    for index, status in enumerate(line.statuses):
        text.append(" " if index and index % _GROUP == 0 else "")
        text.append(charset.mark(status), style=_COLOURS[status] if status else "dim")
    return text


def _marks_used(verdicts: Matrix, charset: _Charset) -> Iterator[tuple[str, str, str]]:
    """Each mark with its meaning and its colour."""
    present = {status for line in verdicts.lines for status in line.statuses}
    for status in (status for status in Status if status in present):
        yield charset.mark(status), status_label(status), _COLOURS[status]
    if None in present:
        yield charset.not_asked, "not asked", "dim"


def _titles(verdicts: Matrix, charset: _Charset) -> list[str]:
    """The questions by the labels of their columns: '20 Training hardware'."""
    labelled = zip(question_labels(verdicts.questions), verdicts.questions, strict=True)
    return [f"{label} {charset.show(question.title or question.id)}" for label, question in labelled]


def _legend(verdicts: Matrix, charset: _Charset, *, with_marks: bool) -> Text:
    text = Text()
    for mark, meaning, colour in _marks_used(verdicts, charset):
        text.append(mark, style=colour).append(f" {meaning}  ")
    if not with_marks:
        return text.append(f"\n{len(verdicts.questions)} questions are too many to show one by one here; see the report.")
    titles = _titles(verdicts, charset)
    height = -(-len(titles) // _TITLE_COLUMNS)
    for row in range(height):
        columns = [title[: _TITLE_WIDTH - 2].ljust(_TITLE_WIDTH) for title in titles[row::height]]
        text.append("\n" + "".join(columns).rstrip())
    return text
