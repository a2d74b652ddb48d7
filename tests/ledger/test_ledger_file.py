"""Ledgers on a full or read-only disk, and ledgers that another process holds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from methodlens.errors import LedgerBusy, LedgerError
from methodlens.ledger import backends
from methodlens.ledger.ledger_file import remove_if_half_made
from methodlens.ledger.store import Ledger, Run

RUN = Run("run1", ("papers",), (), ("embedded",))


def made(folder: Path) -> Path:
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(RUN, [])
    return folder / "ledger.sqlite"


@pytest.mark.parametrize("left", [b"", b"SQLite form", b"SQLite format 3\0\x10", bytes(50), bytes(4096), bytes(3 << 20)])
def test_a_ledger_file_that_was_half_made_on_a_full_disk_is_made_again(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(left)
    path.with_name("ledger.sqlite-wal").touch()
    assert made(tmp_path) == path
    with Ledger.at(tmp_path) as ledger:
        assert [run.id for run in ledger.runs()] == [RUN.id]


@pytest.mark.parametrize(
    "content", [b"my notes", b"\0" * 4096 + b"my notes", b"SQLite format 3\0" + b"\1" * 200, b"SQLite format 2"]
)
def test_a_file_that_is_something_else_is_never_removed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(content)
    with pytest.raises(LedgerError):
        Ledger.at(tmp_path, create=True)
    assert path.read_bytes() == content


def test_a_damaged_ledger_with_pending_changes_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"")
    path.with_name("ledger.sqlite-wal").write_bytes(b"changes")
    remove_if_half_made(path)
    assert path.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small file system")
@pytest.mark.long
def test_a_run_resumes_when_a_disk_that_was_full_while_the_ledger_was_made_has_space_again(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    program = f"from pathlib import Path; from methodlens.ledger.store import Ledger; Ledger.at(Path({str(disk)!r}), create=True)"
    script = f"""
        make() {{ "$0" -c "$1" 2>&1 | tail -n 1; }}
        for size in 4 12 48 128; do
            mount -t tmpfs -o size=${{size}}k none {disk} || exit 7
            make "$@"
            mount -o remount,size=9m {disk}
            make "$@"
            umount {disk}
        done"""
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, sys.executable, program], capture_output=True, text=True, check=False
    )
    if done.returncode or not done.stdout:
        pytest.skip("cannot mount a small file system")
    lines = done.stdout.splitlines()
    assert len(lines) == 4  # the second attempt prints nothing
    assert all("free some disk space, then rerun to resume" in line for line in lines)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder with a ledger in which this user cannot write."""
    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("root writes everywhere: tests/cli/test_read_only.py mounts a file system")
    folder = tmp_path / "review"
    made(folder)
    folder.chmod(0o500)
    yield folder
    folder.chmod(0o700)


def test_a_ledger_in_a_read_only_folder_is_read_and_refuses_changes(read_only: Path) -> None:
    with Ledger.at(read_only) as ledger:
        assert [run.id for run in ledger.runs()] == [RUN.id]
        with pytest.raises(LedgerError, match="read-only"):
            ledger.end(RUN.id)
        with pytest.raises(LedgerError, match="read-only"):
            ledger.lock()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux lists the holders of locks")
def test_a_second_run_is_told_which_process_writes_the_ledger(tmp_path: Path) -> None:
    made(tmp_path)
    program = (
        "from pathlib import Path; from methodlens.ledger.store import Ledger; import sys;"
        f"lock = Ledger.at(Path({str(tmp_path)!r})).lock(); print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"locked\n"
        with Ledger.at(tmp_path) as ledger, pytest.raises(LedgerBusy, match=rf"process {holder.pid} \(python"):
            ledger.lock()
        holder.communicate()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux lists the holders of locks")
def test_a_ledger_that_another_program_has_locked_is_busy_and_names_that_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path)
    monkeypatch.setattr(backends, "BUSY_MS", 100)
    program = (
        f"import sqlite3, sys; database = sqlite3.connect({str(path)!r}, isolation_level=None);"
        "database.execute('BEGIN IMMEDIATE'); print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"locked\n"
        with (
            Ledger.at(tmp_path) as ledger,
            pytest.raises(LedgerBusy, match=rf"by process {holder.pid} .*close the ledger"),
        ):
            ledger.end(RUN.id)
        holder.communicate()
    with Ledger.at(tmp_path) as ledger:
        ledger.end(RUN.id)
