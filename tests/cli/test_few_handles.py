"""A process that may open only a few files says so, and loses nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.conftest import EXAMPLES

PAPERS = 12
"""Enough for the engine to start child processes, which need pipes."""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit on Windows")
@pytest.mark.long
def test_too_few_file_handles_are_named_as_the_cause_and_the_run_resumes(methodlens: Call, tmp_path: Path) -> None:
    paper, questions = (EXAMPLES / "papers" / "rented-cpu.pdf").read_bytes(), tmp_path / "questions.txt"
    questions.write_text("Which GPUs were used for training?\n")
    (tmp_path / "papers").mkdir()
    for number in range(PAPERS):
        (tmp_path / "papers" / f"{number}.pdf").write_bytes(paper + b"%% %d\n" % number)
    run = ["run", tmp_path / "papers", "--questions", questions, "--out", tmp_path / "out", "--no-pages"]
    for handles, workers in ((5, 1), (6, 1), (8, 1), (12, 4)):
        limited = f"import resource, runpy; resource.setrlimit(resource.RLIMIT_NOFILE, ({handles}, {handles}));"
        start = "runpy.run_module('methodlens.cli.app', run_name='__main__')"
        command = [sys.executable, "-c", limited + start, *map(str, run), "--workers", str(workers)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
        assert "ulimit -n" in done.stderr.splitlines()[-1]
    resumed = methodlens(*run)
    assert (resumed.code, f"papers: {PAPERS} ok" in resumed.out) == (0, True)
