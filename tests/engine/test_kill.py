"""kill -9 in the middle of a run: nothing that was stored is lost, and only calls that were under way are made again."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthetic import fill
from tests.engine.killing import kill_again_and_again


@pytest.mark.parametrize(("kills", "questions"), [(10, 6), pytest.param(100, 40, marks=pytest.mark.long)])
def test_three_readers_killed_again_and_again_lose_no_cell_and_repeat_only_calls_under_way(
    tmp_path: Path, kills: int, questions: int
) -> None:
    kill_again_and_again(tmp_path, partial(look, tmp_path / "out" / "ledger.sqlite"), kills=kills, questions=questions)


@pytest.mark.long
def test_so_it_is_with_papers_enough_for_children_to_do_them(tmp_path: Path) -> None:
    papers, ledger = tmp_path / "papers", tmp_path / "out" / "ledger.sqlite"
    fill(papers, 12)
    kill_again_and_again(
        tmp_path, partial(look, ledger), kills=100, questions=20, papers=papers, readable=12, options=["--workers", 2]
    )


def look(path: Path, query: str) -> Sequence[tuple[Any, ...]]:
    if not path.is_file():
        return []
    connection = sqlite3.connect(path, timeout=30)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()
