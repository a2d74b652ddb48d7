"""Where a report keeps a paper, a question and a cell: the part of its address after the '#'. Spreadsheets link to these."""

from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from methodlens.records import PaperEntry
from methodlens.reports.plain import encodable

REPORT = "report.html"


class PaperKeys:
    """A short, lasting key for each paper: of its bytes, not of its name. The second of two papers alike gets a number.

    >>> keys = PaperKeys()
    >>> keys.of(PaperEntry("a.pdf", "0123456789abcdef")), keys.of(PaperEntry("b.pdf", "0123456789abcdef"))
    ('0123456789', '0123456789-2')
    """

    def __init__(self, papers: Iterable[PaperEntry] = ()) -> None:
        self._keys: dict[tuple[str, str], str] = {}
        self._seen: Counter[str] = Counter()
        for paper in papers:
            self.of(paper)

    def of(self, paper: PaperEntry) -> str:
        known = (paper.name, paper.sha256)
        if known not in self._keys:
            start = paper.sha256[:10] or "unread"
            self._seen[start] += 1
            self._keys[known] = start if self._seen[start] == 1 else f"{start}-{self._seen[start]}"
        return self._keys[known]


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
