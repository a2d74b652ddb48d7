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
from methodlens.text.url_secrets import redact_message, redact_url

if TYPE_CHECKING:
    from methodlens.papers.files import PaperFile

_BLOCK = 1 << 20


class FetchError(Exception):
    """A remote paper could not be fetched. The message is the paper's reason: what went wrong and the fix."""


def is_url(source: object) -> bool:
    return isinstance(source, str) and "://" in source


def list_remote(url: str, suffixes: Sequence[str]) -> list[tuple[str, str]]:
    """The URL of each paper below `url`, with any password, and its path below it, without."""
    store, root = _open_store(url)
    try:
        if store.isfile(root):
            return [(store.unstrip_protocol(root), redact_url(root.rpartition("/")[2]))]
        folder = root.rstrip("/") + "/"
        return [
            (store.unstrip_protocol(path), redact_url(path.removeprefix(folder)))
            for path in store.find(root)
            if path.lower().endswith(tuple(suffixes)) and not path.rpartition("/")[2].startswith(".")
        ]
    except FileNotFoundError:
        return []
    except Exception as err:  # each store raises its own errors: no credentials, no such bucket, no network
        raise InputError(
            f"{redact_url(url)} cannot be listed ({_reason(err, url)})", "check the URL and this machine's credentials for it"
        ) from None  # the cause may show the password


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
        raise FetchError(f"it could not be fetched ({_reason(err, url)}); check the URL and the credentials") from None


def _open_store(url: str) -> tuple[Any, str]:
    """The fsspec file system, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as err:
        fix = "pip install 'methodlens[cloud]'"
        raise InputError(f"{redact_url(url)} needs fsspec, which is not installed", fix) from err
    try:
        store, path = url_to_fs(url)
        return store, str(path)
    except (ImportError, ValueError) as err:  # the message names the package that this kind of URL needs
        fix = "install the package it names, or give a path"
        raise InputError(f"{redact_url(url)} cannot be opened ({_reason(err, url)})", fix) from None
    except Exception as err:  # some kinds of URL need options that cannot be given here, such as reference://
        fix = "use s3://, gs://, https:// or a path"
        raise InputError(f"{redact_url(url)} cannot be opened ({_reason(err, url)})", fix) from None


def _reason(err: Exception, url: str) -> str:
    first_line = (str(err).splitlines() or [""])[0][:200] or type(err).__name__
    return redact_message(first_line, url)
