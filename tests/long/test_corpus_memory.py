"""What an export takes in memory: papers are read one at a time, so many take hardly more than few."""

import gc
import tracemalloc
from collections.abc import Callable, Iterable
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO, cast

import pytest
from msgspec.structs import replace

from methodlens.questions import load
from methodlens.records import Paper, PaperEntry, Row
from methodlens.reports import jsonl, table_csv
from methodlens.runs import board
from methodlens.runs.ledger import Ledger, Run
from tests.runs.test_ledger import CELL

pytestmark = pytest.mark.long
FEW, MANY, PER_PAPER = 500, 2000, 1000  # bytes a paper may add


class Nowhere(RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        return len(cast(bytes, data))


def filled(folder: Path, papers: int) -> None:
    """Each paper with a text of its own and 28 cells."""
    questions = load("dl-methods").questions
    names = tuple(f"{number:05}.pdf" for number in range(papers))
    run = Run(id="r" * 64, sources=("/papers",), questions=questions, readers=("embedded",), papers=papers)
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(run, names)
        for number, name in enumerate(names):
            text = f"We trained network {number} on a barge. " * 1000
            paper = Paper(sha256=f"{number:064}", parser="p-1", title=f"On barge {number}", text=text)
            entry = PaperEntry(name, paper.sha256, title=paper.title, doi=f"10.1000/{number}", text_sha256=paper.sha256, pages=9)
            cells = [
                replace(CELL, key=f"{number:050}{index:014}", paper_sha256=paper.sha256, question=question.id)
                for index, question in enumerate(questions)
            ]
            ledger.keep_all(run.id, entry, paper, cells)
        ledger.end(run.id)


def peak(folder: Path, write: Callable[[Iterable[Row], BinaryIO], int], cells: int) -> int:
    with Ledger.at(folder) as ledger:
        run = board.latest(ledger)
        gc.collect()
        tracemalloc.start()
        try:
            assert write(board.rows(ledger, run), cast(BinaryIO, Nowhere())) == cells
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def test_an_export_of_2000_papers_takes_hardly_more_memory_than_one_of_500(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for papers in (FEW, MANY):
        filled(tmp_path / str(papers), papers)
    for write in (jsonl.write, table_csv.write):
        few, many = (peak(tmp_path / str(papers), write, papers * 28) for papers in (FEW, MANY))
        with capsys.disabled():
            each = (many - few) / (MANY - FEW)
            print(
                f"\n{write.__module__}: {few / 1e6:.1f} MB for {FEW} papers, {many / 1e6:.1f} MB for {MANY}: {each:.0f} B a paper"
            )
        assert many - few < PER_PAPER * (MANY - FEW)
