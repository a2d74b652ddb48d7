"""The memory of the review room does not grow with the corpus: it holds pages of papers and windows of queues."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from methodlens.ledger.store import Ledger
from methodlens.records import Annotation, Status
from methodlens.web.http.downloads import Download, cells
from methodlens.web.review.queues import Queue
from methodlens.web.review.reviewer import Reviewer
from methodlens.web.review.room import Room
from tests.web.corpus import large_run

pytestmark = pytest.mark.long
FEW, MANY, PER_PAPER = 1500, 3000, 1000  # bytes that each further paper may need; even FEW has more pages than are cached
ANN = Reviewer("ann")


def peaks(folder: Path) -> dict[str, int]:
    """Peak memory per action, in one room with its caches."""
    found = {}
    with Ledger.at(folder) as ledger:
        room = Room(ledger)
        run = room.existing_run()
        last = -(-run.papers // 500)

        def decide() -> None:
            ref = room.next_cell(Queue.UNSEEN, ANN, seed=7)
            assert ref
            room.cell(*ref, ANN)
            room.annotate(Annotation(*ref, "ann", Status.REPORTED, at=""), ANN)
            assert room.queue(Queue.UNSEEN, ANN, seed=7).left == run.papers * 28 - 1
            assert room.next_cell(Queue.ALL, ANN, seed=7, after=ref)

        def export() -> None:
            assert isinstance(cells(ledger, run, "jsonl"), Download)
            assert sum(1 for _ in room.annotations(ANN)) == 1

        for what, do in {
            "the matrix": lambda: room.matrix(ANN),
            "its last page": lambda: room.matrix(ANN, page=last),
            "a search": lambda: room.matrix(ANN, find="barge 99"),
            "the queues": lambda: room.queues(ANN.queues, ANN, seed=7),
            "a cell, decided, and the next": decide,
            "agreement": lambda: room.agreement(ANN),
            "an export begun": export,
        }.items():
            gc.collect()
            tracemalloc.start()
            try:
                do()
                found[what] = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
    return found


def test_a_room_with_3000_papers_needs_no_more_memory_than_one_with_1500(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for papers in (FEW, MANY):
        large_run(tmp_path / str(papers), papers)
    few, many = (peaks(tmp_path / str(papers)) for papers in (FEW, MANY))
    with capsys.disabled():
        for what, size in many.items():
            each = (size - few[what]) / (MANY - FEW)
            print(
                f"\n{what}: {few[what] / 1e6:.1f} MB for {FEW} papers, {size / 1e6:.1f} MB for {MANY}: {each:.0f} B per paper",
                end="",
            )
        print()
    for what, size in many.items():
        assert size < 30e6, what
        assert size - few[what] < PER_PAPER * (MANY - FEW), what
