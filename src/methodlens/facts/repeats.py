"""Random seeds, and how often training was repeated."""

import re
from typing import Any

from methodlens.facts.quantities import COUNT, quantity, tidy

_SEED = re.compile(
    r"\b(?:random[\s_-]*)?(?:seeds?|state)\b\s*(?:values?\s*)?(?:number\s*)?(?:was|were|is|are|of|to|=|:|set|fixed|at|as|\()*\s*"
    r"((?:(?:set|fixed|equal)\s+(?:to|at)\s+)?(?<![\w.])\d{1,10}(?:\s*(?:,|and|,\s*and)\s*\d{1,10})*)(?![\d.]|\s*(?:times|runs|%))",
    re.I,
)
_ADJECTIVES = r"(?:(?:different|independent|separate|random|distinct|repeated|training|single|individual|randomly|initiali[sz]ed|of|the|same|such)\s+)*"
_TIMES = re.compile(
    rf"\b(?:repeat\w*|replicat\w*|re-?run|ran|run|train\w*|perform\w*|conduct\w*|initiali[sz]\w*|iterat\w*)\s+(?:[\w-]+\s+){{0,5}}?(?<![\w.])({COUNT})\s+times\b",
    re.I,
)
_RUNS = re.compile(
    rf"(?<![\w.])({COUNT})\s+{_ADJECTIVES}(?:seeds|runs|repetitions|repeats|replications?|replicates|trials|initiali[sz]ations|re-?runs|training\s+runs|restarts)\b",
    re.I,
)
_MODELS = re.compile(
    rf"(?<![\w.])({COUNT})\s+{_ADJECTIVES}(?:models|networks)\s+(?:\w+\s+){{0,3}}?(?:with|from|using)\s+(?:\w+\s+){{0,2}}?(?:random|seeds?|initiali[sz])", re.I
)


def repeats(text: str) -> dict[str, Any]:
    """
    >>> repeats("The seed was set to 42 and training was repeated five times.")
    {'seeds': [42], 'repeats': 5}
    """
    seeds = [int(number) for match in _SEED.finditer(text) for number in re.findall(r"\d+", match[1])]
    counts = [tidy(quantity(match[1])) for pattern in (_TIMES, _RUNS, _MODELS) for match in pattern.finditer(text)]
    most = max((count for count in counts if 2 <= count <= 100_000), default=None)
    return {key: value for key, value in (("seeds", list(dict.fromkeys(seeds))), ("repeats", most)) if value}
