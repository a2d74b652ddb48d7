"""Which category of an annotation scheme asks which of our questions: a TOML file, shipped or the user's own."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec
from msgspec import Struct, field

from methodlens.errors import LabelsError
from methodlens.evaluation.labels import normal


class CategoryMapping(Struct, frozen=True, forbid_unknown_fields=True):
    """`paper` names the column that says which paper a row is about."""

    name: str = ""
    title: str = ""
    paper: str = ""
    categories: Mapping[str, str] = field(default_factory=dict)

    def question(self, category: str) -> str | None:
        return {normal(name): question for name, question in self.categories.items()}.get(normal(category))


def load_mapping(spec: str) -> CategoryMapping:
    """The name of a shipped mapping, or a TOML file of the same shape.

    >>> load_mapping("study-categories").question("source code")
    'CQ10'
    """
    shipped = _shipped()
    try:
        text = shipped[spec] if spec in shipped else Path(spec).read_text(encoding="utf-8-sig")
        mapping = msgspec.convert(tomllib.loads(text), CategoryMapping)
    except (OSError, ValueError) as err:  # ValueError: not UTF-8, not TOML, not of this shape
        known = ", ".join(sorted(shipped))
        raise LabelsError(
            f"the mapping {spec!r} cannot be used ({err})", f"name a shipped one ({known}) or a TOML file with [categories]"
        ) from err
    if not mapping.categories:
        raise LabelsError(f"the mapping {spec!r} has no [categories]", 'write lines such as "Source Code" = "CQ10" below it')
    return mapping


def _shipped() -> dict[str, str]:
    folder = resources.files("methodlens.evaluation").joinpath("mappings")
    found = (entry for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return {entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8") for entry in found}
