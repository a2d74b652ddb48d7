"""Random seeds, and the number of training runs."""

import re

from methodlens.facts.numbers import COUNT, quantity, tidy
from methodlens.facts.types import FactType, Findings, from_each_quote, optional

# "seed 42", "seeds were set to 1, 2 and 3", "random_state=0", but not the seeds of plants
_SEED = re.compile(
    r"\b(?:seeds?|random[\s_-]state)\b(?:\s+(?:values?|numbers?))?\s*(?:(?:was|were|is|are|of|to|=|:|set|fixed|at|as|equal|\()\s*)*"
    r"(?<![\w.])(\d{1,10}(?:\s*(?:,\s*and|,|and)\s*\d{1,10})*)(?=\s*(?:[.,;:)]|$|and\b|for\b|in\b|to\b|was\b|were\b))",
    re.I,
)
_ADJECTIVES = (
    r"(?:(?:different|independent|separate|random|distinct|repeated|training|single|individual|randomly|"
    r"initiali[sz]ed|of|the|same|such)\s+)*"
)
_TIMES = re.compile(
    rf"\b(?:repeat\w*|replicat\w*|re-?run|ran|run|train\w*|perform\w*|conduct\w*|initiali[sz]\w*|iterat\w*)\s+(?:[\w-]+\s+){{0,5}}?(?<![\w.])({COUNT})\s+times\b",
    re.I,
)
_RUNS = re.compile(
    rf"(?<![\w.])({COUNT})\s+{_ADJECTIVES}(?:seeds|runs|repetitions|repeats|replications?|replicates|trials|initiali[sz]ations|re-?runs|training\s+runs|restarts)\b",
    re.I,
)
_MODELS = re.compile(
    rf"(?<![\w.])({COUNT})\s+{_ADJECTIVES}(?:models|networks)\s+(?:\w+\s+){{0,3}}?(?:with|from|using)\s+(?:\w+\s+){{0,2}}?(?:random|seeds?|initiali[sz])",
    re.I,
)


def seeds(text: str) -> list[int]:
    """
    >>> seeds("The seed was set to 42."), seeds("Seeds of 40 plants were sown.")
    ([42], [])
    """
    return list(dict.fromkeys(int(number) for match in _SEED.finditer(text) for number in re.findall(r"\d+", match[1])))


def repeats(text: str) -> int | float | None:
    """
    >>> repeats("Training was repeated five times.")
    5
    """
    counts = [tidy(quantity(match[1])) for pattern in (_TIMES, _RUNS, _MODELS) for match in pattern.finditer(text)]
    return max((count for count in counts if 2 <= count <= 100_000), default=None)


def _repeats_phrase(findings: Findings) -> str:
    return f"training was repeated {findings.values['repeats']} times"


SEEDS = FactType(key="seeds", extract=from_each_quote(seeds), phrase=("the random seed is {}", "the random seeds are {}"))
REPEATS = FactType(key="repeats", extract=from_each_quote(optional(repeats)), merge=max, phrase=_repeats_phrase)
