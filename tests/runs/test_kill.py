"""kill -9 in the middle of a run: nothing that was stored is lost, and only calls that were under way are made again."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.runs.killing import kill_again_and_again


@pytest.mark.parametrize(
    ("kills", "questions", "workers"),
    [
        (10, 6, 1),
        pytest.param(100, 40, 1, marks=pytest.mark.long),
        pytest.param(100, 20, 2, marks=pytest.mark.long, id="in children"),
    ],
)
def test_three_readers_killed_again_and_again_lose_no_cell_and_repeat_only_calls_under_way(
    tmp_path: Path, kills: int, questions: int, workers: int
) -> None:
    def look(query: str) -> Sequence[tuple[Any, ...]]:
        path = tmp_path / "out" / "ledger.sqlite"
        if not path.is_file():
            return []
        connection = sqlite3.connect(path, timeout=30)
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError:
            return []
        finally:
            connection.close()

    kill_again_and_again(tmp_path, look, kills=kills, questions=questions, workers=workers)
