"""The repository of a paper: read now, or known from before because nothing in it has changed."""

import os
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from methodlens.code.git_history import NoState, find_state, git_folder
from methodlens.code.reading import READER, read_repository
from methodlens.engine.code_pairs import AT_PUBLICATION, CodeSource
from methodlens.ledger import repositories
from methodlens.ledger.keys import digest
from methodlens.ledger.store import Ledger
from methodlens.papers import sha256_of
from methodlens.papers.files import printable_name
from methodlens.records import PaperEntry
from methodlens.records.code import Repository, RepositoryStatus
from methodlens.settings import CodeLimits


class ReadCode(NamedTuple):
    """A repository, the key it is stored under, and whether the ledger had it already."""

    key: str
    repository: Repository
    known: bool = False


def read_code(source: CodeSource, entry: PaperEntry, ledger: Ledger, *, limits: CodeLimits) -> ReadCode | None:
    """The repository of a paper. None if it was only guessed to be one and nothing was found in it."""
    path, at = Path(source.location), source.at
    if at == AT_PUBLICATION:
        if not entry.year:
            reason = "the year of the paper is not known; add it to manifest.csv, or give a date instead of 'publication'"
            failed = Repository(printable_name(path), READER, RepositoryStatus.MALFORMED, reason)
            return ReadCode(digest([failed.location, at, entry.sha256]), failed)
        at = str(entry.year)
    try:
        key = digest([printable_name(path), READER, limits, _state(path, at, limits)])
        known = repositories.known(ledger, key)
        repository = known or read_repository(path, at=at, limits=limits)
    except OSError as err:  # such as a folder without permission, or a disk that is gone
        key, known = digest([printable_name(path), READER, at]), None
        reason = f"it cannot be read ({err.strerror}); check its permissions"
        repository = Repository("", READER, RepositoryStatus.MISSING, reason)
    if source.guessed and not repository.findings:
        return None
    return ReadCode(key, replace(repository, location=printable_name(path)), bool(known))


def keep_code(ledger: Ledger, run: str, paper: str, code: ReadCode | None) -> None:
    """Store it and link it to the paper; None: the paper has no repository."""
    if code:
        repositories.keep(ledger, run, paper, code.key, code.repository)
    else:
        repositories.unlink(ledger, run, paper)


def _state(path: Path, at: str, limits: CodeLimits) -> object:
    """What tells that a repository has changed, without reading it: its commit, or names, sizes and times of its files."""
    if not path.is_dir():
        return sha256_of(path)
    if folder := git_folder(path):
        try:
            return find_state(folder.absolute(), at, timeout_s=limits.timeout_s).commit
        except NoState as err:
            return str(err)
    files: list[tuple[str, int, int]] = []
    folders = [str(path)]
    while folders and len(files) <= limits.max_entries:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        stat = entry.stat(follow_symlinks=False)
                        files.append((os.fsencode(os.path.relpath(entry.path, path)).hex(), stat.st_size, stat.st_mtime_ns))
        except OSError:
            continue
    return sorted(files)
