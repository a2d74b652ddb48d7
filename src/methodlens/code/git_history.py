"""A state of a git repository, read from its objects with `git ls-tree` and `git cat-file`.

Only plumbing commands run, and none that would apply the repository's own configuration: no hook, filter, textconv, pager,
signature check or file-system monitor; a partial clone fetches nothing. docs/decisions/0027 says why git and not a library.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import IO

from msgspec import Struct

from methodlens.code.file_kinds import is_text_name
from methodlens.confined.child import only_needed
from methodlens.settings import CodeLimits

_SAFE = (
    "core.fsmonitor=false core.hooksPath=/dev/null core.pager=cat core.sshCommand=false core.askPass=false "
    "protocol.allow=never safe.directory=* gc.auto=0 maintenance.auto=false core.alternateRefsCommand=true"
).split()
_VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_LINK, _SUBMODULE = "120000", "160000"
_COMMITTER = re.compile(rb"^committer [^\n]*> (\d{1,12}) ([+-]\d{4})$", re.M)
_PLAIN_NAME = re.compile(r"[\w][\w./-]{0,200}")


class NoState(Exception):
    """The state cannot be read; the message says why and what to do."""


class State(Struct, frozen=True):
    commit: str
    date: str
    """When it was committed."""


class Blob(Struct, frozen=True):
    name: str
    mode: str
    hash: str
    size: int


class Snapshot(Struct, frozen=True):
    """What `write_snapshot` left out of the archive: names with sizes, links, and submodules."""

    unread: tuple[tuple[str, int], ...]
    links: tuple[str, ...]
    submodules: tuple[str, ...]


def git_folder(path: Path) -> Path | None:
    """The git folder of a clone or bare repository; None for a folder without history of its own."""
    if (path / ".git").exists():
        return path / ".git"
    return path if (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir() else None


def find_state(folder: Path, at: str, *, timeout_s: float) -> State:
    """The commit that is checked out; with `at`, the last one on its history at or before a date, or a commit or tag."""
    if shutil.which("git") is None:
        raise NoState("git is not installed, so its history cannot be read; install git, or check the state out yourself")
    before = _end_of(at)
    if before:
        arguments = ["rev-list", "-1", "--first-parent", f"--before={before}", "HEAD"]
    elif at and not _PLAIN_NAME.fullmatch(at):
        raise NoState(f"{at!r} is neither a date nor a commit; give a date such as 2023-05-31, or a commit")
    else:
        arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{at or 'HEAD'}^{{commit}}"]
    commit = _output(folder, arguments, timeout_s).decode("ascii", "replace").strip()
    if not commit:
        raise NoState(f"it has no commit at or before {at}; give a later date" if before else f"it has no commit {at!r}")
    about = _COMMITTER.search(_output(folder, ["cat-file", "commit", commit], timeout_s))
    return State(commit, _date(int(about[1]), about[2].decode()) if about else "")


def write_snapshot(folder: Path, commit: str, file: IO[bytes], *, limits: CodeLimits) -> Snapshot:
    """Write the text files of a commit to a tar archive. Raises NoState."""
    blobs = _listing(_output(folder, ["ls-tree", "-r", "-z", "-l", "--full-tree", commit], limits.timeout_s), limits)
    links = tuple(blob.name for blob in blobs if blob.mode == _LINK)
    files = [blob for blob in blobs if blob.mode not in (_LINK, _SUBMODULE)]
    wanted = [blob for blob in files if blob.size <= limits.max_file_kb << 10 and is_text_name(blob.name)]
    if sum(blob.size for blob in wanted) > limits.max_total_mb << 20:
        raise NoState(f"it has more than {limits.max_total_mb} MB of text; raise code.max_total_mb")
    read = {blob.name for blob in wanted}
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for blob, content in _contents(folder, wanted, limits.timeout_s):
            member = tarfile.TarInfo(blob.name)
            member.size = len(content)
            archive.addfile(member, BytesIO(content))
    unread = tuple((blob.name, blob.size) for blob in files if blob.name not in read)
    return Snapshot(unread, links, tuple(blob.name for blob in blobs if blob.mode == _SUBMODULE))


def _end_of(at: str) -> str:
    """The last second of a date, as git reads it; empty if it is no date.

    >>> _end_of("2023-05-31"), _end_of("2023-05"), _end_of("4f2a91c")
    ('2023-05-31T23:59:59+00:00', '2023-05-31T23:59:59+00:00', '')
    """
    if re.fullmatch(r"\d{4}(-\d\d){0,2}", at):
        year, month, day = (int(part) for part in (at + "-00" * (2 - at.count("-"))).split("-"))
        try:
            if day:
                end = date(year, month, day) + timedelta(days=1)
            else:
                end = date(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1)
        except (ValueError, OverflowError):
            return ""
        return (datetime(end.year, end.month, end.day, tzinfo=UTC) - timedelta(seconds=1)).isoformat()
    try:
        moment = datetime.fromisoformat(at) if re.match(r"\d{4}-\d\d-\d\dT", at) else None
    except ValueError:
        return ""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat() if moment else ""


def _date(seconds: int, zone: str) -> str:
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:])) * (-1 if zone[0] == "-" else 1)
    with contextlib.suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(seconds, timezone(offset)).isoformat()
    return ""


def _listing(listed: bytes, limits: CodeLimits) -> list[Blob]:
    lines = listed.split(b"\0")
    if len(lines) > limits.max_entries:
        raise NoState(f"it has more than {limits.max_entries:,} files; raise code.max_entries")
    blobs: list[Blob] = []
    for line in lines:
        about, tab, name = line.partition(b"\t")
        if tab and len(parts := about.decode("ascii", "replace").split()) == 4:
            size = int(parts[3]) if parts[3].isdigit() else 0
            blobs.append(Blob(name.decode("utf-8", "replace"), parts[0], parts[2], size))
    return blobs


def _contents(folder: Path, blobs: list[Blob], timeout_s: float) -> Iterator[tuple[Blob, bytes]]:
    process = subprocess.Popen(  # noqa: S603 - git itself, with the options above
        _command(folder, ["cat-file", "--batch"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    )
    timer = threading.Timer(timeout_s, process.kill)
    timer.start()
    try:
        if process.stdin is None or process.stdout is None:  # never: Popen was told to make both
            return
        for blob in blobs:
            process.stdin.write(blob.hash.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline().split()
            if len(header) != 3 or not header[2].isdigit():
                if process.poll() is not None:
                    raise NoState(f"git took more than {timeout_s:g} s; raise code.timeout_s")
                continue  # an object that a partial clone does not have
            content = process.stdout.read(int(header[2]))
            process.stdout.read(1)
            yield blob, content
    except OSError as err:
        raise NoState("git stopped while reading its objects; run 'git fsck' on it") from err
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream:
                    stream.close()


def _output(folder: Path, arguments: list[str], timeout_s: float) -> bytes:
    try:
        result = subprocess.run(  # noqa: S603 - as above
            _command(folder, arguments), stdin=subprocess.DEVNULL, capture_output=True, env=_environment(), timeout=timeout_s
        )
    except subprocess.TimeoutExpired as err:
        raise NoState(f"git took more than {timeout_s:g} s; raise code.timeout_s") from err
    except OSError as err:
        raise NoState(f"git cannot be started ({err.strerror})") from err
    if result.returncode and b"fatal" in result.stderr:
        why = result.stderr.decode("utf-8", "replace").strip().splitlines()[0][:200]
        raise NoState(f"git cannot read it ({why}); clone it again")
    return result.stdout


def _command(folder: Path, arguments: list[str]) -> list[str]:
    options = [word for option in _SAFE for word in ("-c", option)]
    return ["git", f"--git-dir={folder}", "--no-optional-locks", "--no-pager", *options, *arguments]


def _environment() -> dict[str, str]:
    return only_needed(os.environ) | _VARIABLES
