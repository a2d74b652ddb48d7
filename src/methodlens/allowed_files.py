"""A settings file that lies in a folder may name servers only after the user has allowed it, by its content, as direnv does.

Otherwise a folder received from someone else could send papers, and any key in the environment, to a server of theirs.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def outward_settings(tree: Mapping[str, Any]) -> Iterator[str]:
    """The settings that send something elsewhere, each with where to."""
    readers = tree.get("readers")
    for name, table in readers.items() if isinstance(readers, Mapping) else ():
        if isinstance(table, Mapping) and not table.get("gguf"):
            key = f", with the key in {table['key_variable']}" if table.get("key_variable") else ""
            yield f"readers.{name} -> {table.get('base_url') or table.get('preset') or '?'}{key}"
    retrieval = tree.get("retrieval")
    embeddings = retrieval.get("embeddings") if isinstance(retrieval, Mapping) else None
    if isinstance(embeddings, Mapping):
        yield f"retrieval.embeddings -> {embeddings.get('base_url', '?')}"
    if tree.get("ledger"):
        yield f"ledger -> {str(tree['ledger']).rpartition('@')[2]}"


def key_variables(tree: Mapping[str, Any]) -> list[str]:
    """The environment variables that would be sent to servers."""
    retrieval, readers = tree.get("retrieval"), tree.get("readers")
    tables = [*(readers.values() if isinstance(readers, Mapping) else ())]
    tables += [retrieval.get("embeddings")] if isinstance(retrieval, Mapping) else []
    return [str(table["key_variable"]) for table in tables if isinstance(table, Mapping) and table.get("key_variable")]


def is_allowed(file: Path, environ: Mapping[str, str]) -> bool:
    try:
        return _digest(file) in _list(environ).read_text(encoding="utf-8").split()
    except OSError:
        return False


def allow(file: Path, environ: Mapping[str, str]) -> None:
    """Remember the file by its content: a change has to be allowed again."""
    if not is_allowed(file, environ):
        path = _list(environ)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as allowed:
            allowed.write(f"{_digest(file)}\n")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _list(environ: Mapping[str, str]) -> Path:
    home = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA") or os.path.join(environ.get("HOME", "~"), ".config")
    return Path(home).expanduser() / "methodlens" / "allowed-settings"
