"""Parts that other packages add, found through entry points as `llm` and ASReview do it.

A package declares them in its pyproject.toml, and `pip install` is all a user has to do:

    [project.entry-points."methodlens.readers"]
    rules = "my_package:RulesReader"

`docs/how-to/plugins.md` has the contract of each group. Built-in parts are not entry points: they cannot be shadowed.
"""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from methodlens.errors import InputError, MethodlensError

Factory = Literal["readers", "retrievers", "parsers", "voting_rules", "formats"]
"""Groups of classes and functions that return a part."""
Group = Literal[Factory, "fact_types", "question_sets"]

_CONTRACT: Mapping[Factory, tuple[str, ...]] = {
    "readers": ("info", "read"),
    "retrievers": ("index",),
    "parsers": ("suffixes", "fingerprint", "parse"),
    "voting_rules": ("__call__",),
    "formats": ("name", "suffix", "description", "write"),
}


def names(group: Group) -> tuple[str, ...]:
    """The names that installed packages add to a group."""
    return tuple(sorted({entry.name for entry in entry_points(group=f"methodlens.{group}")}))


def load(group: Group, name: str) -> Any:
    """The object behind a name; None where no installed package has one."""
    entry = _entry(group, name)
    return _load(entry) if entry else None


def create(group: Factory, name: str, *arguments: object) -> Any:
    """The part that the class or function behind a name returns; None where no installed package has one."""
    entry = _entry(group, name)
    if entry is None:
        return None
    factory = _load(entry)
    try:
        part = factory(*arguments)
        missing = [attribute for attribute in _CONTRACT[group] if not hasattr(part, attribute)]
    except MethodlensError:
        raise
    except Exception as err:
        raise _unusable(entry, f"cannot be created ({err!r:.200})", "check its argument, or ") from err
    if missing:
        raise _unusable(entry, f"has no {', '.join(missing)}")
    return part


def _entry(group: Group, name: str) -> EntryPoint | None:
    return next(iter(entry_points(group=f"methodlens.{group}", name=name)), None)


def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as err:  # any code may run when a package is imported
        raise _unusable(entry, f"cannot be loaded ({err!r:.200})") from err


def _unusable(entry: EntryPoint, problem: str, advice: str = "") -> InputError:
    package = entry.dist.name if entry.dist else entry.module
    return InputError(f"the plugin {entry.name!r} of {package} {problem}", f"{advice}update or uninstall {package}")
