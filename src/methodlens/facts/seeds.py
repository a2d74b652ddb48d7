"""Random seeds, and the number of training runs."""

import re
from collections.abc import Sequence

from methodlens.facts.numbers import COUNT, in_words, quantity, tidy
from methodlens.facts.own_values import is_of_others
from methodlens.facts.types import Fact, FactType, Findings, from_each_quote, listing, one_or_list

# "seed 42", "seeds were set to 1, 2 and 3", "random_state=0", but not the seeds of plants
_SEED = re.compile(
    r"\b(?:seeds?|random[\s_-]state)\b(?:\s+(?:values?|numbers?))?\s*(?:(?:was|were|is|are|of|to|=|:|set|fixed|at|as|equal|\()\s*)*"
    r"(?<![\w.])(\d{1,10}(?:\s*(?:,\s*and|,|and)\s*\d{1,10})*)(?=\s*(?:[.,;:)]|$|and\b|for\b|in\b|to\b|was\b|were\b))",
    re.I,
)
_ADJECTIVES = (
    r"(?:(?:different|independent|separate|random|distinct|repeated|replicated?|training|single|individual|randomly|successful|model|"
    r"initiali[sz]ed|of|the|same|such)\s){0,4}"
)
_TIMES = re.compile(
    rf"\b(?:repeat\w*|replicat\w*|re-?run|ran|run|train\w*|perform\w*|conduct\w*|initiali[sz]\w*|iterat\w*)\s+(?:[\w-]+\s+){{0,5}}?(?<![\w.])({COUNT})\s+times\b",
    re.I,
)
_RUNS = re.compile(  # "a net of width 12 runs at 30 frames per second" and "k = 12 runs" count something else
    rf"(?<![\w.])(?<![=<>×≥≤]\s)({COUNT})\s+{_ADJECTIVES}(?:seeds|runs(?!\s+(?:at|faster|slower|in\s+real))|repetitions|repeats|"
    r"replications?|replicates|trials|initiali[sz]ations|re-?runs|training\s+runs|restarts)\b",
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


def repeats(text: str) -> list[int | float]:
    """
    >>> repeats("Training was repeated five times."), repeats("The frogs were fed five times.")
    ([5], [])
    """
    matches = sorted(
        ((match.start(), match) for pattern in (_TIMES, _RUNS, _MODELS) for match in pattern.finditer(text)),
        key=lambda each: each[0],
    )
    own = (match for _, match in matches if not is_of_others(text, *match.span()))
    counts = (tidy(quantity(match[1])) for match in own)
    return list(dict.fromkeys(count for count in counts if 2 <= count <= 100_000))


def _repeats_phrase(findings: Findings) -> str:
    """Words if the quotes have them for all the counts, else digits."""
    counts = dict.fromkeys(fact.value for fact in findings.facts["repeats"])
    digits = set(re.findall(r"\d+", " ".join(findings.quotes)))
    in_digits = any(str(count) in digits for count in counts)
    return f"training was repeated {listing(count if in_digits else in_words(int(count)) for count in counts)} times"


def _extract_repeats(quotes: Sequence[str]) -> list[Fact]:
    facts: dict[int | float, Fact] = {}
    for index, quote in enumerate(quotes):
        for count in repeats(quote):
            facts.setdefault(count, Fact(count, index))
    return list(facts.values())


SEEDS = FactType(
    key="seeds", extract=from_each_quote(seeds), phrase=("the random seed is {}", "the random seeds are {}"), revision=1
)
REPEATS = FactType(key="repeats", extract=_extract_repeats, merge=one_or_list, phrase=_repeats_phrase, specific=True, revision=2)
