"""Papers at URLs that fsspec supports (s3://, gs://, file://, memory://, ...). Needs the extra `cloud`.

A remote paper is copied to a temporary file while it is parsed, and the copy is deleted afterwards.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.papers.files import PaperFile

_BLOCK = 1 << 20


class FetchError(Exception):
    """A remote paper could not be fetched. The message is the paper's reason: what went wrong and the fix."""


def is_url(source: object) -> bool:
    return isinstance(source, str) and "://" in source


def list_remote(url: str, suffixes: Sequence[str]) -> list[tuple[str, str]]:
    """The URL of each paper below `url`, and its path below it."""
    store, root = _open_store(url)
    try:
        if store.isfile(root):
            return [(store.unstrip_protocol(root), root.rpartition("/")[2])]
        paths = store.find(root)
    except FileNotFoundError:
        paths = []
    except Exception as err:  # each store raises its own errors: no credentials, no such bucket, no network
        raise InputError(
            f"{url} cannot be listed ({_first_line(err)})", "check the URL and this machine's credentials for it"
        ) from err
    folder = root.rstrip("/") + "/"
    return [
        (store.unstrip_protocol(path), path.removeprefix(folder))
        for path in paths
        if path.lower().endswith(tuple(suffixes)) and not path.rpartition("/")[2].startswith(".")
    ]


@contextmanager
def local_copy(file: "PaperFile", *, max_mb: int) -> Iterator[Path]:
    """The path of a local file, or of a temporary copy of a remote one. Raises FetchError."""
    if not is_url(file.location):
        yield file.path
        return
    handle, name = tempfile.mkstemp(prefix="methodlens-", suffix=Path(file.name).suffix)
    try:
        with os.fdopen(handle, "wb") as copy:
            _fetch(file.location, copy, max_mb)
        yield Path(name)
    finally:
        os.unlink(name)


def _fetch(url: str, copy: Any, max_mb: int) -> None:
    try:
        store, path = _open_store(url)
        with store.open(path, "rb") as source:
            while block := source.read(_BLOCK):
                copy.write(block)
                if copy.tell() > max_mb << 20:
                    raise FetchError(f"it is larger than {max_mb} MB; raise papers.max_file_mb")
    except FetchError:
        raise
    except Exception as err:  # as above; other papers may still be available
        raise FetchError(f"it could not be fetched ({_first_line(err)}); check the URL and the credentials") from err


def _open_store(url: str) -> tuple[Any, str]:
    """The fsspec file system, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as err:
        raise InputError(f"{url} needs fsspec, which is not installed", "pip install 'methodlens[cloud]'") from err
    try:
        store, path = url_to_fs(url)
    except (ImportError, ValueError) as err:  # the message names the package that this kind of URL needs
        raise InputError(f"{url} cannot be opened ({_first_line(err)})", "install the package it names, or give a path") from err
    return store, str(path)


def _first_line(err: Exception) -> str:
    return (str(err).splitlines() or [""])[0][:200] or type(err).__name__
