"""kill -9 in the middle of a run: no stored cell is lost, and only unfinished calls are repeated."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthetic import fill
from tests.long.killing import kill_repeatedly

pytestmark = pytest.mark.long


def test_a_run_with_three_readers_killed_100_times_loses_no_cell_and_repeats_only_unfinished_calls(tmp_path: Path) -> None:
    kill_repeatedly(tmp_path, partial(look, tmp_path / "out" / "ledger.sqlite"), kills=100, questions=40)


def test_a_run_with_child_processes_killed_100_times_loses_no_cell_and_repeats_only_unfinished_calls(tmp_path: Path) -> None:
    papers, ledger = tmp_path / "papers", tmp_path / "out" / "ledger.sqlite"
    fill(papers, 12)
    kill_repeatedly(
        tmp_path, partial(look, ledger), kills=100, questions=20, papers=papers, readable=12, options=["--workers", 2]
    )


def look(path: Path, query: str) -> Sequence[tuple[Any, ...]]:
    """No rows if the kill came before the tables were created."""
    if not path.is_file():
        return []
    connection = sqlite3.connect(path, timeout=30)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError as err:
        if "no such table" not in str(err):
            raise
        return []
    finally:
        connection.close()
