"""Take away from a process what parsing a PDF does not need: network, writing files, other processes' data, new privileges.

Limits on memory and time stop a PDF that is broken; this stops one that takes over the library that parses it. Everything is
best effort: what a system does not offer is skipped, and `confine` says what holds. docs/explanation/security.md lists it.
"""

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable

NO_NEW_PRIVILEGES, NO_FILES, NO_PROCESSES = "no new privileges", "no file written", "no process started"
NO_NETWORK, ONLY_READING = "no network", "files outside /proc are read only"

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # Landlock's system calls, the same on all architectures
_READ = 0b1101  # execute, read files, read folders
_WRITE = 0b1_1111_1111_0010  # write, remove and make files, folders, links, sockets and devices
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_TCP = 0b11  # bind and connect
_BELOW_PATH = 1


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def confine(*, reading_only: bool = True) -> list[str]:
    """Confine this process for good, and list what holds. Without `reading_only` it may write files and start processes."""
    steps: list[tuple[str, Callable[[], bool]]] = [(NO_NEW_PRIVILEGES, _no_new_privileges), (NO_NETWORK, _no_network)]
    if reading_only:
        steps += [(NO_FILES, _no_files), (NO_PROCESSES, _no_processes), (ONLY_READING, _only_reading)]
    holds: list[str] = []
    for name, step in steps:
        with contextlib.suppress(Exception):  # a system without it
            if step():
                holds.append(name)
    return holds


def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError("only Linux offers this")
    return ctypes.CDLL(None, use_errno=True)


def _no_new_privileges() -> bool:
    return bool(_libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)


def _no_network() -> bool:
    """A network namespace of its own, which has no interface that is up. Without root it needs a user namespace."""
    libc = _libc()
    return bool(libc.unshare(_CLONE_NEWNET) == 0 or libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0)


def _no_files() -> bool:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    return True


def _no_processes() -> bool:
    import resource

    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    return os.geteuid() != 0  # root is exempt


def _only_reading() -> bool:
    """Landlock. /proc is left out: it has the environment of other processes."""
    libc = _libc()
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    files = _READ | _WRITE | (_REFER if version > 1 else 0) | (_TRUNCATE if version > 2 else 0)
    ruleset = _Ruleset(files, _TCP if version > 3 else 0)
    size = ctypes.sizeof(ruleset) if version > 3 else ctypes.sizeof(ctypes.c_uint64)
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), size, 0)
    if rules < 0:
        return False
    try:
        for entry in os.scandir("/"):
            if entry.name != "proc" and entry.is_dir():
                _allow_reading(libc, rules, entry.path)
        return bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _allow_reading(libc: ctypes.CDLL, rules: int, folder: str) -> None:
    with contextlib.suppress(PermissionError):
        descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = _Rule(_READ, descriptor)
            libc.syscall(_ADD_RULE, rules, _BELOW_PATH, ctypes.byref(rule), 0)
        finally:
            os.close(descriptor)
