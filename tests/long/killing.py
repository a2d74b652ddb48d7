"""A run with three readers that is killed with -9 again and again, whatever database holds the ledger."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.conftest import EXAMPLES
from tests.engine.serving import honest, write_settings
from tests.loopback import chat_server
from tests.waiting import wait_until

READABLE = 4  # one of the five example papers cannot be read
AT_ONCE = {"fern": 2, "moss": 1}

Look = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs a query on the ledger from outside; no rows if the kill came before the tables were created."""


def stored(look: Look) -> dict[str, str]:
    """The checksum of every cell, by cell key."""
    return dict(look("SELECT cell_key, checksum FROM answers WHERE status <> 'unreadable'"))


def kill_repeatedly(
    folder: Path,
    look: Look,
    *,
    kills: int,
    questions: int,
    papers: Path = EXAMPLES / "papers",
    readable: int = READABLE,
    options: Sequence[object] = (),
    each_time: Callable[[int], None] = lambda _: None,
) -> None:
    """Check that no stored cell is lost and that only unfinished calls are repeated.

    `each_time` is called before each start with the number of kills so far.
    """
    listed = folder / "questions.txt"
    listed.write_text("".join(f"Which hardware of kind {kind} trained the model?\n" for kind in range(questions)))
    cells = readable * questions
    before: dict[str, str] = {}
    unfinished: set[tuple[Any, ...]] = set()
    with chat_server(honest) as fern, chat_server(honest) as moss:
        servers = {"fern": fern, "moss": moss}
        tables = {name: {"base_url": server.url, "concurrency": AT_ONCE[name]} for name, server in servers.items()}
        more = ["--settings", write_settings(folder / "s.toml", **tables), "--questions", listed, *options]
        for attempt in range(kills):
            each_time(attempt)
            _kill_when_stored(_start(papers, folder / "out", more), look, cells=len(before) + 1 + attempt % 7)
            after = stored(look)
            assert before.items() <= after.items()
            before = after
            unfinished.update(look("SELECT call_id, reader FROM calls WHERE outcome = 'open'"))
        assert _start(papers, folder / "out", more).wait() == 0
        asked = {name: len(server.requests) for name, server in servers.items()}
    assert before.items() <= stored(look).items()
    assert len(stored(look)) == cells * 3
    lost = set(look("SELECT call_id, reader FROM calls WHERE outcome = 'lost'"))
    assert unfinished <= lost
    for name, at_once in AT_ONCE.items():
        lost_by_reader = sum(reader == f"chat:{name}" for _, reader in lost)
        assert asked[name] <= cells + lost_by_reader <= cells + kills * at_once, name


def _kill_when_stored(process: "subprocess.Popen[bytes]", look: Look, *, cells: int) -> None:
    """Kill the run once the ledger holds that many cells, so that the kill comes in the middle of real work."""
    wait_until(lambda: process.poll() is not None or len(stored(look)) >= cells)
    process.kill()
    process.wait()


def _start(papers: Path, out: Path, more: Sequence[object]) -> "subprocess.Popen[bytes]":
    readers = ["--reader", "embedded", *(word for name in AT_ONCE for word in ("--reader", f"chat:{name}"))]
    run = ["run", papers, "--out", out, "--workers", "1", *more, *readers]
    command = [sys.executable, "-m", "methodlens.cli.app", *map(str, run)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
