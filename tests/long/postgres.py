"""A PostgreSQL server for the tests, from the system's packages, in a temporary folder and on a free port."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S

USER, PASSWORD = "ann", "canary-4f1e9d7c"
_WAIT_S = PATIENCE_S


def programs() -> Path | None:
    """The folder of initdb and postgres; on Debian they are not on the PATH."""
    initdb = shutil.which("initdb")
    folders = [Path(initdb).parent] if initdb else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((folder for folder in reversed(folders) if (folder / "initdb").is_file()), None)


class Server:
    """A server that can be started, stopped and killed."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        # initdb and postgres refuse to run as root
        self._as: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def create(self) -> None:
        if self._as:
            account = pwd.getpwnam("postgres")
            os.chown(self._folder, account.pw_uid, account.pw_gid)
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        if self._as:
            os.chown(secret, account.pw_uid, account.pw_gid)
        command = [self._programs / "initdb", "-D", self._folder / "data", "-U", USER, "-A", "scram-sha-256", "--pwfile", secret]
        subprocess.run(
            [*map(str, command), "-E", "UTF8", "--locale=C.UTF-8"], check=True, capture_output=True, **self._in_folder()
        )

    def start(self) -> None:
        options = ["-D", self._folder / "data", "-p", self.port, "-k", self._folder, "-c", "listen_addresses=127.0.0.1"]
        deadline = time.monotonic() + _WAIT_S
        while True:
            with (self._folder / "log").open("ab") as log:
                self._process = subprocess.Popen(
                    [str(self._programs / "postgres"), *map(str, options)],
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    **self._in_folder(),
                )
            while self._process.poll() is None and time.monotonic() < deadline:
                with contextlib.suppress(Exception):
                    self.query("SELECT 1")
                    return
                time.sleep(0.1)
            # after a kill -9, the shared memory of the old server may still be in use
            assert time.monotonic() < deadline, (self._folder / "log").read_text()
            time.sleep(0.5)

    def kill(self) -> None:
        """kill -9 the server and all its processes, as in a power failure."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(_WAIT_S)

    def new_database(self, name: str) -> str:
        """The URL of a new database, without a password."""
        self.query(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, database: str, *, user: str = USER) -> str:
        return f"postgresql+psycopg://{user}@127.0.0.1:{self.port}/{database}"

    def query(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs a query without any of our code."""
        import psycopg

        where = {"host": "127.0.0.1", "port": self.port, "user": USER, "password": PASSWORD, "dbname": database}
        with psycopg.connect(**where, autocommit=True, connect_timeout=30) as connection:
            result = connection.execute(statement)
            return result.fetchall() if result.description else []

    @contextlib.contextmanager
    def small_disk(self, tablespace: str, *, megabytes: int) -> Iterator[Path]:
        """A tablespace on a small file system, which only root can create."""
        folder = self._folder / tablespace
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
        if not self._as or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("cannot mount a small file system")
        try:
            account = pwd.getpwnam("postgres")
            os.chown(folder, account.pw_uid, account.pw_gid)
            self.query(f"CREATE TABLESPACE {tablespace} LOCATION '{folder}'")
            yield folder
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)

    @staticmethod
    @contextlib.contextmanager
    def filled(disk: Path) -> Iterator[None]:
        """Fills the disk to the last byte."""
        ballast = disk / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while file.write(b"\0" * 4096):
                pass
        try:
            yield
        finally:
            ballast.unlink()

    def _in_folder(self) -> dict[str, Any]:
        return {"cwd": self._folder, **self._as}


@contextlib.contextmanager
def server() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    folder_of_programs = programs()
    if folder_of_programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="methodlens-pg-"))  # not in tmp_path, which the user postgres cannot read
    running = Server(folder_of_programs, folder)
    try:
        running.create()
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
