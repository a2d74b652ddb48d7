"""kill -9 in the middle of a run: nothing that was stored is lost, and the next run goes on from there."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES


def start(out: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "methodlens.cli.app", "run", str(EXAMPLES / "papers"), "--out", str(out), "--workers", "1"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stored(out: Path) -> dict[str, str]:
    """key -> checksum of every cell in the ledger, read as a stranger would."""
    if not (out / "ledger.sqlite").is_file():
        return {}
    connection = sqlite3.connect(out / "ledger.sqlite", timeout=30)
    try:
        return dict(connection.execute("SELECT cell_key, checksum FROM cells WHERE status <> 'unreadable'").fetchall())
    except sqlite3.OperationalError:  # killed before the tables were made
        return {}
    finally:
        connection.close()


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.long)])
def test_killed_again_and_again_a_run_loses_no_stored_cell_and_ends_whole(tmp_path: Path, kills: int) -> None:
    out = tmp_path / "out"
    before: dict[str, str] = {}
    for attempt in range(kills):
        process = start(out)
        # wait until it has stored something new, so that every kill comes in the middle of real work
        goal, deadline = len(before) + 1 + attempt % 7, time.monotonic() + 60
        while process.poll() is None and len(stored(out)) < goal and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL) if process.poll() is None else None
        process.wait()
        after = stored(out)
        assert before.items() <= after.items()
        before = after
    assert start(out).wait() == 0
    assert before.items() <= stored(out).items()
    assert len(stored(out)) == 4 * 28
