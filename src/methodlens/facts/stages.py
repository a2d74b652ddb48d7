"""The values of later stages of training or other cases: "0.1, then 0.01 after 30 epochs", "16 for ponds, 4 for lakes"."""

import re
from collections.abc import Sequence

from methodlens.facts.first_value import belongs_to_next, closing, counts_something
from methodlens.facts.parameters import COUNTED, Token, setting

_REACH = 26
"""Tokens between the values of two stages."""

# a rate that glides has no stages: where it ends is no setting
_GLIDES = re.compile(r"(?:linear|cosine|exponential|poly|gradual|anneal|smooth|over$|slowly|continuous|minimum|zero$|within$)")
_STEPS = re.compile(
    r"(?:decreas|reduc|lower|drop|decay|chang|switch|adjust|cut|rais|fell|fall|shrunk|shrink|divid|increas|scal|set$|updat|goes$|going$)"
)
_OTHER_USE = re.compile(
    r"(?:test|infer|evaluat|predict|deploy|valid|tried|search|grid|smooth|threshold|clip|accura|score|baseline|respectively|loss|weight|"
    r"margin|temperature|label|warm|regulari|penalt|gamma|beta|epsilon|lambda|[γβελ]$)"
)
# words that do not change the subject between the values of two stages; after a preposition any word may come
_NEUTRAL = frozenset(
    "is was are were be been being it its we which that then and also later further again afterwards the a an rate rates "
    "learning lr value values starts started start use used uses using keep kept by factor of down stage stages first second "
    "third next once twice times this them to set fixed or but e".split()
)
_PREPOSITIONS = frozenset("for on in at when during with if until up after from every once per".split())
_PURPOSES = frozenset("for on in at when during with if until up to after".split())
_AFTERWARDS = frozenset("for on in at when during after afterwards thereafter until from if later then onwards otherwise".split())
_BEFORE_VALUE = frozenset("to of with a an at then is was it as used use uses using we or".split())
_SEPARATORS = frozenset((",", "and", ";", "or", "/", "then"))
_STAGED = ("learning_rate", "batch_size", "dropout", "weight_decay")


def next_stage(words: Sequence[Token], name: int, at: int) -> int | None:
    """The place of the value of the next stage after the value at `at`."""
    if words[name].key not in _STAGED:
        return None
    if (end := _end_of_range(words, name, at)) is not None:
        return end
    if (other := _in_brackets(words, name, at)) is not None:
        return other
    place, steps, purpose, remark = at + 1, False, False, False
    while place < min(len(words), at + _REACH):
        token = words[place]
        if token.text == "(" and (close := closing(words, place)) is not None:
            purpose = True
            place = close + 1
            continue
        if token.value is None:
            if _ends_the_search(words, name, place):
                return None
            remark = (remark or token.text in _PREPOSITIONS) and not _ends_a_remark(words, place)
            if not remark and _changes_the_subject(token):
                return None
            steps = steps or bool(_STEPS.match(token.text))
            purpose = purpose or token.text in _PURPOSES
        elif not _is_a_point_in_time(words, place):
            stage = _is_value(words, name, place) and (
                _steps_to(words, name, place, steps=steps) or (purpose and _has_purpose(words, name, at, place))
            )
            return place if stage else None
        place += 1
    return None


def _in_brackets(words: Sequence[Token], name: int, at: int) -> int | None:
    """The place of the 0.01 of "0.1 (0.01 for newts)"."""
    place = at + 2
    if place + 1 >= len(words) or words[at + 1].text != "(" or words[place].value is None:
        return None
    other = words[place + 1].text in ("for", "on", "in", "when", "during")
    return place if other and _is_value(words, name, place) and not _has_other_use(words, place) else None


def _ends_a_remark(words: Sequence[Token], place: int) -> bool:
    """A comma or "and", but not that of "16 for frogs and newts, and 4 for toads"."""
    goes_on = place + 2 < len(words) and words[place + 1].text[0].isalpha() and words[place + 2].text in ("and", ",")
    return words[place].text in (";", "then", "which") or (words[place].text in ("and", ",") and not goes_on)


def _changes_the_subject(token: Token) -> bool:
    return token.text[0].isalpha() and not (
        token.key or token.text in _NEUTRAL or token.text.endswith("ly") or _STEPS.match(token.text)
    )


def _has_other_use(words: Sequence[Token], place: int) -> bool:
    after = words[place + 1 : place + 6]
    return any((token.key and token.key not in COUNTED) or _OTHER_USE.match(token.text) for token in after)


def _end_of_range(words: Sequence[Token], name: int, at: int) -> int | None:
    """The place of the 0.001 of "dropped from 0.1 to 0.001", unless it glides there."""
    place = at + 2
    if words[name].key != "learning_rate" or words[at - 1].text != "from" or place >= len(words) or words[at + 1].text != "to":
        return None
    around = [*words[max(0, name - 6) : at], *words[place + 1 : place + 8]]
    glides = any(_GLIDES.match(token.text) for token in around)
    return place if not glides and words[place].value is not None and _is_value(words, name, place) else None


def _ends_the_search(words: Sequence[Token], name: int, place: int) -> bool:
    token = words[place]
    other = bool(token.key) and (token.key not in COUNTED or token.key == words[name].key)
    return other or token.text in (".", ")", "]", "{", ":") or bool(_GLIDES.match(token.text) or _OTHER_USE.match(token.text))


def _is_a_point_in_time(words: Sequence[Token], place: int) -> bool:
    """The 30 of "30 epochs", "epoch 30", "the 30th", "the first 30 and 60 epochs", "divided by 10"."""
    at, before = place + 1, words[place - 1]
    listed = (",", "and", "-", "th", "to")
    while at < min(len(words) - 1, place + 6) and (words[at].value is not None or words[at].text in listed):
        at += 1
    counted = at < len(words) and words[at].key in COUNTED
    ordinal = [token.text for token in words[place + 1 : place + 2]] == ["th"]
    range_end = before.text in ("to", "-") and place >= 3 and words[place - 3].key in COUNTED  # "epochs 31 to 60"
    return counted or ordinal or range_end or before.key in COUNTED or before.text in ("by", "first", "next", "last")


def _is_value(words: Sequence[Token], name: int, place: int) -> bool:
    key, token = words[name].key, words[place]
    if key != "batch_size" and token.text.isdigit():
        return False
    if token.text.isalpha() or counts_something(words, place) or belongs_to_next(words, place):
        return False
    return setting(key, token, "") is not None


def _steps_to(words: Sequence[Token], name: int, place: int, *, steps: bool) -> bool:
    """ "reduced to 0.01 after 30 epochs", "then 0.01"."""
    before = [token.text for token in words[max(0, place - 2) : place]]
    glides = any(_GLIDES.match(token.text) for token in words[place + 1 : place + 7])
    if words[name].key != "learning_rate" or glides:
        return False
    return (before[-1:] == ["to"] and (steps or "then" in before)) or before[-1:] in (["then"], ["→"]) or before == ["then", "at"]


def _has_purpose(words: Sequence[Token], name: int, at: int, place: int) -> bool:
    """The 4 of "16 for large ponds and 4 for small ones": after a comma or "and", with a purpose of its own."""
    back = place - 1
    while back > at and words[back].text in _BEFORE_VALUE:
        back -= 1
    range_end = words[name].key == "dropout" and words[back + 1].text == "to"  # "from 0.2 for frogs to 0.5 for newts"
    if words[back].text not in _SEPARATORS and not range_end:
        return False
    if _has_other_use(words, place):
        return False
    after = words[place + 1 : place + 2]
    purposes = frozenset(("for", "on", "when", "if", "during", "otherwise")) if words[name].key == "batch_size" else _AFTERWARDS
    return bool(after) and (after[0].text in purposes or after[0].text == "(")
