"""methodlens serve: problems are shown in one line, and the address is printed."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Call, one_line
from tests.waiting import PATIENCE_S


def test_a_missing_extra_is_named_with_the_fix(methodlens: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("methodlens.cli.serve.find_spec", lambda name: None if name == "fastapi" else object())
    assert "pip install 'methodlens[web]'" in one_line(methodlens("serve", "--out", tmp_path))


def test_a_port_in_use_and_listening_on_all_networks_are_refused(methodlens: Call, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        line = one_line(methodlens("serve", "--out", tmp_path, "--port", taken.getsockname()[1]))
    assert "another --port" in line
    assert "127.0.0.1 for local access" in one_line(methodlens("serve", "--out", tmp_path, "--host", "0.0.0.0"))
    assert "cannot listen" in one_line(methodlens("serve", "--out", tmp_path, "--host", "203.0.113.9"))


def test_an_unknown_run_and_a_file_that_is_not_a_ledger_are_refused(methodlens: Call, tmp_path: Path) -> None:
    assert "no ledger" in one_line(methodlens("serve", "--out", tmp_path, "--run", "abc"))
    (tmp_path / "ledger.sqlite").write_text("not a database" * 200)
    assert "ledger" in one_line(methodlens("serve", "--out", tmp_path))


def test_it_prints_the_address_once_and_stops_when_interrupted(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "methodlens.cli.app", "serve", "--out", str(tmp_path / "new")]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}) as room:
        assert room.stdout
        line = room.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S{20,}", line)
        assert address, line
        with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as browser:
            assert "No papers yet" in browser.get(address[0]).text
        room.send_signal(signal.SIGINT)
        out, err = room.communicate(timeout=PATIENCE_S)
    assert room.returncode == 0
    assert err.strip() == "press Ctrl-C to stop"
    assert "token" not in out + err
