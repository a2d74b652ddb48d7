"""The numbers that a list adds to the first value of a parameter."""

import re
from collections.abc import Sequence

from methodlens.facts.first_value import belongs_to_next, closing, counts_something
from methodlens.facts.parameters import COUNTED, Token, setting
from methodlens.facts.stages import next_stage

_ELSEWHERE = re.compile(r"(?:test|infer|evaluat|predict|deploy|loss|margin|temperature|label|warm|threshold)")
_EXCEPT = re.compile(r"(?:except|otherwise|whereas|while|but|instead)")
_FOR = frozenset("for in on at when during with if to (".split())


def listed_after(words: Sequence[Token], name: int, first: int) -> list[int]:
    """The places of the further numbers of a list: "0.1 for the encoder and 0.01 for the decoder", "24 (small), 100 (large)"."""
    places: list[int] = []
    at = first
    while (following := _following(words, name, at)) is not None:
        places.append(following)
        at = following
    return places


def _following(words: Sequence[Token], name: int, at: int) -> int | None:
    following = _next_in_list(words, name, at)
    return following if following is not None else next_stage(words, name, at)


def _next_in_list(words: Sequence[Token], name: int, at: int) -> int | None:
    key, place = words[name].key, at + 1
    remark = False
    if place < len(words) and words[place].text == "(" and (close := closing(words, place)) is not None:
        if any(token.key and token.key != key for token in words[place:close]):
            return None
        place = close + 1
    elif place < len(words) and words[place].text in _FOR - {"to", "("}:
        remark = True
        place += 1
        while place < min(len(words), at + 10) and words[place].text not in (",", "and", "or", ";", "to", "."):
            if words[place].key or words[place].value is not None or _ELSEWHERE.match(words[place].text):
                return None
            place += 1
    separated = False
    while place < len(words) and words[place].text in (",", "and", "or", "/", "&", ";", "}", "{", "then"):
        separated = True
        place += 1
    if place >= len(words) or words[place].value is None or (remark and not separated):
        return None
    if words[at].text.isalpha() != words[place].text.isalpha():  # "a batch size of 64 and one further newt"
        return None
    if remark and (place + 1 >= len(words) or words[place + 1].text not in _FOR):
        return None
    if remark and any(_ELSEWHERE.match(token.text) for token in words[place + 1 : place + 4]):
        return None
    if not separated and not remark and key not in COUNTED and words[place].text.isdigit() and "." in words[at].text:
        return None
    own = not counts_something(words, place) and not belongs_to_next(words, place) and setting(key, words[place], "") is not None
    return place if own else None


def other_case(words: Sequence[Token], name: int, first: int) -> list[int]:
    """The place of the 48 of "16 for all data sets, except the largest, where we used 48"."""
    turn = next((at for at in range(first + 1, min(len(words), first + 16)) if _EXCEPT.match(words[at].text)), None)
    if turn is None or any(token.key for token in words[first + 1 : turn]):
        return []
    for at in range(turn + 1, min(len(words), turn + 16)):
        if words[at].key:
            return []
        if words[at].value is not None and not counts_something(words, at):
            used = words[at - 1].text in ("used", "use", "to", "was", "is", "of", "chose", "at", "it")
            return [at] if used and setting(words[name].key, words[at], "") and not belongs_to_next(words, at) else []
    return []
