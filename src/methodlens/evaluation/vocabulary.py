"""Translate what people write: words for labels to statuses, categories of an annotation scheme to questions."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec
from msgspec import Struct, field

from methodlens.errors import LabelsError
from methodlens.records import Status
from methodlens.settings import EvaluationSettings


class LabelWords:
    """
    >>> LabelWords(EvaluationSettings()).status(" Yes ")
    <Status.REPORTED: 'reported'>
    """

    def __init__(self, settings: EvaluationSettings) -> None:
        groups = (
            (settings.blank, None),
            (settings.unsure, Status.WITHHELD),
            (settings.no, Status.NOT_REPORTED),
            (settings.yes, Status.REPORTED),
        )
        self._statuses: dict[str, Status | None] = {normalise(word): status for words, status in groups for word in words}
        self.hint = (
            f"write {'/'.join(settings.yes[:3])} or {'/'.join(settings.no[:3])}, "
            "or add the word to [evaluation] in methodlens.toml"
        )

    def status(self, word: object) -> Status | None:
        """None for a blank label. Raises ValueError for an unknown word."""
        plain = normalise("" if word is None else str(word))
        plain = plain.removesuffix(".0") if plain in ("1.0", "0.0") else plain  # spreadsheets may export 1 as 1.0
        if plain not in self._statuses:
            raise ValueError(f"{word!r} is not a label")
        return self._statuses[plain]

    def knows(self, word: object) -> bool:
        try:
            self.status(word)
        except ValueError:
            return False
        return True


class CategoryMapping(Struct, frozen=True, forbid_unknown_fields=True):
    """Maps the categories of an annotation scheme to questions. `paper` is the column that names the paper."""

    name: str = ""
    title: str = ""
    paper: str = ""
    categories: Mapping[str, str] = field(default_factory=dict)

    def question(self, category: str) -> str | None:
        return {normalise(name): question for name, question in self.categories.items()}.get(normalise(category))


def load_mapping(spec: str) -> CategoryMapping:
    """Load a built-in mapping by name, or a TOML file.

    >>> load_mapping("study-categories").question("source code")
    'CQ10'
    """
    folder = resources.files("methodlens.evaluation").joinpath("mappings")
    built_in = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    try:
        text = built_in.get(spec, Path(spec)).read_text(encoding="utf-8-sig")
        mapping = msgspec.convert(tomllib.loads(text), CategoryMapping)
    except (OSError, ValueError) as err:  # ValueError: not UTF-8, not TOML, or unknown fields
        names = ", ".join(sorted(built_in))
        raise LabelsError(
            f"the mapping {spec!r} cannot be loaded ({err})", f"use a built-in one ({names}) or a TOML file with [categories]"
        ) from err
    if not mapping.categories:
        raise LabelsError(f"the mapping {spec!r} has no [categories]", 'add lines such as "Source Code" = "CQ10" below it')
    return mapping


def normalise(text: str) -> str:
    """Ignore case and extra white space."""
    return " ".join(text.casefold().split())
