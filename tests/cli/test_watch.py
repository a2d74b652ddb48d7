"""methodlens watch, papers by URL, and the choice of an engine."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES
from tests.waiting import PATIENCE_S

PAPERS = EXAMPLES / "papers"


@pytest.fixture
def question(tmp_path: Path) -> Path:
    path = tmp_path / "one.txt"
    path.write_text("Which hardware was the model trained on?\n")
    return path


@pytest.mark.long
def test_papers_are_processed_as_they_arrive_until_ctrl_c(tmp_path: Path, question: Path, methodlens: Call) -> None:
    inbox, out = tmp_path / "inbox", tmp_path / "out"
    inbox.mkdir()
    shutil.copy(PAPERS / "rented-cpu.pdf", inbox)
    command = [sys.executable, "-m", "methodlens.cli.app", "watch", inbox, "--out", out, "--questions", question, "--every", 0.2]
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=_enable_ctrl_c
    )
    assert process.stdout
    _until(process, "see ")
    shutil.copy(PAPERS / "silent-on-hardware.pdf", inbox)
    assert "1 asked" in _until(process, "see ")  # the first paper is not processed again
    _until(process, "watching ")
    os.kill(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "Traceback" not in rest
    again = methodlens("run", inbox, "--out", out, "--questions", question)
    assert "0 asked, 2 kept from before" in again.out


def test_once_processes_the_papers_that_are_there_if_any(tmp_path: Path, question: Path, methodlens: Call) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    options = ("--out", tmp_path / "out", "--questions", question, "--once", "--every", 0.1)
    assert methodlens("watch", inbox, *options).code == 0
    shutil.copy(PAPERS / "rented-cpu.pdf", inbox)
    assert "1 asked" in methodlens("watch", inbox, *options).out
    assert "0 asked, 1 kept" in methodlens("watch", inbox, *options).out


@pytest.mark.long
def test_code_and_supplements_are_given_as_in_run(tmp_path: Path, question: Path, methodlens: Call) -> None:
    inbox, repository = tmp_path / "inbox", tmp_path / "clone"
    for folder in (inbox, repository):
        folder.mkdir()
    shutil.copy(PAPERS / "rented-cpu.pdf", inbox)
    (repository / "train.py").write_text("import torch\ntorch.manual_seed(7)\n")
    shutil.copy(EXAMPLES / "formats" / "rented-cpu.md", tmp_path / "more.md")
    options = ("--out", tmp_path / "out", "--questions", question, "--once", "--every", 0.1)
    pairs = ("--code", f"rented-cpu.pdf={repository}", "--supplement", f"rented-cpu.pdf={tmp_path / 'more.md'}")
    done = methodlens("watch", inbox, *options, *pairs)
    assert "1 repository: 1 ok" in done.out
    assert "1 supplement: 1 ok" in done.out
    assert "no paper is called" in one_line(methodlens("watch", inbox, *options, "--code", f"other.pdf={repository}"))
    contradiction = methodlens("watch", inbox, *options, "--supplement", "a=b", "--no-supplements")
    assert "contradict each other" in one_line(contradiction)


@pytest.mark.long
def test_a_paper_that_is_named_with_its_code_may_arrive_later(tmp_path: Path, question: Path) -> None:
    inbox, repository = tmp_path / "inbox", tmp_path / "clone"
    for folder in (inbox, repository):
        folder.mkdir()
    (repository / "train.py").write_text("import torch\ntorch.manual_seed(7)\n")
    shutil.copy(PAPERS / "silent-on-hardware.pdf", inbox)
    command = [sys.executable, "-m", "methodlens.cli.app", "watch", inbox, "--out", tmp_path / "out", "--questions", question]
    command += ["--every", 0.2, "--code", f"rented-cpu.pdf={repository}", "--supplement", f"rented-cpu.pdf={question}"]
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=_enable_ctrl_c
    )
    assert "repositor" not in _until(process, "see ")
    shutil.copy(PAPERS / "rented-cpu.pdf", inbox)
    assert "1 repository: 1 ok" in _until(process, "see ")
    _until(process, "watching ")
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


def test_a_repository_that_does_not_exist_stops_watch_at_once(tmp_path: Path, methodlens: Call) -> None:
    (tmp_path / "inbox").mkdir()
    for option in ("--code", "--supplement"):
        refused = methodlens("watch", tmp_path / "inbox", "--out", tmp_path / "out", option, f"a.pdf={tmp_path / 'nothing'}")
        assert "nothing" in one_line(refused)


def test_a_missing_folder_cannot_be_watched(tmp_path: Path, methodlens: Call) -> None:
    assert "is not a folder" in one_line(methodlens("watch", tmp_path / "nothing"))


def test_papers_are_fetched_from_a_url(tmp_path: Path, question: Path, methodlens: Call) -> None:
    pytest.importorskip("fsspec", reason="papers by URL need the extra 'cloud'")
    (tmp_path / "papers").mkdir()
    shutil.copy(PAPERS / "rented-cpu.pdf", tmp_path / "papers")
    done = methodlens("run", f"file://{tmp_path}/papers", "--out", tmp_path / "out", "--questions", question)
    assert "papers: 1 ok" in done.out
    assert "no PDF in memory://nothing" in one_line(methodlens("run", "memory://nothing", "--out", tmp_path / "out"))
    assert "cannot be opened" in one_line(methodlens("run", "nosuch://bucket/x", "--out", tmp_path / "out"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--engine", "spark"), "use one of: local, ray"),
        (("--address", "auto"), "add --engine ray"),
        (("--engine", "ray", "--address", "127.0.0.1:9"), "no Ray cluster answers at 127.0.0.1:9|pip install 'methodlens.ray.'"),
        (("--engine", "ray", "--address", "here"), "is not a cluster|pip install 'methodlens.ray.'"),
    ],
)
def test_an_unavailable_engine_is_refused_in_one_line_and_nothing_is_written(
    tmp_path: Path, methodlens: Call, options: tuple[str, ...], message: str
) -> None:
    out = tmp_path / "out"
    assert re.search(message, one_line(methodlens("run", PAPERS, "--out", out, *options)))
    assert not out.exists()


def _enable_ctrl_c() -> None:
    """Tests that run in the background ignore it, and child processes inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _until(process: "subprocess.Popen[str]", start: str) -> str:
    """The output up to a line that starts with `start`."""
    output = ""
    assert process.stdout
    for line in process.stdout:
        output += line
        if line.startswith(start):
            return output
    raise AssertionError(f"it ended: {output}")
