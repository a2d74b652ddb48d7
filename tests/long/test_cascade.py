"""Cascades killed with -9, which repeat only unfinished calls, and cascades in worker processes."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from methodlens.engine import worker
from methodlens.engine.execute import Task
from methodlens.engine.messages import decode_result, encode, encode_task, job_of
from methodlens.lens import Lens
from methodlens.settings import ChatServer, Settings
from tests.conftest import EXAMPLES
from tests.engine.serving import honest, write_settings
from tests.long.killing import READABLE
from tests.long.test_kill import look
from tests.loopback import chat_server, closed_port, json_reply
from tests.waiting import wait_until

pytestmark = pytest.mark.long
KILLS, QUESTIONS = 12, 8
INVENTED = json_reply(True, "On nine Zorblax cards.", "Nine Zorblax cards were used for it.")


def test_a_cascade_killed_12_times_repeats_only_unfinished_calls(tmp_path: Path) -> None:
    """The embedded reader is always in doubt, the first model always withheld: all three steps are needed in every cell."""
    questions, cells = tmp_path / "questions.txt", READABLE * QUESTIONS
    questions.write_text("".join(f"Which hardware of kind {kind} trained the model?\n" for kind in range(QUESTIONS)))
    query = partial(look, tmp_path / "out" / "ledger.sqlite")
    with chat_server(INVENTED) as fern, chat_server(honest) as moss:
        servers = {"chat:fern": fern, "chat:moss": moss}
        tables = {name.removeprefix("chat:"): {"base_url": server.url, "concurrency": 2} for name, server in servers.items()}
        settings = write_settings(tmp_path / "s.toml", **tables)
        band = ["--set", "cascade.low=0", "--set", "cascade.high=1"]
        run = [
            "run",
            EXAMPLES / "papers",
            "--questions",
            questions,
            "--out",
            tmp_path / "out",
            "--settings",
            settings,
            "--no-pages",
        ]
        words = [*run, "--reader", "cascade:embedded>chat:fern>chat:moss", *band]
        command = [sys.executable, "-m", "methodlens.cli.app", *map(str, words)]
        allowed = dict.fromkeys(servers, cells)

        def answered() -> int:
            return len(query("SELECT 1 FROM answers WHERE status <> 'unreadable'"))

        def over(process: "subprocess.Popen[bytes]", wanted: int) -> bool:
            return process.poll() is not None or answered() >= wanted

        for attempt in range(KILLS):
            wanted = answered() + 1 + attempt % 5
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(partial(over, process, wanted))
            process.kill()
            process.wait()
            for (reader,) in query("SELECT reader FROM calls WHERE outcome = 'open'"):
                allowed[reader] += 1
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
        asked = {name: len(server.requests) for name, server in servers.items()}
    assert all(cells <= asked[name] <= allowed[name] for name in servers), (asked, allowed)
    assert answered() == 3 * cells  # of the two models and of the cascade


def test_a_worker_answers_where_the_embedded_reader_is_sure_and_leaves_the_rest_to_the_driver() -> None:
    url, paper = closed_port(), EXAMPLES / "papers" / "rented-cpu.pdf"
    settings = Settings(readers={"fern": ChatServer("fern-7b", base_url=url)}, workers=1)
    with Lens(["cascade:embedded>chat:fern"], settings=settings) as lens:
        plan = lens.plan([paper])
        job = encode(job_of(plan, settings))
    result = decode_result(worker.do(job, encode_task(Task(str(paper), "rented-cpu.pdf"))))
    assert len(result.answered) + len(result.due) == 28
    assert len(result.answered) > 2 * len(result.due) > 0
    assert {record.reader for record in result.answered} == {"cascade:embedded>chat:fern"}
