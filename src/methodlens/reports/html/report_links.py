"""Where a report keeps a paper, a question and a cell: the part of its address after the '#'. Spreadsheets link to these."""

from collections import Counter
from urllib.parse import quote

from methodlens.records import PaperEntry
from methodlens.text.printable import encodable

REPORT = "report.html"


class PaperKeys:
    """A short, lasting key for each paper: of its bytes, not of its name. The second of two papers alike gets a number.

    Asked paper by paper, as often as need be for the one at hand: of those before only the beginnings of their hashes are kept.

    >>> keys = PaperKeys()
    >>> keys.of(PaperEntry("a.pdf", "0123456789abcdef")), keys.of(PaperEntry("b.pdf", "0123456789abcdef"))
    ('0123456789', '0123456789-2')
    """

    def __init__(self) -> None:
        self._paper: tuple[str, str] | None = None
        self._key = ""
        self._seen: set[str] = set()
        self._again: Counter[str] = Counter()

    def of(self, paper: PaperEntry) -> str:
        if self._paper != (paper.name, paper.sha256):
            self._paper = (paper.name, paper.sha256)
            self._key = self._next(paper.sha256[:10] or "unread")
        return self._key

    def _next(self, start: str) -> str:
        if start not in self._seen:
            self._seen.add(start)
            return start
        self._again[start] += 1
        return f"{start}-{self._again[start] + 1}"


def cell_address(paper_key: str, question: str = "") -> str:
    """
    >>> cell_address("0123456789", "CQ20")
    '#/paper/0123456789/CQ20'
    """
    return f"#/paper/{paper_key}" + (f"/{_part(question)}" if question else "")


def question_address(question: str) -> str:
    return f"#/question/{_part(question)}"


def _part(id: str) -> str:
    return quote(encodable(id), safe="")
