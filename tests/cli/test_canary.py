"""A key never appears in a log, ledger, export, report, traceback, error or process list, even if a server echoes it."""

import logging
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.conftest import EXAMPLES
from tests.engine.serving import write_settings
from tests.loopback import Reply, chat_server, json_reply

CANARY = "sk-canary-9f8e7d6c5b4a"
PAPER = EXAMPLES / "papers" / "rented-cpu.pdf"


def test_a_key_appears_nowhere(
    methodlens: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FERN_KEY", CANARY)
    caplog.set_level(logging.DEBUG)
    questions = tmp_path / "q.txt"
    questions.write_text("".join(f"Which hardware of kind {kind}?\n" for kind in "ABCDE"))
    processes: list[str] = []

    def echo_key(_request: Any) -> Reply:
        processes.append(subprocess.run(["ps", "-ww", "-eo", "args"], check=True, capture_output=True, text=True).stdout)
        return [
            json_reply(True, f"Your key is {CANARY}.", f"We trained it with the key {CANARY} for hours."),
            Reply(f"no room for {CANARY}", 503),
            Reply(f'{{"echo": "{CANARY}"}}'),
            json_reply(False, "Not reported."),
        ][len(double.requests) % 4]

    outcomes = []
    out = tmp_path / "out"
    with chat_server(echo_key) as double:
        table = {"base_url": double.url, "key_variable": "FERN_KEY", "attempts": 1, "longest_wait_s": 0.01}
        settings = write_settings(tmp_path / "s.toml", fern=table)
        run = ["run", PAPER, "--questions", questions, "--reader", "chat:fern", "--out", out, "--settings", settings]
        outcomes.append(methodlens(*run))
        outcomes.append(methodlens("ask", PAPER, "Which hardware?", "--reader", "chat:fern", "--settings", settings))
        outcomes.append(methodlens("doctor", "--settings", settings, "--out", out))
        assert {headers["authorization"] for headers in double.headers} == {f"Bearer {CANARY}"}
    with chat_server(Reply(f"{CANARY} is not a good key", 401)) as refusing:
        settings = write_settings(tmp_path / "s.toml", fern={**table, "base_url": refusing.url})
        outcomes.append(methodlens(*run, "--settings", settings))
        assert "refused the key" in outcomes[-1].err
    for kind in ("jsonl", "csv", "xlsx", "transcripts"):
        outcomes.append(
            methodlens("export", "--format", kind, "--out", out, *(["--to", out / "t"] if kind == "transcripts" else []))
        )
    assert processes
    files = [path for path in out.rglob("*") if path.is_file()]
    assert {"ledger.sqlite", "report.html", "cells.xlsx"} <= {path.name for path in files}
    texts = [*processes, caplog.text, *(text for outcome in outcomes for text in (outcome.out, outcome.err))]
    assert not any(CANARY in text for text in texts)
    assert not any(CANARY.encode() in path.read_bytes() for path in files)
    assert not any("Traceback" in outcome.err for outcome in outcomes)


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        (f'api_key = "{CANARY}"', "export FERN_KEY="),
        (f'key_variable = "{CANARY}"', "not the key"),
        (f'token = "{CANARY}"', "remove it"),
    ],
)
def test_a_key_in_the_settings_is_refused_with_the_fix_and_not_shown(
    methodlens: Call, tmp_path: Path, line: str, fix: str
) -> None:
    settings = tmp_path / "s.toml"
    settings.write_text(f'[readers.fern]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n{line}\n')
    done = methodlens("run", PAPER, "--reader", "chat:fern", "--settings", settings, "--out", tmp_path / "out")
    assert done.code == 2
    assert fix in done.err
    assert CANARY not in done.err


def test_a_password_in_a_server_url_is_refused_and_not_shown(methodlens: Call, tmp_path: Path) -> None:
    settings = write_settings(tmp_path / "s.toml", fern={"base_url": f"http://user:{CANARY}@127.0.0.1:1/v1"})
    done = methodlens("run", PAPER, "--reader", "chat:fern", "--settings", settings, "--out", tmp_path / "out")
    assert (done.code, CANARY in done.err) == (2, False)
    assert "password" in done.err
