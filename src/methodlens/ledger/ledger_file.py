"""The file of a SQLite ledger: half made on a full disk, locked by another process, or where nothing can be written."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

_HEADER = b"SQLite format 3\0"
_HEADER_SIZE = 100
_BLOCK = 1 << 20
_MAX_COMMAND = 80


def sidecar_files(path: Path) -> tuple[Path, Path]:
    """The files that SQLite keeps next to its database: changes that are not in it yet, and their index."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def remove_if_half_made(path: Path) -> None:
    """Remove a file whose first page was never written, as a full disk leaves it: empty, all zeros, or a part of the header.

    Any other file is kept, and so is one with changes next to it.
    """
    wal, shm = sidecar_files(path)
    if wal.exists() and wal.stat().st_size:
        return
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_HEADER_SIZE)
        part_of_header = size < _HEADER_SIZE and _HEADER.startswith(head[: len(_HEADER)])
        if not part_of_header and (any(head) or any(any(block) for block in iter(lambda: file.read(_BLOCK), b""))):
            return
    for leftover in (path, wal, shm):
        leftover.unlink(missing_ok=True)


def is_writable(path: Path) -> bool:
    """Whether SQLite can write the file, for which it makes others next to it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def copy_with_changes(path: Path, folder: Path) -> Path:
    """Copy a ledger and its pending changes; returns the path of the copy."""
    for file in (path, sidecar_files(path)[0]):
        if file.exists():
            shutil.copyfile(file, folder / file.name)
    return folder / path.name


def describe_holders(path: Path) -> str:
    """Which other processes hold a lock on the ledger: 'process 4711 (methodlens run papers)'. Only Linux tells."""
    files = (path, *sidecar_files(path), path.with_name(f"{path.name}.lock"))
    inodes = {file.stat().st_ino for file in files if file.exists()}
    holders = dict.fromkeys(pid for pid, inode in _system_locks() if inode in inodes and pid not in (0, os.getpid()))
    return " and ".join(f"process {pid}{_command(pid)}" for pid in holders) or "another process"


def _system_locks() -> Iterator[tuple[int, int]]:
    """The process and the inode of each lock. A line reads '1: FLOCK ADVISORY WRITE 6853 fe:00:3212594 0 EOF'."""
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        fields = line.replace("->", "").split()
        if len(fields) >= 6 and fields[4].lstrip("-").isdigit() and (inode := fields[5].rpartition(":")[2]).isdigit():
            yield int(fields[4]), int(inode)


def _command(pid: int) -> str:
    """The program and its subcommand, without arguments that may hold a password."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ""
    names = [Path(word).name for word in words[:3] if word and "://" not in word and not word.startswith("-")]
    text = " ".join(names)[:_MAX_COMMAND]
    return f" ({text})" if text.isprintable() and text else ""
