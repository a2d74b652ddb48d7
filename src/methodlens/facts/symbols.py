"""Values that are given by a symbol: "Adam (α = 0.001, β1 = 0.9)", "SGD with η = 0.05", "λ = 0.01 for L2 regularisation"."""

import re
from collections.abc import Iterator, Sequence

from methodlens.facts.own_values import is_of_others
from methodlens.facts.parameters import Setting, Token, setting

_OPTIMIZER = re.compile(
    r"(?:adam\w{0,4}|nadam|radam|sgd|rmsprop|ada(?:grad|delta|max|factor)|lamb|lars|lion|momentum|descent|optimi[sz]er)"
)
_TRAINING = re.compile(r"(?:train|optimi|hyper|learn|descent)")
_ETA = re.compile(r"η\w{0,6}|eta")
_SYMBOL = re.compile(r"(?:α|alpha|γ|λ)")
_DECAYS = re.compile(r"(?:decay|reduc|decreas|anneal|divid|halv|drop)")
_PENALTIES = ("λ", "lambda", "α", "β", "c")
_LINKS = frozenset(
    "was is are were used set chosen for as in of the a an with coefficient weight parameter factor strength".split()
)
_NEAR = 4
"""Tokens between the name of an optimiser and a symbol that may mean anything."""


def rates_by_symbol(sentence: str, words: Sequence[Token]) -> Iterator[Setting]:
    for at in range(len(words) - 2):
        number = words[at + 2]
        if words[at + 1].text != "=" or number.value is None or number.value > 0.5:
            continue
        if (_is_eta(words, at) or _follows_optimizer(words, at)) and not is_of_others(sentence, number.start, number.end):
            found = setting("learning_rate", number, sentence[number.start : number.end])
            yield from filter(None, [found])


def decays_by_symbol(sentence: str, words: Sequence[Token]) -> Iterator[Setting]:
    """ "λ = 0.01 was used for L2 regularisation"."""
    for at in range(len(words) - 4):
        number = words[at + 2]
        if words[at].text not in _PENALTIES or words[at + 1].text != "=" or number.value is None:
            continue
        after = words[at + 3 : at + 10]
        name = next((place for place, token in enumerate(after) if token.key), None)
        if name is not None and after[name].key == "weight_decay" and _LINKS.issuperset(token.text for token in after[:name]):
            yield from filter(None, [setting("weight_decay", number, sentence[number.start : number.end])])


def _is_eta(words: Sequence[Token], at: int) -> bool:
    """By convention η is the learning rate wherever training is described."""
    around = words[max(0, at - 30) : at + 30]
    return bool(_ETA.fullmatch(words[at].text)) and any(
        _TRAINING.match(token.text) or _OPTIMIZER.fullmatch(token.text) for token in around
    )


def _follows_optimizer(words: Sequence[Token], at: int) -> bool:
    """The α of "Adam (α = 0.001)"; a λ only if it decays, since it mostly weighs a penalty."""
    if not _SYMBOL.fullmatch(words[at].text):
        return False
    near = words[max(0, at - _NEAR) : at]
    if not any(_OPTIMIZER.fullmatch(token.text) for token in near) or any(token.text in (",", ";", ".") for token in near):
        return False
    decays = any(_DECAYS.match(token.text) for token in words[at + 3 : at + 6])
    return words[at].text in ("α", "alpha") or decays
