"""The files of a repository: a folder, an archive, or a state of its git history. Nothing is written, no link is followed."""

import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol, TypeVar, cast

from msgspec import Struct

from methodlens.code.skipped import Skipped
from methodlens.settings import CodeLimits

ARCHIVE_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".whl")
_LINK, _DEPTH, _NAME = "symbolic link, not followed", "nested too deeply", "name that leads out of the archive"
_SPECIAL, _DENIED = "neither file nor folder", "cannot be read"
M = TypeVar("M")
_DECOMPRESSED = 10  # an archive may grow by this factor over max_total_mb


class TreeTooBig(Exception):
    """The message says which limit to raise."""


class TreeBroken(Exception):
    """The message says what is wrong with the archive."""


class Entry(Struct, frozen=True):
    """A file by its path from the root of the repository, with "/" between the parts."""

    name: str
    size: int


class Tree(Protocol):
    """What is in a repository, and a way to read it. `read` gives at most `limit` bytes."""

    @property
    def entries(self) -> list[Entry]: ...
    def read(self, entry: Entry, limit: int) -> bytes: ...


def open_tree(path: Path, limits: CodeLimits, skipped: Skipped) -> Tree:
    """Raises TreeTooBig, TreeBroken or OSError."""
    if path.is_dir():
        return FolderTree(path, limits, skipped)
    if path.stat().st_size > limits.max_total_mb << 20:
        raise TreeTooBig(f"the archive has more than {limits.max_total_mb} MB; raise code.max_total_mb")
    try:
        return ZipTree(path, limits, skipped) if zipfile.is_zipfile(path) else TarTree(path, limits, skipped)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError, OSError, NotImplementedError) as err:
        reason = str(err).partition(":")[0]  # tarfile lists what it tried, on several lines
        raise TreeBroken(f"it is not a readable archive ({reason}); pack the repository again, or give its folder") from err


class FolderTree:
    """A folder. Links are skipped, and files are opened without following one that replaced a file since."""

    def __init__(self, root: Path, limits: CodeLimits, skipped: Skipped) -> None:
        self._root, self._limits, self._skipped = root, limits, skipped
        self._seen = 0
        self.entries: list[Entry] = []
        self._walk(str(root))
        self.entries.sort(key=lambda entry: entry.name)

    def _walk(self, root: str) -> None:
        pending = [(root, "", 0)]
        while pending:
            folder, prefix, depth = pending.pop()
            try:
                items = sorted(os.scandir(folder), key=lambda item: item.name)
            except OSError:
                self._skipped.add(_DENIED, prefix or ".")
                continue
            for item in items:
                self._seen = _count(self._seen, self._limits)
                name = prefix + item.name
                if item.is_symlink():
                    self._skipped.add(_LINK, name)
                elif item.is_dir(follow_symlinks=False):
                    if item.name == ".git":
                        continue
                    if depth + 1 >= self._limits.max_depth:
                        self._skipped.add(_DEPTH, name)
                    else:
                        pending.append((item.path, name + "/", depth + 1))
                elif item.is_file(follow_symlinks=False):
                    self.entries.append(Entry(name, item.stat(follow_symlinks=False).st_size))
                elif item.name != ".git":
                    self._skipped.add(_SPECIAL, name)

    def read(self, entry: Entry, limit: int) -> bytes:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self._root / entry.name, flags)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return b""
            return file.read(limit)


class ZipTree:
    def __init__(self, path: Path, limits: CodeLimits, skipped: Skipped) -> None:
        self._zip = zipfile.ZipFile(path)
        self._members: dict[str, zipfile.ZipInfo] = {}
        seen = 0
        for info in self._zip.infolist():
            seen = _count(seen, limits)
            if info.is_dir():
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                skipped.add(_LINK, info.filename)
            elif name := _inside(info.filename, limits, skipped):
                self._members[name] = info
        self._strip, self.entries = _without_top(self._members, lambda info: info.file_size)

    def read(self, entry: Entry, limit: int) -> bytes:
        """At most `limit` bytes are decompressed, whatever the header says."""
        with self._zip.open(self._members[self._strip + entry.name]) as file:
            return file.read(limit)


class TarTree:
    def __init__(self, path: Path, limits: CodeLimits, skipped: Skipped) -> None:
        self._tar = tarfile.open(path, "r:*")  # noqa: SIM115 - read as long as the tree is
        if self._tar.fileobj is not None:
            self._tar.fileobj = cast(Any, _Bounded(cast(Any, self._tar.fileobj), _DECOMPRESSED * limits.max_total_mb << 20))
        self._members: dict[str, tarfile.TarInfo] = {}
        seen = 0
        for info in self._tar:
            seen = _count(seen, limits)
            if info.issym() or info.islnk():
                skipped.add(_LINK, info.name)
            elif info.isfile():
                if name := _inside(info.name, limits, skipped):
                    self._members[name] = info
            elif not info.isdir():
                skipped.add(_SPECIAL, info.name)
        self._strip, self.entries = _without_top(self._members, lambda info: info.size)

    def read(self, entry: Entry, limit: int) -> bytes:
        file = self._tar.extractfile(self._members[self._strip + entry.name])
        return file.read(limit) if file else b""


class SnapshotTree(TarTree):
    """A state of a git history, in the archive that `git_history.write_snapshot` made of it."""

    def __init__(
        self, path: Path, limits: CodeLimits, skipped: Skipped, *, unread: tuple[tuple[str, int], ...], links: tuple[str, ...]
    ) -> None:
        self._tar = tarfile.open(path, "r:")  # noqa: SIM115
        self._members = {info.name: info for info in self._tar}
        self._strip = ""
        for name in links:
            skipped.add(_LINK, name)
        present = [Entry(name, info.size) for name, info in self._members.items()]
        self.entries = sorted([*present, *(Entry(*each) for each in unread)], key=lambda entry: entry.name)

    def read(self, entry: Entry, limit: int) -> bytes:
        return super().read(entry, limit) if entry.name in self._members else b""


class _Bounded:
    """A file that raises an error once more bytes were read from it than a repository may have."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._left = file, limit

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise TreeTooBig("the archive grows too much when it is unpacked; raise code.max_total_mb if you trust it")
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        before = self._file.tell()
        after = self._file.seek(offset, whence)
        self._left -= max(0, after - before)  # seeking forward decompresses
        if self._left < 0:
            raise TreeTooBig("the archive grows too much when it is unpacked; raise code.max_total_mb if you trust it")
        return after

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()


def _count(seen: int, limits: CodeLimits) -> int:
    if seen >= limits.max_entries:
        raise TreeTooBig(f"it has more than {limits.max_entries:,} files and folders; raise code.max_entries")
    return seen + 1


def _inside(name: str, limits: CodeLimits, skipped: Skipped) -> str:
    """The name of a member in a plain form; empty if it leads out of the archive or too deep."""
    plain = name.replace("\\", "/")
    path = PurePosixPath(plain)
    if path.is_absolute() or ".." in path.parts or (path.parts and path.parts[0].endswith(":")):
        skipped.add(_NAME, plain)
        return ""
    if len(path.parts) > limits.max_depth:
        skipped.add(_DEPTH, plain)
        return ""
    return "" if ".git" in path.parts[:2] else str(path)


def _without_top(members: dict[str, M], size: Callable[[M], int]) -> tuple[str, list[Entry]]:
    """Archives of GitHub and PyPI have one folder around everything."""
    tops = {name.partition("/")[0] for name in members}
    top = f"{next(iter(tops))}/" if len(tops) == 1 and all("/" in name for name in members) else ""
    return top, [Entry(name.removeprefix(top), size(info)) for name, info in members.items()]
