"""What kind of paper it is, as far as its words tell: papers of different kinds report different things. See data/kinds.toml."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from methodlens.relevance.terms import Term, terms

KINDS = ("ml", "trial", "other")
"""Machine learning, a randomised trial, anything else."""


class _KindSigns(Struct, frozen=True, forbid_unknown_fields=True):
    least_signs: int
    least_sentences: float
    doubt: float
    signs: Mapping[str, str]


def kind_shares(sentences_with: Callable[[Term], Sequence[int]], sentences: int) -> tuple[float, ...]:
    """How much a paper is of each of the `KINDS`; adds up to 1. `sentences_with` gives the sentences that have a term.

    >>> [round(share, 3) for share in kind_shares(lambda term: [], 100)]
    [0.1, 0.1, 0.8]
    """
    limits = _file()
    strengths = []
    for listed in _signs().values():
        places = [found for term in listed if (found := sentences_with(term))]
        share = len({number for found in places for number in found}) / max(1, sentences)
        strengths.append(min(1.0, len(places) / limits.least_signs) * min(1.0, share / limits.least_sentences))
    total = max(1.0, sum(strengths))
    shares = [strength / total for strength in strengths]
    rest = max(0.0, 1.0 - sum(shares))
    return tuple(limits.doubt + (1 - len(KINDS) * limits.doubt) * share for share in (*shares, rest))


@cache
def _signs() -> Mapping[str, Sequence[Term]]:
    return {kind: tuple(dict.fromkeys(terms(_file().signs[kind]))) for kind in KINDS[:-1]}


def kinds_data() -> bytes:
    return (resources.files("methodlens.relevance") / "data" / "kinds.toml").read_bytes()


@cache
def _file() -> _KindSigns:
    return msgspec.convert(tomllib.loads(kinds_data().decode("utf-8")), _KindSigns)
