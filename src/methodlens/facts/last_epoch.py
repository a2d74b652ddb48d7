"""The epoch at which training ended or whose net was used: "stopped at epoch 60", "the net trained at epoch 15 was used"."""

import re
from collections.abc import Iterator, Sequence

from methodlens.facts.own_values import is_of_others
from methodlens.facts.parameters import Setting, Token, setting

_ENDS = re.compile(r"(?:stop|terminat|end(?:ed|s)?$|finish|halt|conclud)")
_NET = re.compile(r"(?:net|model|checkpoint|weight|snapshot|classifier|detector|version|parameters)")
_PICKED = re.compile(r"(?:use[ds]?$|using|select|chose|taken|took|adopt|report|evaluat|kept|keep)")
_STALLS = re.compile(r"(?:improv|plateau|decreas|reduc|decay|drop|warm|divid|anneal|freez|unfr|rate|best|patien|early)")
_TRAINS = re.compile(r"(?:re|pre)?train|learn|fine")
_AT = frozenset("at after by until from of".split())
_LASTS = frozenset("is was about lasts lasted takes took for around approximately".split())
_ORDINAL = re.compile(r"(\d{1,5})(?:th|st|nd|rd)")
_LISTS = ([","], ["and"], ["or"])
_REACH = 7
"""Tokens on either side that say what the epoch is."""


def last_epochs(sentence: str, words: Sequence[Token]) -> Iterator[Setting]:
    """Doubtful, since the length of training may be given elsewhere."""
    for name, token in enumerate(words):
        found = _numbered(words, name) if token.key == "epochs" else None
        if found is None:
            continue
        first, last, number = found
        if _is_last(words, first, last) and not is_of_others(sentence, number.start, number.end):
            yield from filter(None, [setting("epochs", number, sentence[number.start : number.end], doubtful=True)])


def _numbered(words: Sequence[Token], name: int) -> tuple[int, int, Token] | None:
    """First and last place of "epoch 60", "60th epoch" or "60-th epoch", and its number; None if it is one of a list."""
    after, before = words[name + 1 : name + 3], [token.text for token in words[max(0, name - 4) : name]]
    if after and after[0].value is not None and after[0].text.isdigit():
        listed = len(after) > 1 and after[1].text in (",", "and", "or", "-", "to", "/", "&")
        return None if listed else (name, name + 1, after[0])
    if before and (ordinal := _ORDINAL.fullmatch(before[-1])):
        number = Token(ordinal[1], words[name - 1].start, words[name - 1].end, value=float(ordinal[1]))
        return None if before[-2:-1] in _LISTS else (name - 1, name, number)
    if before[-1:] in (["th"], ["st"], ["nd"], ["rd"]):
        at = name - 3 if before[-2:-1] == ["-"] else name - 2
        alone = at >= 0 and words[at].text.isdigit() and [token.text for token in words[max(0, at - 1) : at]] not in _LISTS
        return (at, name, words[at]) if alone else None
    return None


def _is_last(words: Sequence[Token], first: int, last: int) -> bool:
    before = [token.text for token in words[max(0, first - _REACH) : first] if token.text != "the"]
    after = [token.text for token in words[last + 1 : last + _REACH]]
    if not before or _has(_STALLS, [*before, *after]):
        return False
    if before[-1] in _LASTS:  # "training is about 40-th epochs"
        return words[last].text.endswith("epochs") and words[last].key == "epochs" and _has(_TRAINS, before)
    if before[-1] not in _AT:
        return False
    return _has(_ENDS, before) or (_has(_NET, before[-5:]) and _has(_PICKED, [*before, *after]))


def _has(pattern: re.Pattern[str], words: Sequence[str]) -> bool:
    return any(map(pattern.match, words))
