"""The names of products and methods in the typed facts of answers, counted by year."""

import re
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from methodlens.facts import DOUBTFUL, value_text
from methodlens.facts.hardware import NOT_NAMED
from methodlens.records import Answer
from methodlens.text.printable import one_line


class FactKind(StrEnum):
    """The typed facts that are followed over time; the value is the name of the figure."""

    FRAMEWORKS = "frameworks"
    GPUS = "gpus"
    METRICS = "metrics"
    ARCHITECTURES = "architectures"


_KEYS = {
    FactKind.FRAMEWORKS: "frameworks",
    FactKind.GPUS: "hardware",
    FactKind.METRICS: "metrics",
    FactKind.ARCHITECTURES: "architectures",
}
_SEPARATORS = re.compile(r"[\s_‐‑–-]")


class NameCounts:
    """How often one name occurs, by year (None if unknown), and how papers spell it."""

    def __init__(self) -> None:
        self.years: Counter[int | None] = Counter()
        self._spellings: Counter[str] = Counter()

    def add(self, year: int | None, spelling: str) -> None:
        self.years[year] += 1
        self._spellings[spelling] += 1

    @property
    def name(self) -> str:
        """The most frequent spelling, the alphabet deciding between equals."""
        return min(self._spellings, key=lambda spelling: (-self._spellings[spelling], spelling))


class FactCounts:
    """One kind of fact. A paper counts once per name; "ResNet-50", "ResNet50" and "resnet 50" are one."""

    def __init__(self) -> None:
        self.papers: Counter[int | None] = Counter()
        """Papers that have any name, by year."""
        self._names: dict[str, NameCounts] = {}

    def add(self, year: int | None, names: set[str]) -> None:
        if names:
            self.papers[year] += 1
        for key, spelling in {_SEPARATORS.sub("", name).casefold(): name for name in sorted(names)}.items():
            self._names.setdefault(key, NameCounts()).add(year, spelling)

    @property
    def ranked(self) -> list[NameCounts]:
        """The most frequent names first, the alphabet deciding between equals."""
        return sorted(self._names.values(), key=lambda counts: (-counts.years.total(), counts.name))


def names_in(answer: Answer, kind: FactKind) -> set[str]:
    """The names of one kind in an answer, without those that may well be wrong."""
    key = _KEYS[kind]
    values = answer.facts.get(key) or []
    confidence = answer.fact_confidence.get(key, {})
    names = set()
    for value in values if isinstance(values, list | tuple) else [values]:
        text = value_text(value)
        wanted = kind is not FactKind.GPUS or _is_gpu_model(value)
        if wanted and (name := one_line(text)) and confidence.get(text, 1.0) >= DOUBTFUL:
            names.add(name)
    return names


def _is_gpu_model(value: object) -> bool:
    return isinstance(value, Mapping) and value.get("kind") == "GPU" and not str(value.get("name")).endswith(NOT_NAMED)
