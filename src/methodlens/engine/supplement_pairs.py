"""Which files are supplements of which papers: named by the user, in a manifest.csv, or next to the papers under their names."""

import difflib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from methodlens.engine.pair_choice import PairChoice
from methodlens.errors import InputError
from methodlens.papers import Metadata, PaperFile, Sidecars
from methodlens.papers.files import printable_name
from methodlens.papers.metadata.entries import find_doi
from methodlens.papers.remote_files import is_url

_FORM = "write PAPER=FILE, where PAPER is a name that 'run --dry-run' lists"
_SUPPLEMENT = re.compile(
    r"(?P<main>.{1,240}?)[-_. ]{1,3}"
    r"(?:suppl?(?:ement(?:ary|al|s)?)?(?:[-_ ]?(?:materials?|information|info|files?|text|methods))?"
    r"|supporting[-_ ]?information|si|appendix|appendices)"
    r"(?:[-_ ]?\d{1,2}|[-_ ][a-z])?",
    re.IGNORECASE,
)


class Supplement(NamedTuple):
    """A file, and whether its name alone tells that it is a supplement."""

    file: PaperFile
    guessed: bool = False


Supplements = Mapping[str, tuple[Supplement, ...]]
"""By the name of the paper."""


def pair_supplements(papers: Sequence[PaperFile], choice: PairChoice, sidecars: Sequence[Sidecars]) -> Supplements:
    """The supplements of each paper that has some. Raises InputError for an impossible pair."""
    if not choice.find:
        return {}
    pairs = _Pairs(papers)
    pairs.guess()
    for sidecar in reversed(sidecars):
        pairs.read_manifest(sidecar)
    for given in choice.given:
        pairs.add_given(given, waits=choice.waits)
    return pairs.by_paper()


def without_supplements(papers: Iterable[PaperFile], supplements: Supplements) -> list[PaperFile]:
    """The papers that are not supplements of others."""
    taken = {_identity(each.file.location) for of_paper in supplements.values() for each in of_paper}
    return [paper for paper in papers if _identity(paper.location) not in taken]


class _Pairs:
    """The main paper of each supplement; what is added later counts."""

    def __init__(self, papers: Sequence[PaperFile]) -> None:
        self._papers = papers
        self._names = {paper.name: paper for paper in papers}
        self._by_file = {_identity(paper.location): paper for paper in papers if paper.location}
        self._main_of: dict[str, tuple[str, Supplement, str]] = {}

    def guess(self) -> None:
        """moths-supplement.pdf next to moths.pdf, or moths.docx."""
        by_stem: dict[tuple[str, str], list[PaperFile]] = {}
        for paper in self._papers:
            by_stem.setdefault(_folder_and_stem(paper), []).append(paper)
        for paper in self._papers:
            folder, stem = _folder_and_stem(paper)
            match = _SUPPLEMENT.fullmatch(stem)
            mains = by_stem.get((folder, match["main"]), []) if match and paper.location else []
            if mains and not _SUPPLEMENT.fullmatch(_folder_and_stem(mains[0])[1]):
                suffix = os.path.splitext(paper.name)[1].lower()
                main = min(mains, key=lambda each: os.path.splitext(each.name)[1].lower() != suffix)
                self._set(main.name, Supplement(paper, guessed=True), "its name")

    def read_manifest(self, sidecar: Sidecars) -> None:
        for paper in self._papers:
            if said := sidecar.supplement_of(paper.name):
                name, source = said
                self._main_of.pop(_identity(paper.location), None)
                if name and (main := self._named(name, sidecar, source)):
                    self._set(main.name, Supplement(paper), source)
            if listed := sidecar.supplements(paper.name):
                paths, source = listed
                self._drop_guesses(paper.name)
                for path in paths:
                    self._set(paper.name, self._supplement(str(sidecar.folder / path), source), source)

    def add_given(self, given: str, *, waits: bool) -> None:
        what = f"--supplement {given}"
        cuts = [at for at, letter in enumerate(given) if letter == "="]
        for at in cuts:
            if given[:at] in self._names:
                self._set(given[:at], self._supplement(given[at + 1 :], what), what)
                return
        if cuts and waits:
            self._supplement(given[cuts[0] + 1 :], what)
            return
        name = given[: cuts[0]] if cuts else ""
        raise InputError(f"{what}: no paper is called {name!r}" if cuts else f"{what}: it names no paper", self._fix(name))

    def by_paper(self) -> dict[str, tuple[Supplement, ...]]:
        supplements: dict[str, tuple[Supplement, ...]] = {}
        for main, supplement, what in self._main_of.values():
            if _identity(self._names[main].location) in self._main_of:
                raise InputError(f"{what}: {main} is itself a supplement", "name the paper that both belong to")
            supplements[main] = (*supplements.get(main, ()), supplement)
        return {main: _with_unique_names(each) for main, each in supplements.items()}

    def _set(self, main: str, supplement: Supplement, what: str) -> None:
        if _identity(supplement.file.location) == _identity(self._names[main].location):
            raise InputError(f"{what}: {main} cannot be its own supplement", "name another file")
        self._main_of[_identity(supplement.file.location)] = (main, supplement, what)

    def _drop_guesses(self, main: str) -> None:
        dropped = [key for key, (name, supplement, _) in self._main_of.items() if name == main and supplement.guessed]
        for key in dropped:
            del self._main_of[key]

    def _supplement(self, location: str, what: str) -> Supplement:
        """A file anywhere; one that was found as a paper keeps its name."""
        if paper := self._by_file.get(_identity(location)):
            return Supplement(paper)
        if not is_url(location) and not Path(location).is_file():
            raise InputError(f"{what}: {printable_name(location)} is not a file", "correct the path")
        return Supplement(PaperFile(location, printable_name(os.path.basename(location))))

    def _named(self, name: str, sidecar: Sidecars, source: str) -> PaperFile | None:
        """The paper that a manifest names by its file or DOI. None if it exists, but is not part of this run."""
        if doi := find_doi(name):
            return next((each for each in self._papers if sidecar.lookup(each.name, Metadata()).doi == doi), None)
        by_base = [paper for paper in self._papers if os.path.basename(paper.name) == name]
        by_file = self._by_file.get(_identity(str(sidecar.folder / name)))
        if paper := by_file or self._names.get(name) or (by_base[0] if len(by_base) == 1 else None):
            return paper
        if (sidecar.folder / name).exists():
            return None
        raise InputError(f"{source}: no paper is called {name!r}", self._fix(name))

    def _fix(self, name: str) -> str:
        close = difflib.get_close_matches(name, self._names, n=1, cutoff=0.7)
        return f"{_FORM}{f'; did you mean {close[0]}?' if close else ''}"


def _folder_and_stem(paper: PaperFile) -> tuple[str, str]:
    folder, name = os.path.split(paper.location)
    return folder, os.path.splitext(name)[0].casefold()


def _identity(location: str) -> str:
    return location if not location or is_url(location) else os.path.abspath(location)


def _with_unique_names(supplements: tuple[Supplement, ...]) -> tuple[Supplement, ...]:
    names = [supplement.file.name for supplement in supplements]
    return tuple(
        each
        if names.count(each.file.name) == 1
        else each._replace(file=PaperFile(each.file.location, printable_name(each.file.location)))
        for each in supplements
    )
