"""Parts that other packages add, found through entry points as `llm` and ASReview do it.

A package declares them in its pyproject.toml, and `pip install` is all a user has to do:

    [project.entry-points."methodlens.readers"]
    rules = "my_package:RulesReader"

Each group has its own contract, described where it is used. Built-in parts are not entry points: they cannot be shadowed.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from methodlens.errors import InputError

Group = Literal["readers", "retrievers", "parsers", "voting_rules", "formats", "fact_types", "question_sets"]


def names(group: Group) -> tuple[str, ...]:
    """The names that installed packages add to a group."""
    return tuple(sorted({entry.name for entry in entry_points(group=f"methodlens.{group}")}))


def load(group: Group, name: str) -> Any:
    """The object behind a name; None where no installed package has one."""
    entry: EntryPoint | None = next(iter(entry_points(group=f"methodlens.{group}", name=name)), None)
    if entry is None:
        return None
    try:
        return entry.load()
    except Exception as err:  # any code may run when a package is imported
        package = entry.dist.name if entry.dist else entry.module
        raise InputError(
            f"the plugin {name!r} of {package} cannot be loaded ({err!r:.200})", f"update or uninstall {package}"
        ) from err


def load_all(group: Group) -> dict[str, Any]:
    """Every object of a group, by name."""
    return {name: load(group, name) for name in names(group)}
