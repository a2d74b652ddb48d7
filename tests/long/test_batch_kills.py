"""Grouped calls and batches under kill -9, a hundred times each: by the servers' own logs, nothing is paid for twice."""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.batch_server import batch_server
from tests.engine.serving import asked_ids, honest_group
from tests.engine.small_paper import write_papers
from tests.engine.test_batches import honest_model
from tests.long.forked_driver import Job
from tests.long.test_kill import look
from tests.loopback import Reply, chat_server

pytestmark = pytest.mark.long

KILLS = 100
PAPERS, QUESTIONS = 5, 48


class Victim:
    """The driver that runs now. `strike` kills it when enough has happened since its start."""

    def __init__(self) -> None:
        self.pid = 0
        self.after = 0
        self.kills = 0

    def strike(self, *_: object) -> None:
        self.after -= 1
        if self.after == 0 and self.pid and self.kills < KILLS:
            self.kills += 1
            os.kill(self.pid, signal.SIGKILL)


@contextmanager
def drivers(job: Job) -> Iterator[Callable[[Victim], int]]:
    """A function that runs a driver to its end, or to its death, and returns its exit status."""
    command = [sys.executable, "-m", "tests.long.forked_driver"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin
    assert process.stdout
    stdin, stdout = process.stdin, process.stdout

    def start(victim: Victim) -> int:
        stdin.write(msgspec.json.encode(job).decode() + "\n")
        stdin.flush()
        victim.pid = int(stdout.readline())
        status = int(stdout.readline())
        victim.pid = 0
        return status

    try:
        yield start
    finally:
        stdin.close()
        process.wait()
        stdout.close()


def kill_until_done(job: Job, victim: Victim, *, most: int, after_each: Callable[[], None] = lambda: None) -> None:
    moments = random.Random(7)
    with drivers(job) as start:
        for _ in range(3 * KILLS):
            victim.after = moments.randint(1, most)
            status = start(victim)
            assert status in (0, -signal.SIGKILL)
            after_each()
            if status == 0:
                return
    raise AssertionError("it never ended")


@pytest.mark.parametrize("form", ["openai", "anthropic", "mistral"])
def test_batches_survive_100_kills_and_no_cell_is_handed_in_twice(form: str, tmp_path: Path) -> None:
    victim, ledger = Victim(), tmp_path / "out" / "ledger.sqlite"
    with batch_server(form, honest_model) as provider:
        provider.on_event = victim.strike
        server = {"base_url": provider.url, "model": "fern-7b", "batch": True, "batch_api": form, "batch_poll_s": 0.02}
        job = Job(str(write_papers(tmp_path / "papers", PAPERS)), str(tmp_path / "out"), QUESTIONS, server)
        kill_until_done(job, victim, most=4)
        assert len(provider.submitted) == PAPERS * QUESTIONS
        assert set(provider.submitted.values()) == {1}
    assert victim.kills == KILLS
    ((answers,),) = look(ledger, "SELECT count(*) FROM answers WHERE status IN ('reported', 'not_reported', 'withheld')")
    ((calls,),) = look(ledger, "SELECT count(*) FROM calls")
    assert (answers, calls) == (PAPERS * QUESTIONS, PAPERS * QUESTIONS)


def test_grouped_calls_survive_100_kills_and_only_calls_in_flight_are_repeated(tmp_path: Path) -> None:
    victim, ledger = Victim(), tmp_path / "out" / "ledger.sqlite"
    asked: Counter[str] = Counter()
    allowed: Counter[str] = Counter()

    def reply(request: Any) -> Reply:
        asked.update(asked_ids(request))
        victim.strike()
        return honest_group(request)

    def allow_calls_in_flight() -> None:
        allowed.update(question for (question,) in look(ledger, "SELECT question FROM calls WHERE outcome = 'open'"))

    with chat_server(reply) as chat:
        server = {
            "base_url": chat.url,
            "model": "fern-7b",
            "group": "passages",
            "group_tokens": 150,
            "concurrency": 2,
            "context_tokens": 50,
        }
        job = Job(str(write_papers(tmp_path / "papers", PAPERS)), str(tmp_path / "out"), QUESTIONS, server)
        kill_until_done(job, victim, most=2, after_each=allow_calls_in_flight)
    assert victim.kills == KILLS
    assert len(asked) == QUESTIONS
    assert all(asked[question] <= PAPERS + allowed[question] for question in asked), (asked, allowed)
    ((answers,),) = look(ledger, "SELECT count(*) FROM answers WHERE status IN ('reported', 'not_reported', 'withheld')")
    assert answers == PAPERS * QUESTIONS
