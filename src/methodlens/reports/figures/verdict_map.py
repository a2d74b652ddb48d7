"""The matrix of papers and questions. A large corpus is summed up by how many questions a paper reports."""

from collections import Counter
from collections.abc import Iterator, Sequence

from methodlens.records import PaperEntry, Status
from methodlens.reports.figures.axes import LegendItem, Square, baseline, crosses, legend, percent, square_mark, squares
from methodlens.reports.figures.corpus_counts import MOST_LINES, CorpusCounts, PaperLine
from methodlens.reports.figures.figure import Figure, Skipped, Table, rounded
from methodlens.reports.figures.shares import question_name
from methodlens.reports.figures.style import PAGE, SMALL, tint
from methodlens.reports.figures.text_width import fitted, text_width, widest
from methodlens.reports.statistics.shapes import Plot, Shape, rect, text
from methodlens.reports.verdict_matrix import status_label

_MOST_NAME = 110.0
_TOTALS = 34.0
_MOST_HEAD = 110.0  # height of the names of questions
_MOST_HEIGHT = 560.0
_MARKED = (Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD)


def verdict_map(counts: CorpusCounts) -> Figure | Skipped:
    if not counts.papers:
        return Skipped("matrix", "no paper was assessed")
    order = sorted(range(len(counts.questions)), key=lambda index: -counts.share(index).value if counts.share(index).n else 1.0)
    heads = [question_name(counts.questions[index]) for index in order]
    if counts.lines is None:
        return _summed_up(counts, order, heads)
    lines = sorted(counts.lines, key=lambda each: (-each.statuses.count(Status.REPORTED), each.paper.name))
    table = Table(
        ("paper", "title", "year", *(question.id for question in counts.questions)),
        [
            (each.paper.name, each.paper.title, each.paper.year, *(status.value if status else None for status in each.statuses))
            for each in lines
        ],
    )
    caption = (
        "Verdict on each paper (rows) and question (columns): filled squares are reported, empty ones not reported, small "
        "orange ones withheld, crosses failed. Papers and questions are ordered by how much is reported; the numbers at the "
        "right are the questions that a paper reports."
    )
    return Figure("matrix", _map_plot(lines, order, heads), table, caption)


def paper_labels(papers: Sequence[PaperEntry]) -> list[str]:
    """'Moreau 2021', 'Lind 2020a' and 'Lind 2020b', or the name of the file.

    >>> paper_labels([PaperEntry("a.pdf", "1", authors=("Ada Moreau",), year=2021), PaperEntry("b.pdf", "2")])
    ['Moreau 2021', 'b']
    """
    labels = [_paper_label(paper) for paper in papers]
    total, seen = Counter(labels), Counter[str]()
    distinct = []
    for label in labels:
        seen[label] += 1
        distinct.append(f"{label}{_letter(seen[label])}" if total[label] > 1 else label)
    return distinct


def _paper_label(paper: PaperEntry) -> str:
    first = paper.authors[0] if paper.authors else ""
    family = first.partition(",")[0] if "," in first else first.split()[-1] if first.split() else ""
    return f"{family} {paper.year}" if family and paper.year else paper.name.rpartition(".")[0] or paper.name


def _letter(number: int) -> str:
    """
    >>> _letter(2), _letter(30)
    ('b', '-30')
    """
    return chr(ord("a") + number - 1) if number <= 26 else f"-{number}"


class _Frame:
    """The cells of a matrix with the names of its questions above."""

    def __init__(self, names: Sequence[str], heads: Sequence[str]) -> None:
        self.heads = heads
        self.left = widest(names, _MOST_NAME, SMALL) + 6
        self.top = widest(heads, _MOST_HEAD, SMALL) + 8
        self.cell = min((PAGE - self.left - _TOTALS) / len(heads), 12.0, _MOST_HEIGHT / len(names))
        self.size = min(SMALL, self.cell)
        self.right = self.left + self.cell * len(heads)
        self.bottom = self.top + self.cell * len(names)
        self.names = names

    def middle(self, row: int) -> float:
        return self.top + self.cell * (row + 0.5)

    def centre(self, column: int) -> float:
        return self.left + self.cell * (column + 0.5)

    def labels(self, totals: Sequence[str]) -> Iterator[Shape]:
        """The names of the columns and rows, and a total at the end of each row."""
        for column, head in enumerate(self.heads):
            name = fitted(head, self.top - 8, self.size)
            yield self._text(baseline(self.centre(column), self.size), self.top - 4, name, "start", title=head, upwards=True)
        for row, (name, total) in enumerate(zip(self.names, totals, strict=True)):
            y = baseline(self.middle(row), self.size)
            yield self._text(self.left - 4, y, fitted(name, self.left - 6, self.size), "end", title=name)
            yield self._text(self.right + 4, y, total, "start")

    def _text(self, x: float, y: float, words: str, anchor: str, *, title: str = "", upwards: bool = False) -> Shape:
        shape = text(x, y, words, anchor, css="small", title="" if title == words else title, upwards=upwards)
        return shape._replace(attributes={**shape.attributes, "font-size": round(self.size, 1)})


def _map_plot(lines: Sequence[PaperLine], order: Sequence[int], heads: Sequence[str]) -> Plot:
    frame = _Frame(paper_labels([each.paper for each in lines]), heads)
    shapes = list(frame.labels([str(each.statuses.count(Status.REPORTED)) for each in lines]))
    places: dict[Status, list[Square]] = {status: [] for status in Status}
    for row, each in enumerate(lines):
        for column, question in enumerate(order):
            if status := each.statuses[question]:
                width = (frame.cell - 1.6) * (0.6 if status is Status.WITHHELD else 1)
                places[status].append((frame.centre(column) - width / 2, frame.middle(row) - width / 2, width))
    for status in _MARKED:
        shapes += squares(places[status], css=status.value)
    shapes += crosses(places[Status.FAILED], css="failed")
    marks = [
        LegendItem(status_label(status), square_mark(status.value, 3 if status is Status.WITHHELD else 5)) for status in _MARKED
    ]
    if places[Status.FAILED]:
        marks.append(LegendItem("failed", lambda x, y: crosses([(x, y - 2.5, 5)], css="failed")))
    shapes += legend(frame.left, frame.bottom + 8, marks)
    return Plot("Papers and questions", PAGE, frame.bottom + 15, shapes)


def _summed_up(counts: CorpusCounts, order: Sequence[int], heads: Sequence[str]) -> Figure:
    """Rows are the papers that report the same number of questions."""
    rows = [number for number in range(len(order), -1, -1) if counts.papers_by_reported[number]]
    shares = {
        number: [int(counts.by_reported[number][question]) / int(counts.papers_by_reported[number]) for question in order]
        for number in rows
    }
    table = Table(
        ("questions_reported", "papers", *(counts.questions[index].id for index in order)),
        [(number, int(counts.papers_by_reported[number]), *map(rounded, shares[number])) for number in rows],
    )
    caption = (
        f"What papers report, by how much they report. With more than {MOST_LINES} papers, a row stands for the papers that "
        "report the same number of questions (left; how many papers these are: right); the darker a cell, the larger the "
        "share of them that reports the question. Questions are ordered by how often they are reported. 'methodlens export "
        "--format csv --table verdicts' lists each paper."
    )
    frame = _Frame([f"{number} of {len(order)} reported" for number in rows], heads)
    shapes = list(frame.labels([f"n = {counts.papers_by_reported[number]}" for number in rows]))
    for row, number in enumerate(rows):
        for column, share in enumerate(shares[number]):
            x, y = frame.left + frame.cell * column, frame.top + frame.cell * row
            shapes.append(_shade(x, y, frame.cell, share, title=f"{heads[column]}: {percent(share)}"))
    shapes += _shade_key(frame.left, frame.bottom + 5)
    return Figure("matrix", Plot("Papers and questions", PAGE, frame.bottom + 16, shapes), table, caption)


def _shade(x: float, y: float, side: float, share: float, *, title: str = "") -> Shape:
    shape = rect(x, y, side - 0.6, side - 0.6, css="shade")
    shape.attributes["fill"] = tint(share)
    return shape._replace(title=title)


def _shade_key(x: float, y: float) -> Iterator[Shape]:
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield _shade(x, y, 7, share)
        yield text(x + 9, y + 5.5, percent(share), "start", css="small")
        x += 13 + text_width(percent(share), SMALL)
