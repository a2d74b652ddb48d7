"""Read a repository in a child process, with limits on time, memory and files. Every failure becomes its status."""

import os
import tempfile
from pathlib import Path

import msgspec
from msgspec.structs import replace

from methodlens.code.git_history import NoState, State, find_state, git_folder, write_snapshot
from methodlens.code.worker import ReadRequest
from methodlens.confined import pipe
from methodlens.confined.child import Child, only_needed
from methodlens.confined.limited_worker import WALL_FACTOR
from methodlens.records.code import Repository, RepositoryStatus
from methodlens.settings import CodeLimits

REVISION = 5
"""Increased whenever the same files may give other findings."""
READER = f"code-r{REVISION}"


def read_repository(path: Path, *, at: str = "", limits: CodeLimits = CodeLimits()) -> Repository:  # noqa: B008 - frozen
    """What a folder, clone or archive says about the method. Nothing of it is executed, and no failure raises.

    A clone is read as committed: at its checked-out commit, or with `at` at a commit, a tag, or the last commit on the
    checked-out history at or before an ISO date.
    """
    location = str(path)
    if not path.exists():
        return _failed(location, RepositoryStatus.MISSING, "there is no such folder or archive; check the path")
    if not path.is_dir() and not path.is_file():  # opening a pipe would block
        return _failed(location, RepositoryStatus.MALFORMED, "it is neither a folder nor a file; check the path")
    folder = git_folder(path) if path.is_dir() else None
    if at and folder is None:
        reason = "it has no git history, so no earlier state can be read; clone the repository, or leave the date out"
        return _failed(location, RepositoryStatus.MALFORMED, reason)
    if folder is not None:
        try:
            return _read_commit(location, folder, at, limits)
        except NoState as err:
            if at or folder == path:
                return _failed(location, RepositoryStatus.MALFORMED, str(err))
    return replace(_read(ReadRequest(os.fsencode(path.absolute()), limits)), location=location, reader=READER)


def _read_commit(location: str, folder: Path, at: str, limits: CodeLimits) -> Repository:
    state: State = find_state(folder.absolute(), at, timeout_s=limits.timeout_s)
    with tempfile.NamedTemporaryFile(prefix="methodlens-code-", suffix=".tar") as file:
        snapshot = write_snapshot(folder.absolute(), state.commit, file, limits=limits)
        file.flush()
        request = ReadRequest(
            os.fsencode(file.name), limits, True, snapshot.unread, snapshot.links, submodules=snapshot.submodules
        )
        repository = _read(request)
    return replace(repository, location=location, reader=READER, commit=state.commit, date=state.date)


def _read(request: ReadRequest) -> Repository:
    worker = Child("methodlens.code.worker", max_requests=1, environment=only_needed)
    limits = request.limits
    try:
        reply = worker.request(msgspec.json.encode(request), timeout_s=WALL_FACTOR * limits.timeout_s)
        if reply is not None:
            return msgspec.json.decode(reply, type=Repository)
        if worker.ran_out_of_cpu_time:
            return _too_slow(f"{limits.timeout_s:g} s of CPU time")
        if worker.ran_out_of_memory:
            reason = f"it needs more than {limits.memory_mb} MB; raise code.memory_mb if you trust it"
            return _failed("", RepositoryStatus.TOO_BIG, reason)
        reason = "reading it crashed; please report this with the name of the repository"
        return _failed("", RepositoryStatus.CRASHED, reason)
    except pipe.PipeTimeout:
        return _too_slow(f"{WALL_FACTOR * limits.timeout_s:g} s")
    except (pipe.PipeTooBig, msgspec.MsgspecError):
        return _failed("", RepositoryStatus.TOO_BIG, "it has more findings than any repository should; give a part of it")
    finally:
        worker.kill()


def _too_slow(time: str) -> Repository:
    return _failed("", RepositoryStatus.TIMEOUT, f"reading it took more than {time}; raise code.timeout_s")


def _failed(location: str, status: RepositoryStatus, reason: str) -> Repository:
    return Repository(location, READER, status, reason)
