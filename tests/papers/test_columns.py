"""Pages in columns are read column by column, also where the file draws them line by line across the page."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from methodlens.papers import WorkerPool
from tests.papers.typeset import SENTENCES

TOP, FOOT = 700.0, 90.0


class Block(NamedTuple):
    """Text in lines of one width, from the top down, that ends at `foot`."""

    x: float
    top: float
    width: float
    foot: float
    size: float = 10.0
    start: str = ""

    def lines(self, first: int) -> list[tuple[float, float, float, str]]:
        text = self.start + " ".join(
            f"({first + n}) {SENTENCES[(first + n) % len(SENTENCES)]}" for n in range(1 + int((self.top - self.foot) / 12))
        )
        room = int((self.top - self.foot) / (1.2 * self.size))
        printed = simpleSplit(text, "Times-Roman", self.size, self.width)[:room]
        return [(self.x, self.top - 1.2 * self.size * row, self.size, line) for row, line in enumerate(printed)]


def two(top: float = TOP, foot: float = FOOT, gutter: float = 20) -> list[Block]:
    width = (500 - gutter) / 2
    return [Block(50, top, width, foot), Block(50 + width + gutter, top, width, foot)]


LAYOUTS: dict[str, list[Block]] = {
    "two columns": two(),
    "a narrow gutter": two(gutter=9),
    "three columns": [Block(50 + 170 * n, TOP, 155, FOOT) for n in range(3)],
    "three columns with narrow gutters": [Block(50 + 168 * n, TOP, 158, FOOT, 9) for n in range(3)],
    "a wide abstract": [Block(50, TOP, 500, 600), *two(top=580)],
    "a wide abstract with a margin": [Block(90, TOP, 420, 600, 9), *two(top=580)],
    "a caption across both columns": [*two(foot=480), Block(50, 300, 500, 260, 9, "Figure 1. "), *two(top=240)],
    "a sidebar": [Block(50, TOP, 110, 400, 7, "Cite as: "), Block(180, TOP, 370, FOOT)],
    "a note under one column": [Block(50, TOP, 240, 160), Block(50, 140, 240, FOOT, 7, "1 "), Block(310, TOP, 240, FOOT)],
    "columns of different widths": [Block(50, TOP, 300, FOOT), Block(370, TOP, 180, FOOT)],
    "columns of different heights": [Block(50, TOP, 240, FOOT), Block(310, 400, 240, FOOT)],
}
Line = tuple[float, float, float, str]
ORDERS: dict[str, Callable[[Sequence[Line]], list[Line]]] = {
    "as read": list,
    "line by line": lambda lines: sorted(lines, key=lambda line: (-round(line[1]), line[0])),
    "last column first": lambda lines: sorted(lines, key=lambda line: (-line[0], -line[1])),
}


def draw(path: Path, blocks: Sequence[Block], order: str) -> tuple[Path, list[list[str]]]:
    """A page with the blocks, and the words of each."""
    printed = [block.lines(100 * number) for number, block in enumerate(blocks, 1)]
    canvas = Canvas(str(path), pagesize=(600, 800), invariant=1)
    for x, y, size, text in ORDERS[order]([line for lines in printed for line in lines]):
        canvas.setFont("Times-Roman", size)
        canvas.drawString(x, y, text)
    canvas.save()
    return path, [" ".join(line[3] for line in lines).split() for lines in printed]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_block_of_a_page_is_read_whole_and_in_order(pool: WorkerPool, tmp_path: Path, layout: str, order: str) -> None:
    path, blocks = draw(tmp_path / "a.pdf", LAYOUTS[layout], order)
    text = " ".join(pool.parse(path).text.split())
    for words in blocks:
        assert " ".join(words) in text
    starts = [text.index(" ".join(words)) for words in blocks if words[0] not in ("1", "Cite", "Figure")]
    assert starts == sorted(starts)
