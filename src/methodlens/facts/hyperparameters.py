"""Learning rate, batch size, epochs and the like: a cue word and the numbers that belong to it.

All cues are located first, and each gets the numbers between it and the next, so that no parameter takes the number of another.
"learning rate, batch size and epochs were 0.01, 32 and 100" is read as parallel lists.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from methodlens.facts.negation import is_negated
from methodlens.facts.numbers import COUNT, NUMBER, VALUE, quantity, tidy
from methodlens.facts.types import Fact, FactType, one_or_list


class Setting(Struct, frozen=True):
    """A value of a parameter; `printed` is the number as the text has it."""

    key: str
    value: int | float
    printed: str


class _Parameter(Struct, frozen=True):
    cue: str
    low: float
    high: float
    whole: bool = False


_PARAMETERS = {
    "learning_rate": _Parameter(
        r"(?:base\s+)?(?:initial\s+)?learn(?:ing|[-‐]\s?ing)[\s-]+rates?|\bLR\b|\blr\b|step\s+size", 1e-9, 2
    ),
    "batch_size": _Parameter(
        r"(?:mini[\s-]?)?batch(?:es)?[\s-]*sizes?|(?:mini[\s-]?)batch(?:es)?\b|\bbatch(?:es)?\s+of\b", 1, 1e6, whole=True
    ),
    "epochs": _Parameter(r"(?:number\s+of\s+)?(?:training\s+)?epochs?", 1, 1e5, whole=True),
    "iterations": _Parameter(r"(?:number\s+of\s+)?(?:training\s+|gradient\s+)?(?:iterations|steps|updates)", 10, 1e9, whole=True),
    "momentum": _Parameter(r"momen[-‐]?\s?tum(?:\s+(?:term|coefficient|value|parameter))?", 0.1, 0.9999),
    "weight_decay": _Parameter(r"weights?[\s-]+decay|L2[\s-]+(?:regulari[sz]ation|penalty|norm\s+penalty)|\bL2\b", 1e-9, 0.5),
    "dropout": _Parameter(r"drop[-‐]?\s?out(?:\s+layers?)?", 0.01, 0.95),
}
_CUE = re.compile("|".join(rf"(?P<{key}>(?<![\w-]){parameter.cue}(?!\w))" for key, parameter in _PARAMETERS.items()), re.I)
_ONE = rf"{VALUE}|\b(?:{NUMBER})\b(?=\s*(?:images|samples|examples|epochs|patches|segments|sequences))"
_NUMBERS = re.compile(rf"(?P<number>{_ONE})", re.I)
_CITATION = re.compile(r"\((?:[^()]{0,60}?\b(?:19|20)\d\d[a-z]?)\)|\[\d+(?:[,–-]\s?\d+)*\]")
# between a cue and its number: a few words, none of which changes the subject
_FIRST = re.compile(
    r"(?:(?!\b(?:decreas|divid|reduc|multipl|factor|every|decay|dropp?ed|halv|increas|after|until|gamma|warm|anneal|patience|than|layers?\s+of|"
    r"per\b|schedul|image\s+size|threshold|image|crop|kernel|filters?|neurons|units|hidden|dimension|heads?|window|seconds?|table|fig|section|"
    r"beta|epsilon|power|polic|accura|score|figure|equation|no\b|not\b|without))[^.;\d]|\.(?=\s?\d)){0,60}?"
    rf"(?P<number>{_ONE})",
    re.I,
)
_STARTS = re.compile(
    r"(?:from|start(?:ed|ing)?(?:\s+\w+){0,2}\s+(?:with|at|from)|initiali[sz]ed(?:\s+\w+){0,3}\s+(?:at|to|with))\s*$", re.I
)
_BETWEEN = re.compile(r"\s*(?:,|;|/|\band\b|\bor\b|,\s*and\b|&|\}|\{|\[|\]|\(|\)|\s)*\s*", re.I)
_IN_BRACKETS = re.compile(r"\s*\((?:[^()]{0,40})\)\s*,?\s*(?:and\s+)?")
_SIDE_BY_SIDE = re.compile(r"\s*(?:,|\band\b|&|,\s*and\b)?\s*(?:the\s+|an?\s+)?(?:initial\s+|number\s+of\s+|training\s+)*", re.I)
_RANGE = re.compile(r"\s*(?:to|[-–−]|until)\s*$", re.I)
_BEFORE = re.compile(
    rf"(?<!/)(?P<value>{VALUE}|\b(?:{NUMBER}))(?:\s+|-)(?:as\s+(?:the\s+|an?\s+)?)?(?:initial\s+|training\s+|the\s+|base\s+|additional\s+|full\s+|total\s+)*$",
    re.I,
)
_COUNTED = ("epochs", "iterations")
# "every 10 epochs", "no improvement for the last 20 epochs", "patience of 5 epochs", "early stopping criterion set to 200 epochs"
_NOT_A_TOTAL = re.compile(
    r"\b(?:every|each|last|previous|first|next|per|patience|consecutive|within|early[\s-]+stop\w*(?:\s+\w+){0,5}|another|further|"
    r"(?:stalled|improv\w*|reduc\w*|decreas\w*|plateau\w*|chang\w*)(?:\s+[\w-]+){0,6}|than|some|warm-?\s?up(?:\s+\w+){0,3}|"
    r"(?<!stopped )(?<!ended )(?<!terminated )(?<!stop )(?<!finished )after|at|lag|time|stride)\s*"
    r"(?:for\s+|of\s+|in\s+|the\s+|about\s+|over\s+|to\s+)*$",
    re.I,
)
_HEADS = re.compile(r"\s*[:=]?\s*\d")  # "Epochs 100" of a table
_OF_ITS_OWN = re.compile(
    r"\s*-?(?:training\s+)?(?:epochs?|iterations|steps|updates)\b(?!\s*[:=]?\s*\d)", re.I
)  # the 90 of "32 and 90 epochs"
_PER_BATCH = re.compile(
    rf"(?P<value>{COUNT})\s+(?:\w+\s+){{0,2}}(?:per|in\s+(?:a|each|every|one)|for\s+each)\s+(?:mini[\s-]?)?batch\b", re.I
)
_EACH = re.compile(r"\s*(?:/|per\s+(?:second|epoch|day|image|iteration|sec))", re.I)


@lru_cache(maxsize=512)
def settings(text: str) -> tuple[Setting, ...]:
    """
    >>> [(s.key, s.value) for s in settings("Adam with a learning rate of 1e-4, batches of 32, for 100 epochs.")]
    [('learning_rate', 0.0001), ('batch_size', 32), ('epochs', 100)]
    """
    text = _CITATION.sub(lambda match: " " * len(match[0]), text)
    cues = [match for match in _CUE.finditer(text) if not is_negated(text, match.start(), match.end())]
    values: list[Setting | None] = []
    used = -1
    for index, cue in enumerate(cues):
        if index <= used:
            continue
        row = _row(text, cues, index)
        numbers = list(_after(text, row[-1].end(), _limit(text, cues, index + len(row)))) if len(row) > 1 else []
        if len(row) > 1 and len(numbers) == len(row):
            values += [_setting(each.lastgroup or "", number) for each, number in zip(row, numbers, strict=True)]
            used = index + len(row) - 1
        else:
            values += _of(text, cue, _limit(text, cues, index + 1))
    values += [_setting("batch_size", match["value"]) for match in _PER_BATCH.finditer(text)]
    return tuple(filter(None, values))


def _limit(text: str, cues: list[re.Match[str]], index: int) -> int:
    return cues[index].start() if index < len(cues) else len(text)


def _row(text: str, cues: list[re.Match[str]], index: int) -> list[re.Match[str]]:
    """The adjacent cues from this one on, each of another parameter."""
    row = [cues[index]]
    for cue in cues[index + 1 :]:
        if not _SIDE_BY_SIDE.fullmatch(text, row[-1].end(), cue.start()) or cue.lastgroup in {each.lastgroup for each in row}:
            break
        row.append(cue)
    return row


def _of(text: str, cue: re.Match[str], limit: int) -> list[Setting | None]:
    key = cue.lastgroup or ""
    before = _BEFORE.search(text, max(0, cue.start() - 60), cue.start()) if not _HEADS.match(text, cue.end()) else None
    if before and key in (*_COUNTED, "dropout", "learning_rate", "momentum"):
        total = key not in _COUNTED or not _NOT_A_TOTAL.search(text, max(0, before.start() - 70), before.start())
        setting = _setting(key, before["value"]) if total and not _EACH.match(text, cue.end()) else None
        if setting or key in _COUNTED:
            return [setting]
    return [_setting(key, number) for number in _after(text, cue.end(), limit)]


def _after(text: str, start: int, limit: int) -> Iterator[str]:
    """The first number after a cue and those listed with it; of a range, the start."""
    first = _FIRST.match(text, start, limit)
    if not first:
        starts = _NUMBERS.search(text, start, min(limit, start + 120))
        first = starts if starts and _STARTS.search(text, start, starts.start()) else None
    while first and not _OF_ITS_OWN.match(text, first.end()):
        yield first["number"]
        gap = _BETWEEN.match(text, first.end(), limit)
        at = gap.end() if gap else first.end()
        if bracket := _IN_BRACKETS.match(text, first.end(), limit):
            at = max(at, bracket.end())
        if _RANGE.search(text, first.end(), at):
            return
        first = _NUMBERS.match(text, at, limit)


def _setting(key: str, printed: str) -> Setting | None:
    """None if the number is out of range for the parameter."""
    parameter = _PARAMETERS[key]
    value = quantity(printed)
    share = printed.rstrip().endswith("%")
    if not parameter.low <= value <= parameter.high or (parameter.whole and (share or value != int(value))):
        return None
    if key in ("learning_rate", "momentum", "weight_decay") and (share or (value >= 1 and printed.strip() not in ("1", "1.0"))):
        return None
    return Setting(key, tidy(value), printed.strip())


def _type(key: str, phrase: str | tuple[str, str]) -> FactType:
    def extract(quotes: Sequence[str]) -> list[Fact]:
        facts: dict[int | float, Fact] = {}
        for index, quote in enumerate(quotes):
            for each in settings(quote):
                if each.key == key:
                    facts.setdefault(each.value, Fact(each.value, index, each.printed))
        return list(facts.values())

    return FactType(key=key, extract=extract, merge=one_or_list, phrase=phrase)


HYPERPARAMETERS = (
    _type("learning_rate", ("learning rate {}", "learning rates {}")),
    _type("batch_size", ("batch size {}", "batch sizes {}")),
    _type("epochs", "{} epochs"),
    _type("iterations", "{} iterations"),
    _type("momentum", "momentum {}"),
    _type("weight_decay", "weight decay {}"),
    _type("dropout", "dropout {}"),
)
