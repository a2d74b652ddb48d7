"""A run with three readers, killed with -9 again and again: what must hold wherever the ledger is kept."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.conftest import EXAMPLES
from tests.engine.serving import honest, write_settings
from tests.loopback import chat_server

READABLE = 4  # one of the five example papers cannot be read
AT_ONCE = {"fern": 2, "moss": 1}

Look = Callable[[str], Sequence[tuple[Any, ...]]]
"""The ledger as a stranger reads it; nothing if the kill came before the tables."""


def stored(look: Look) -> dict[str, str]:
    """key -> checksum of every cell."""
    return dict(look("SELECT cell_key, checksum FROM cells WHERE status <> 'unreadable'"))


def kill_again_and_again(
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
    """No stored cell is lost, no call is repeated but those under way. `each_time`: before a start, with the kills so far."""
    listed = folder / "questions.txt"
    listed.write_text("".join(f"Which hardware of kind {kind} trained the model?\n" for kind in range(questions)))
    cells = readable * questions
    before: dict[str, str] = {}
    allowed = dict.fromkeys(AT_ONCE, cells)
    with chat_server(honest) as fern, chat_server(honest) as moss:
        servers = {"fern": fern, "moss": moss}
        tables = {name: {"base_url": server.url, "concurrency": AT_ONCE[name]} for name, server in servers.items()}
        more = ["--settings", write_settings(folder / "s.toml", **tables), "--questions", listed, *options]
        for attempt in range(kills):
            each_time(attempt)
            process = _start(papers, folder / "out", more)
            # wait until it has stored something new, so that every kill comes in the middle of real work
            goal, deadline = len(before) + 1 + attempt % 7, time.monotonic() + 60
            while process.poll() is None and len(stored(look)) < goal and time.monotonic() < deadline:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL) if process.poll() is None else None
            process.wait()
            after = stored(look)
            assert before.items() <= after.items()
            before = after
            for (reader,) in look("SELECT reader FROM calls WHERE outcome = 'open'"):
                allowed[reader.removeprefix("chat:")] += 1
        assert _start(papers, folder / "out", more).wait() == 0
        asked = {name: len(server.requests) for name, server in servers.items()}
    assert before.items() <= stored(look).items()
    assert len(stored(look)) == cells * 3
    assert all(asked[name] <= allowed[name] for name in AT_ONCE), (asked, allowed)
    assert all(allowed[name] <= cells + kills * AT_ONCE[name] for name in AT_ONCE)
    ((lost,),) = look("SELECT count(*) FROM calls WHERE outcome = 'lost'")
    assert sum(allowed.values()) == 2 * cells + lost


def _start(papers: Path, out: Path, more: Sequence[object]) -> "subprocess.Popen[bytes]":
    readers = ["--reader", "embedded", *(word for name in AT_ONCE for word in ("--reader", f"chat:{name}"))]
    run = ["run", papers, "--out", out, "--workers", "1", *more, *readers]
    command = [sys.executable, "-m", "methodlens.cli.app", *map(str, run)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
