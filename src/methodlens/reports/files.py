"""A report is there whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from methodlens.errors import OutputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its name at the end, or is removed if something went wrong.

    with replacing(Path("report.html")) as draft:
        draft.write_text("...")
    """
    draft: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".methodlens-", suffix=".part", dir=path.parent)
        os.close(handle)
        draft = Path(name)
        yield draft
        # mkstemp makes files for the owner's eyes only; a report is as open as any other file the user makes
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        os.replace(draft, path)
    except OSError as err:
        problem = f"{path} cannot be written ({err.strerror or err})"
        raise OutputError(problem, "close it if it is open elsewhere, free some space, or choose another place") from err
    finally:
        if draft:
            draft.unlink(missing_ok=True)
