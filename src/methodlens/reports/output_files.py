"""Files written whole or not at all, under names that every file system accepts."""

import hashlib
import os
import re
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from methodlens.errors import OutputError

_DRAFT = ".methodlens-"
_LEFT_S = 24 * 3600
_LONGEST = 80
_RESERVED = frozenset(["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))])


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its name at the end, or is removed if something went wrong.

    with atomic_path(Path("report.html")) as draft:
        draft.write_text("...")
    """
    draft: Path | None = None
    try:
        with output_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=_DRAFT, suffix=".part", dir=path.parent)
            os.close(handle)
            draft = Path(name)
            yield draft
            # mkstemp makes files for the owner's eyes only; a report is as open as any other file the user makes
            mask = os.umask(0)
            os.umask(mask)
            draft.chmod(0o666 & ~mask)
            os.replace(draft, path)
    finally:
        if draft:
            draft.unlink(missing_ok=True)


@contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """A hidden folder beside `path` for what it will be made of, gone at the end. Not in /tmp: that may be memory, or small."""
    with output_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear(path.parent)
        folder = tempfile.TemporaryDirectory(prefix=_DRAFT, dir=path.parent, ignore_cleanup_errors=True)
    with folder as name:
        yield Path(name)


def _clear(folder: Path) -> None:
    """What a kill left behind. Not today's: somebody else may be writing there just now."""
    for there in folder.glob(f"{_DRAFT}*"):
        if time.time() - there.stat().st_mtime > _LEFT_S:
            shutil.rmtree(there, ignore_errors=True) if there.is_dir() else there.unlink(missing_ok=True)


@contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """What the system says against writing `path`, as an error with a way out."""
    try:
        yield
    except OSError as err:
        problem = f"{path} cannot be written ({err.strerror or err})"
        raise OutputError(problem, "close it if it is open elsewhere, free some space, or choose another place") from err


def slug(name: str) -> str:
    """Letters, digits, dots, dashes and underscores only; never empty, hidden, long or reserved.

    What had to be shortened or had nothing to keep gets a piece of its hash, so that two such names stay two.

    >>> slug("chat:groq"), slug("../../etc/passwd"), slug("CON")
    ('chat-groq', 'etc-passwd', 'CON-a3dbc4b6')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)
    safe = re.sub(r"\.{2,}", ".", safe).strip("-. ")
    if not safe or len(safe) > _LONGEST or safe.split(".")[0].lower() in _RESERVED:
        return with_hash(safe, name)
    return safe


def with_hash(safe: str, name: str) -> str:
    """`safe`, shortened if need be, with the first eight digits of the hash of `name`."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    # the digest goes before the first dot: CON.txt-1234 would still be the device CON
    stem = safe[:_LONGEST].split(".")[0] if safe.split(".")[0].lower() in _RESERVED else safe[:_LONGEST].rstrip("-. ")
    return f"{stem}-{digest}" if stem else digest
