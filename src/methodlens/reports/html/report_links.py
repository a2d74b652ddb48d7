"""Addresses inside a report: the fragment after '#' for a paper, a question or a cell. Spreadsheets link to them."""

from collections import Counter
from urllib.parse import quote

from methodlens.records import PaperEntry
from methodlens.text.printable import encodable

REPORT = "report.html"


class PaperKeys:
    """Short, stable keys for papers, from their content; a second paper with the same content gets a number.

    Papers must come one after the other. Only the keys of earlier papers are remembered.

    >>> keys = PaperKeys()
    >>> keys.of(PaperEntry("a.pdf", "0123456789abcdef")), keys.of(PaperEntry("b.pdf", "0123456789abcdef"))
    ('0123456789', '0123456789-2')
    """

    def __init__(self) -> None:
        self._paper: tuple[str, str] | None = None
        self._key = ""
        self._seen: Counter[str] = Counter()

    def of(self, paper: PaperEntry) -> str:
        if self._paper != (paper.name, paper.sha256):
            self._paper = (paper.name, paper.sha256)
            start = paper.sha256[:10] or "unread"
            self._seen[start] += 1
            self._key = start if self._seen[start] == 1 else f"{start}-{self._seen[start]}"
        return self._key


def cell_address(paper_key: str, question: str = "") -> str:
    """
    >>> cell_address("0123456789", "CQ20")
    '#/paper/0123456789/CQ20'
    """
    return f"#/paper/{paper_key}" + (f"/{_escape(question)}" if question else "")


def question_address(question: str) -> str:
    return f"#/question/{_escape(question)}"


def _escape(id: str) -> str:
    return quote(encodable(id), safe="")
