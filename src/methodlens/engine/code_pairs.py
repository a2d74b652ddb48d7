"""Which repository belongs to which paper: named by the user, in a manifest.csv, or next to the papers under their names."""

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from methodlens.code.git_history import NoState, find_state, git_folder
from methodlens.code.looks import looks_like_code
from methodlens.code.trees import ARCHIVE_SUFFIXES
from methodlens.engine.pair_choice import PairChoice
from methodlens.errors import InputError
from methodlens.papers import PaperFile, Sidecars
from methodlens.papers.files import printable_name
from methodlens.papers.remote_files import is_url
from methodlens.settings import CodeLimits

AT_PUBLICATION = "publication"
"""The last state of the year in which the paper was published."""
_FOLDER = "code"
"""A folder of this name next to the papers has their repositories."""
_FORM = "write PAPER=PATH, PAPER=PATH@2023-05-31 or PAPER=PATH@COMMIT, or name a folder of repositories"


class CodeSource(NamedTuple):
    """A repository and the state of it that counts: a date, a commit, `publication`, or '' for the one that is there."""

    location: str
    at: str = ""
    guessed: bool = False
    """From the names of files alone: a repository in which nothing is found is then none."""

    @property
    def shown(self) -> str:
        return printable_name(self.location) + (f"@{self.at}" if self.at else "")


def pair_code(
    papers: Sequence[PaperFile], choice: PairChoice, sidecars: Iterable[Sidecars], *, limits: CodeLimits
) -> dict[str, CodeSource]:
    """The repository of each paper that has one, by the paper's name. Raises InputError for an impossible pair."""
    if not choice.find:
        return {}
    pairs = _guessed(papers)
    for sidecar in reversed([*sidecars]):
        for paper in papers:
            if entry := sidecar.code(paper.name):
                pairs[paper.name] = _checked(*_split(str(sidecar.folder / entry.path), entry.at), entry.source, limits)
    names = {paper.name for paper in papers}
    for given in choice.given:
        pairs |= _given(given, names, papers, limits, waits=choice.waits)
    return pairs


def outside(papers: Iterable[PaperFile], pairs: Mapping[str, CodeSource]) -> list[PaperFile]:
    """The papers that are not files of one of the repositories."""
    folders = {os.path.realpath(source.location) for source in pairs.values()}
    return [
        paper
        for paper in papers
        if is_url(paper.location) or not any(str(parent) in folders for parent in Path(os.path.realpath(paper.location)).parents)
    ]


# --- named by the user ------------------------------------------------------------------------------------------------


def _given(given: str, names: set[str], papers: Sequence[PaperFile], limits: CodeLimits, *, waits: bool) -> dict[str, CodeSource]:
    what = f"--code {given}"
    cuts = [at for at, letter in enumerate(given) if letter == "="]
    for at in cuts:
        if given[:at] in names:
            return {given[:at]: _checked(*_split(given[at + 1 :], ""), what, limits)}
    if Path(given).is_dir():
        found = {paper.name: source for paper in papers if (source := _named_like(paper, Path(given)))}
        if not found and not waits:
            example = Path(papers[0].name).stem if papers else "PAPER"
            raise InputError(
                f"{what}: no folder or archive in it has the name of a paper", f"name them like the papers, such as {example}"
            )
        return found
    if not cuts:
        raise InputError(f"{what}: there is no such folder", _FORM)
    name = given[: cuts[0]]
    if waits:
        _checked(*_split(given[cuts[0] + 1 :], ""), what, limits)
        return {}
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.7)
    fix = f"the papers of this run are listed by 'run --dry-run'{f'; did you mean {close[0]}?' if close else ''}"
    raise InputError(f"{what}: no paper is called {name!r}", fix)


def _split(path: str, at: str) -> tuple[str, str]:
    """PATH@DATE or PATH@COMMIT in its parts; a path that exists is not split."""
    if at or os.path.lexists(path):
        return path, at
    location, mark, state = path.rpartition("@")
    return (location, state) if mark and location else (path, "")


def _checked(location: str, at: str, what: str, limits: CodeLimits) -> CodeSource:
    try:
        return _existing(location, at, what, limits)
    except OSError as err:
        problem = f"{what}: {printable_name(location)} cannot be read ({err.strerror})"
        raise InputError(problem, "check its permissions, or add --no-code") from err


def _existing(location: str, at: str, what: str, limits: CodeLimits) -> CodeSource:
    path = Path(location)
    if not path.exists():
        raise InputError(f"{what}: {printable_name(location)} does not exist", _FORM)
    if not path.is_dir() and not _is_archive(location):
        raise InputError(f"{what}: {printable_name(location)} is neither a folder nor an archive", _FORM)
    if at:
        folder = git_folder(path) if path.is_dir() else None
        if folder is None:
            fix = "name a git clone, or leave out what follows the @"
            raise InputError(f"{what}: {printable_name(location)} has no git history", fix)
        try:
            find_state(folder.absolute(), "" if at == AT_PUBLICATION else at, timeout_s=limits.timeout_s)
        except NoState as err:
            raise InputError(f"{what}: {printable_name(location)} cannot be read at {at}", str(err)) from err
    return CodeSource(location, at)


# --- next to the papers -----------------------------------------------------------------------------------------------


def _guessed(papers: Sequence[PaperFile]) -> dict[str, CodeSource]:
    listed = cache(_listed)
    pairs: dict[str, CodeSource] = {}
    for paper in papers:
        if not paper.location or is_url(paper.location):
            continue
        folder, stem = os.path.split(os.path.splitext(paper.location)[0])
        for place in (folder, os.path.join(folder, _FOLDER)):
            names = (name for name in (stem, *(stem + suffix for suffix in ARCHIVE_SUFFIXES)) if name in listed(place))
            path = next((os.path.join(place, name) for name in names), "")
            if path and (looks_like_code(Path(path)) if os.path.isdir(path) else _is_archive(path)):
                pairs.setdefault(paper.name, CodeSource(path, guessed=True))
    return pairs


def _named_like(paper: PaperFile, folder: Path) -> CodeSource | None:
    """The repository below a folder that has the name of the paper without its suffix."""
    stem = os.path.splitext(paper.name)[0]
    for name in (stem, os.path.basename(stem)):
        for suffix in ("", *ARCHIVE_SUFFIXES):
            path = folder / f"{name}{suffix}"
            if path.is_file() if suffix else path.is_dir():
                return CodeSource(str(path))
    return None


def _is_archive(path: str) -> bool:
    """By its name; a pipe or a device never is, and opening one could block."""
    return path.lower().endswith(ARCHIVE_SUFFIXES) and os.path.isfile(path)


def _listed(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()
