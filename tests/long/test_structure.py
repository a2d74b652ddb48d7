"""Authors and headings in the layouts of many journals (benchmarks/structure.py)."""

from pathlib import Path

import pytest

from benchmarks.journal_pages import write_papers
from benchmarks.structure import add_up, measure
from methodlens.papers import WorkerPool

pytestmark = pytest.mark.long


def test_nearly_all_authors_and_headings_are_found_and_few_that_are_none(pool: WorkerPool, tmp_path: Path) -> None:
    shares = add_up([measure(wanted, pool.parse(wanted.path))[0] for wanted in write_papers(tmp_path)])
    authors, top, below, precise = (right / count for right, count in shares.values())
    assert authors >= 0.9
    assert top >= 0.9
    assert below >= 0.7
    assert precise >= 0.95
