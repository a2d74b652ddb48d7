"""A review on a medium that cannot be written: exported and reported, and every refusal names the fix."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs permissions or mounts as Linux has them")


def call(folder: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """The command, with `folder` mounted read-only for root, who writes everywhere else."""
    command = [sys.executable, "-m", "methodlens.cli.app", *map(str, arguments)]
    if os.geteuid() == 0:
        script = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} || exit 77; exec " + '"$0" "$@"'
        command = ["unshare", "-m", "sh", "-c", script, *command]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 77:
            pytest.skip("cannot mount a file system")
        return done
    folder.chmod(0o500)
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize(
    "pending", [pytest.param(False, id="whole", marks=pytest.mark.long), pytest.param(True, id="changes pending")]
)
def test_a_read_only_review_is_exported_and_reported(methodlens: Call, tmp_path: Path, pending: bool) -> None:
    questions, out = tmp_path / "questions.txt", tmp_path / "review"
    questions.write_text("Which GPUs were used for training?\n")
    run = ["run", EXAMPLES / "papers" / "rented-cpu.pdf", "--questions", questions, "--out", out, "--no-pages"]
    assert methodlens(*run).code == 0
    if pending:
        begin_a_run_and_die(out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    exported = call(out, "export", "--out", out)
    assert (exported.returncode, exported.stderr) == (0, "")
    assert len(exported.stdout.splitlines()) == (0 if pending else 1)  # the later run has no papers yet

    refused = call(out, "report", "--no-pages", "--out", out)
    assert (refused.returncode, "--to" in refused.stderr, "Traceback" in refused.stderr) == (2, True, False)
    report = call(out, "report", "--no-pages", "--out", out, "--to", tmp_path / "report.html")
    assert report.returncode == 0
    assert (tmp_path / "report.html").stat().st_size > 10_000

    sheet = call(out, "export", "--format", "xlsx", "--out", out)
    assert (sheet.returncode, "--to" in sheet.stderr, "Traceback" in sheet.stderr) == (2, True, False)
    again = call(out, *run)
    assert (again.returncode, "Traceback" in again.stderr) == (2, False)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def begin_a_run_and_die(folder: Path) -> None:
    """What the process has written is in the -wal file only."""
    program = (
        "import os; from pathlib import Path; from methodlens.ledger.store import Ledger, Run;"
        f"Ledger.at(Path({str(folder)!r})).begin(Run('later', ('papers',), (), ('embedded',)), []); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert (folder / "ledger.sqlite-wal").stat().st_size
