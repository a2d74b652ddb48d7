"""Files that are written completely or not at all, and file names that every file system accepts."""

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
from methodlens.system_errors import fix_for

_TEMPORARY = ".methodlens-"
_STALE_S = 24 * 3600
_LONGEST_NAME = 80
_RESERVED = frozenset(["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))])


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary file that is renamed to `path` at the end, or removed if an error occurs.

    with atomic_path(Path("report.html")) as draft:
        draft.write_text("...")
    """
    draft: Path | None = None
    try:
        with output_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=_TEMPORARY, suffix=".part", dir=path.parent)
            os.close(handle)
            draft = Path(name)
            yield draft
            # mkstemp creates files that only the owner can read; use the permissions of an ordinary new file
            mask = os.umask(0)
            os.umask(mask)
            draft.chmod(0o666 & ~mask)
            os.replace(draft, path)
    finally:
        if draft:
            draft.unlink(missing_ok=True)


@contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """A hidden temporary folder next to `path`. Not in /tmp, which may be small or in memory."""
    with output_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_stale(path.parent)
        folder = tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=path.parent, ignore_cleanup_errors=True)
    with folder as name:
        yield Path(name)


def _remove_stale(folder: Path) -> None:
    """Remove what killed processes left behind. Recent files stay: another process may be using them."""
    for file in folder.glob(f"{_TEMPORARY}*"):
        if time.time() - file.stat().st_mtime > _STALE_S:
            shutil.rmtree(file, ignore_errors=True) if file.is_dir() else file.unlink(missing_ok=True)


@contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Turn an `OSError` while writing `path` into an `OutputError` that says what to do."""
    try:
        yield
    except OSError as err:
        problem = f"{path} cannot be written ({err.strerror or err})"
        fix = fix_for(err, "close it if another program has it open, free disk space, or choose another path")
        raise OutputError(problem, fix) from err


def slug(name: str) -> str:
    """A safe file name: letters, digits, dots, dashes and underscores; never empty, hidden, long or reserved.

    A name that is shortened, reserved or has no safe characters gets part of its hash, so that two such names stay distinct.

    >>> slug("chat:groq"), slug("../../etc/passwd"), slug("CON")
    ('chat-groq', 'etc-passwd', 'CON-a3dbc4b6')
    """
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", ascii_name)
    safe = re.sub(r"\.{2,}", ".", safe).strip("-. ")
    if not safe or len(safe) > _LONGEST_NAME or safe.split(".")[0].lower() in _RESERVED:
        return with_hash(safe, name)
    return safe


def with_hash(safe: str, name: str) -> str:
    """`safe`, shortened if necessary, with the first eight digits of the hash of `name`."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    # the digest replaces everything after the first dot of a reserved name: CON.txt-1234 is still the device CON
    reserved = safe.split(".")[0].lower() in _RESERVED
    stem = safe[:_LONGEST_NAME].split(".")[0] if reserved else safe[:_LONGEST_NAME].rstrip("-. ")
    return f"{stem}-{digest}" if stem else digest


class PaperFileNames:
    """A safe file name per paper, without suffix. Papers whose names differ only in characters that file names cannot have get
    part of their hash.

    >>> names = PaperFileNames("form")
    >>> names.of("gulls: a.pdf"), names.of("gulls: a.pdf"), names.of("gulls? a.pdf")
    ('form_gulls-a', 'form_gulls-a', 'form_gulls-a-254db822')
    """

    def __init__(self, prefix: str) -> None:
        self._prefix, self._taken = prefix, dict[str, str]()

    def of(self, paper: str) -> str:
        name = f"{self._prefix}_{slug(Path(paper).stem)}"
        if self._taken.setdefault(name.lower(), paper) != paper:  # some file systems do not tell cases apart
            name = with_hash(name, paper)
            self._taken[name.lower()] = paper
        return name

    def __len__(self) -> int:
        return len(self._taken)
