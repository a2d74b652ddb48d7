"""A large run, written to the ledger without reading any paper."""

import hashlib
from pathlib import Path

from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.questions import load
from methodlens.records import Answer, Cell, Hit, Page, Paper, PaperEntry, Passage, Status, Verdict
from tests.web.conftest import write_pdf

READERS = ("heron", "stoat")
# the status that a reader gives depends on the numbers of the paper and the question
_STATUSES = (Status.REPORTED, Status.REPORTED, Status.NOT_REPORTED, Status.REPORTED, Status.WITHHELD, Status.NOT_REPORTED)


def large_run(folder: Path, papers: int, *, questions: int = 28, with_pdf: int = 0) -> Run:
    """`with_pdf` is the number, from 1, of the only paper that has a PDF."""
    asked = load("dl-methods").questions[:questions]
    names = [f"paper-{number:05}.pdf" for number in range(1, papers + 1)]
    run = Run("d" * 64, (str(folder / "papers"),), asked, READERS, papers)
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(run, names)
        for number, name in enumerate(names, 1):
            text = f"We trained the network of barge {number} in the harbour."
            sha256 = hashlib.sha256(name.encode()).hexdigest()
            if number == with_pdf:
                (folder / "papers").mkdir()
                sha256 = hashlib.sha256(write_pdf(folder / "papers" / name, [text]).read_bytes()).hexdigest()
            paper = Paper(sha256, "p-1", text=text, pages=(Page(1, 600, 600),))
            entry = PaperEntry(name, sha256, title=f"Counting gulls from barge {number}", text_sha256=sha256, pages=1)
            hits = (Hit(Passage(0, len(text), 1, "methods", text), 1.0),)
            cells = [
                Cell(f"{number:020}{index:020}{reader:>24}", sha256, question.id, reader, "m", verdict, Answer(""), hits)
                for index, question in enumerate(asked)
                for reader, verdict in zip(READERS, _verdicts(number, index), strict=True)
            ]
            ledger.keep_result(run.id, result_of(entry, paper, cells))
        ledger.end(run.id)
    return run


def _verdicts(paper: int, question: int) -> tuple[Verdict, Verdict]:
    """On every tenth paper, both readers report everything."""
    number = paper + question * 7 if paper % 10 else 0
    return Verdict(_STATUSES[number % len(_STATUSES)]), Verdict(_STATUSES[(number + 1) % len(_STATUSES)])
