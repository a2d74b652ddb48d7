"""What the grammar of hyperparameters reads from a text, each value once."""

from methodlens.facts.hyperparameters import settings


def setting_values(text: str) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    for each in settings(text):
        if each.value not in values.setdefault(each.key, []):
            values[each.key].append(each.value)
    return values
