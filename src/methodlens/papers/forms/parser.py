"""The parsers of the built-in forms, which run in the worker processes of a pool."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from methodlens.papers.forms.reading import form_fingerprint
from methodlens.papers.forms.suffixes import FORM_SUFFIXES
from methodlens.records import Paper


class FormWorkers(Protocol):
    def parse_form(self, path: Path, fingerprint: str) -> Paper: ...


class FormParser:
    """A FileParser for one suffix."""

    def __init__(self, workers: FormWorkers, suffix: str) -> None:
        self.suffixes: Sequence[str] = (suffix,)
        self.fingerprint = form_fingerprint(suffix)
        self._workers = workers

    def parse(self, path: Path) -> Paper:
        return self._workers.parse_form(path, self.fingerprint)


def form_parsers(workers: FormWorkers) -> tuple[FormParser, ...]:
    return tuple(FormParser(workers, suffix) for suffix in FORM_SUFFIXES)


def form_fingerprints() -> str:
    """Of all of them: papers that other processes parse must be the same."""
    return ", ".join(map(form_fingerprint, FORM_SUFFIXES))
