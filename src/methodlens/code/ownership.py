"""Which files are the project's own, and which were copied, installed or built into its tree."""

import re
from collections import defaultdict
from functools import cache
from pathlib import PurePosixPath

from methodlens.code.names import data
from methodlens.code.packages import framework_of
from methodlens.code.skipped import Skipped
from methodlens.code.trees import Entry

_LICENSE = re.compile(r"(?:licen[cs]e|copying)(?:\.\w+)?", re.I)


@cache
def _folders(kind: str) -> frozenset[str]:
    return frozenset(data("folders")[kind])


def own_entries(entries: list[Entry], skipped: Skipped, *, submodules: frozenset[str] = frozenset()) -> list[Entry]:
    """The project's own files. Folders that are not are counted with their number of files."""
    copied = _copied(entries)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    own: list[Entry] = []
    for entry in entries:
        found = _foreign(entry.name, copied, submodules)
        if found is None:
            own.append(entry)
        else:
            counts[found] += 1
    for (reason, folder), count in sorted(counts.items()):
        skipped.add(reason, f"{folder}/ ({count:,} file{'s' if count != 1 else ''})")
    return own


def _foreign(name: str, copied: frozenset[str], submodules: frozenset[str]) -> tuple[str, str] | None:
    """The reason and the outermost folder that is not the project's own."""
    parts = PurePosixPath(name).parts
    for depth, part in enumerate(parts[:-1], 1):
        folder, lower = "/".join(parts[:depth]), part.lower()
        if lower in _folders("dependencies") or (lower == "env" and "pyvenv.cfg" in parts):
            return "installed dependencies", folder
        if lower in _folders("vendored"):
            return "code of others", folder
        if lower in _folders("built") or lower.endswith((".egg-info", ".dist-info")):
            return "build output", folder
        if folder in copied:
            return "copied package", folder
        if folder in submodules:
            return "submodule, not part of this repository", folder
    return None


def _copied(entries: list[Entry]) -> frozenset[str]:
    """Folders with a licence and a set-up of their own: well-known packages, or with a README as well."""
    names: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        folder, _, name = entry.name.rpartition("/")
        names[folder].add(
            "LICENSE" if _LICENSE.fullmatch(name) else "README" if name.lower().startswith("readme") else name.lower()
        )
    if not any(name.endswith((".py", ".ipynb", ".r", ".jl")) or name in ("LICENSE", "README") for name in names.get("", ())):
        return frozenset()
    copied: set[str] = set()
    for folder, files in names.items():
        installs = {"setup.py", "pyproject.toml", "setup.cfg"} & files
        known = folder.rpartition("/")[2].lower() in _folders("copied") or bool(framework_of(folder.rpartition("/")[2]))
        if folder and "LICENSE" in files and ((known and (installs or "README" in files)) or (installs and "README" in files)):
            copied.add(folder)
    return frozenset(copied)


def submodule_paths(gitmodules: str) -> frozenset[str]:
    return frozenset(match[1].strip().strip("/") for match in re.finditer(r"^\s*path\s*=\s*(\S{1,300})", gitmodules, re.M))
