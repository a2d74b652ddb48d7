"""kill -9 in the middle of a run: nothing that was stored is lost, and only calls that were under way are made again."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.synthetic import fill
from tests.conftest import EXAMPLES
from tests.loopback import chat_server
from tests.runs.serving import honest, write_settings

AT_ONCE = {"fern": 2, "moss": 1}


def start(papers: Path, out: Path, settings: Path, questions: Path, workers: int) -> "subprocess.Popen[bytes]":
    readers = ["--reader", "embedded", *(word for name in AT_ONCE for word in ("--reader", f"chat:{name}"))]
    run = ["run", papers, "--out", out, "--workers", workers, "--settings", settings, "--questions", questions, *readers]
    command = [sys.executable, "-m", "methodlens.cli.app", *map(str, run)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def look(out: Path, query: str) -> list[tuple[str, ...]]:
    """The ledger as a stranger reads it; nothing if the kill came before the tables."""
    if not (out / "ledger.sqlite").is_file():
        return []
    connection = sqlite3.connect(out / "ledger.sqlite", timeout=30)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def stored(out: Path) -> dict[str, str]:
    """key -> checksum of every cell."""
    return dict(look(out, "SELECT cell_key, checksum FROM cells WHERE status <> 'unreadable'"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kills", "count", "workers"),
    [
        (10, 6, 1),
        pytest.param(100, 40, 1, marks=pytest.mark.long),
        pytest.param(100, 20, 2, marks=pytest.mark.long, id="in children"),
    ],
)
def test_three_readers_killed_again_and_again_lose_no_cell_and_repeat_only_calls_under_way(
    tmp_path: Path, kills: int, count: int, workers: int
) -> None:
    papers, readable = EXAMPLES / "papers", 4  # one of the five cannot be read
    if workers > 1:
        papers, readable = tmp_path / "papers", 12  # enough for children
        fill(papers, readable)
    out, questions = tmp_path / "out", tmp_path / "questions.txt"
    questions.write_text("".join(f"Which hardware of kind {kind} trained the model?\n" for kind in range(count)))
    cells = readable * count
    before: dict[str, str] = {}
    allowed = dict.fromkeys(AT_ONCE, cells)
    with chat_server(honest) as fern, chat_server(honest) as moss:
        servers = {"fern": fern, "moss": moss}
        tables = {name: {"base_url": server.url, "concurrency": AT_ONCE[name]} for name, server in servers.items()}
        settings = write_settings(tmp_path / "s.toml", **tables)
        for attempt in range(kills):
            process = start(papers, out, settings, questions, workers)
            # wait until it has stored something new, so that every kill comes in the middle of real work
            goal, deadline = len(before) + 1 + attempt % 7, time.monotonic() + 60
            while process.poll() is None and len(stored(out)) < goal and time.monotonic() < deadline:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL) if process.poll() is None else None
            process.wait()
            after = stored(out)
            assert before.items() <= after.items()
            before = after
            for (reader,) in look(out, "SELECT reader FROM calls WHERE outcome = 'open'"):
                allowed[reader.removeprefix("chat:")] += 1
        assert start(papers, out, settings, questions, workers).wait() == 0
        asked = {name: len(server.requests) for name, server in servers.items()}
    assert before.items() <= stored(out).items()
    assert len(stored(out)) == cells * 3
    assert all(asked[name] <= allowed[name] for name in AT_ONCE), (asked, allowed)
    assert all(allowed[name] <= cells + kills * AT_ONCE[name] for name in AT_ONCE)
    lost = look(out, "SELECT count(*) FROM calls WHERE outcome = 'lost'")
    assert sum(allowed.values()) == 2 * cells + int(lost[0][0])
