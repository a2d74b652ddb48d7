"""A report is there whole or not at all."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from methodlens.errors import OutputError

_DRAFT = ".methodlens-"
_LEFT_S = 24 * 3600


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its name at the end, or is removed if something went wrong.

    with replacing(Path("report.html")) as draft:
        draft.write_text("...")
    """
    draft: Path | None = None
    try:
        with plainly(path):
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
def scratch(path: Path) -> Iterator[Path]:
    """A hidden folder beside `path` for what it will be made of, gone at the end. Not in /tmp: that may be memory, or small."""
    with plainly(path):
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
def plainly(path: Path) -> Iterator[None]:
    """What the system says against writing `path`, as an error with a way out."""
    try:
        yield
    except OSError as err:
        problem = f"{path} cannot be written ({err.strerror or err})"
        raise OutputError(problem, "close it if it is open elsewhere, free some space, or choose another place") from err
