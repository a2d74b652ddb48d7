"""Papers that lie elsewhere: any URL that fsspec knows (s3://, gs://, file://, memory://, ...), with the extra `cloud`.

They are fetched one at a time by whoever reads them, into a file that is gone when the paper is read.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.papers.files import PaperFile

_BLOCK = 1 << 20


class NotFetched(Exception):
    """This paper could not be had; its message says why and what to do."""


def is_url(source: object) -> bool:
    return isinstance(source, str) and "://" in source


def below(url: str) -> list[tuple[str, str]]:
    """Each PDF below the URL, and its name below it."""
    files, root = _opened(url)
    try:
        if files.isfile(root):
            return [(files.unstrip_protocol(root), root.rpartition("/")[2])]
        listed = files.find(root)
    except FileNotFoundError:
        listed = []
    except Exception as err:  # whatever a store's own library raises: no credentials, no such bucket, no network
        raise InputError(
            f"{url} cannot be listed ({_first_line(err)})", "check the URL and this machine's credentials for it"
        ) from err
    start = root.rstrip("/") + "/"
    return [
        (files.unstrip_protocol(path), path.removeprefix(start))
        for path in listed
        if path.lower().endswith(".pdf") and not path.rpartition("/")[2].startswith(".")
    ]


@contextmanager
def on_disk(file: "PaperFile", *, max_mb: int) -> Iterator[Path]:
    """Where it lies; what lies elsewhere is fetched first. Raises NotFetched."""
    if not is_url(file.location):
        yield file.path
        return
    handle, name = tempfile.mkstemp(prefix="methodlens-", suffix=".pdf")
    try:
        with os.fdopen(handle, "wb") as copy:
            _fetch(file.location, copy, max_mb)
        yield Path(name)
    finally:
        os.unlink(name)


def _fetch(url: str, copy: Any, max_mb: int) -> None:
    try:
        files, path = _opened(url)
        with files.open(path, "rb") as source:
            while block := source.read(_BLOCK):
                copy.write(block)
                if copy.tell() > max_mb << 20:
                    raise NotFetched(f"it has over {max_mb} MB; raise papers.max_file_mb")
    except NotFetched:
        raise
    except Exception as err:  # as above; another paper may be there
        raise NotFetched(f"it could not be fetched ({_first_line(err)}); check the URL and the credentials") from err


def _opened(url: str) -> tuple[Any, str]:
    """The store, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as err:
        raise InputError(f"{url} needs fsspec, which is not installed", "pip install 'methodlens[cloud]'") from err
    try:
        files, path = url_to_fs(url)
    except (ImportError, ValueError) as err:  # it names the package that this kind of URL needs
        raise InputError(f"{url} cannot be opened ({_first_line(err)})", "install what it names, or give a path") from err
    return files, str(path)


def _first_line(err: Exception) -> str:
    return (str(err).splitlines() or [""])[0][:200] or type(err).__name__
