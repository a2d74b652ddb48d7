"""The parameters of training as tokens: names such as "learning rate", numbers, and the words between them."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from methodlens.facts.numbers import COMPOUND, VALUE, lost_minus, plain_signs, quantity, tidy, worded


class Setting(Struct, frozen=True):
    """A value of a parameter; `printed` is the number as the text has it. A `doubtful` one counts if there is no other."""

    key: str
    value: int | float
    printed: str
    doubtful: bool = False


class Token(Struct, frozen=True):
    """A piece of a sentence. `key` is the parameter that it names, `value` its number; `text` is in lower case."""

    text: str
    start: int
    end: int
    key: str = ""
    value: float | None = None
    spaced: bool = False
    """A space comes before it."""
    capital: bool = False
    """It begins with a capital letter."""


class _Parameter(Struct, frozen=True):
    cue: str
    low: float
    high: float
    whole: bool = False
    is_rate: bool = False
    """Small powers of ten, never a percentage."""


_HYPHEN = r"[\s_-]{0,2}"
_UPDATES = (
    r"(?:training|gradient|optimi[sz]ation|optimi[sz]er|parameter|weight|sgd|environment|environ-\s?ment|interaction|learning)"
)
PARAMETERS = {
    "learning_rate": _Parameter(
        rf"(?:learn(?:ing|-\s?ing)?{_HYPHEN}rates?(?:{_HYPHEN}init)?|(?:init|initial|max|base|peak)_lr|lr_(?:init|max)|lr0?|lrs|step{_HYPHEN}size)(?![\w])",
        1e-9,
        2,
        is_rate=True,
    ),
    "batch_size": _Parameter(
        rf"(?:mini{_HYPHEN})?batch(?:es)?(?:{_HYPHEN}sizes?|\s+of(?:\s+sizes?)?|\s+(?:with|having)\s+(?:a\s+)?size)(?!\w)"
        rf"|(?:mini{_HYPHEN})batch(?:es)?(?!\w)|bs(?=\s?[=:])",
        1,
        1e7,
        whole=True,
    ),
    "epochs": _Parameter(
        r"(?:training\s+|learning\s+|num_train_|num_|n_|nb_|max_|total_|train_)?epochs?(?!\w)"
        r"|passes\s+(?:over|through)\s+(?:the\s+|all\s+){0,2}(?:(?:entire|whole|full|complete|training)\s+){0,2}(?:data\s?sets?|data|sets?|corpus|examples|images)(?!\w)",
        0.1,
        1e5,
    ),
    "iterations": _Parameter(
        rf"(?:{_UPDATES}\s+){{0,2}}(?:iterations?|updates|steps)(?!\w)|max{_HYPHEN}iter(?:ations?)?(?!\w)|(?:training|optimi[sz]ation)\s+step(?!\w)",
        10,
        1e10,
        whole=True,
    ),
    "momentum": _Parameter(r"momen(?:-\s?)?tum(?!\w)", 0.1, 0.99999),
    "weight_decay": _Parameter(
        rf"weights?{_HYPHEN}decay(?!\w)|[lℓ]_?2{_HYPHEN}(?:weight{_HYPHEN}decay|weight\s+regulari[sz]ation|regulari[sz](?:ation|er)|penalty|norm\s+penalty|norm\s+regulari[sz]ation)(?!\w)|wd(?=\s?[=:])",
        1e-9,
        1,
        is_rate=True,
    ),
    "dropout": _Parameter(
        r"drop(?:-\s?)?outs?(?:_(?:rate|prob|probability|p))?(?!\w)|p_?drop(?:out)?(?!\w)"
        r"|drop[\s_-](?:out[\s_-]rates?|out\s+layers?|rate|ratio|prob(?:ability)?)(?!\w)",
        0.01,
        0.95,
    ),
}
COUNTED = ("epochs", "iterations")

_CITATION = re.compile(
    r"\((?:[^()\d]{0,80}?\b(?:19|20)\d\d[a-z]?[;,]?\s?){1,4}\)|\bet al\.?,?\s{0,2}\(?(?:19|20)\d\d[a-z]?\)?"
    r"|(?<![=∈:{]\s)(?<![=∈:{])\[\d{1,3}(?:\s?[,-]\s?\d{1,3}){0,12}\]"
    r"|\b(?:Tables?|Figs?\.?|Figures?|Sections?|Sect?\.|Eqs?\.?|Equations?|Appendix|Ref\.|pp?\.)\s?\(?[A-Z]?\d{1,3}(?:\.\d{1,2}){0,3}[a-z]?\)?",
    re.I,
)
_TOKEN = re.compile(
    "|".join(rf"(?P<{key}>(?<![^\W_])(?<![^\W\d]-)(?:{parameter.cue}))" for key, parameter in PARAMETERS.items())
    + rf"|(?P<number>(?<![^\W\d][-_]){VALUE})|(?P<compound>{COMPOUND})"
    + r"|(?P<word>[^\W\d][\w'’]{0,60})|(?P<sign>[^\w\s])|(?P<other>\w{1,60})",
    re.I,
)


def tokens(sentence: str) -> list[Token]:
    """
    >>> [(token.key, token.value) for token in tokens("a learning rate of 1e-4") if token.key or token.value]
    [('learning_rate', None), ('', 0.0001)]
    """
    return list(_tokens(_without_citations(plain_signs(sentence))))


def _without_citations(plain: str) -> str:
    return _CITATION.sub(lambda match: " " * len(match[0]), plain)


def _tokens(plain: str) -> Iterator[Token]:
    end = 0
    for match in _TOKEN.finditer(plain):
        spaced, end = match.start() > end, match.end()
        kind, text = match.lastgroup or "", match[0].lower()
        value = quantity(match[0]) if kind == "number" else worded(text) if kind in ("word", "compound") else None
        key, capital = kind if kind in PARAMETERS else "", match[0][0].isupper()
        yield Token(text, match.start(), end, key=key, value=value, spaced=spaced, capital=capital)


def large_rate(words: Sequence[Token], name: int, at: int) -> Setting | None:
    """A learning rate such as 10 or 30, which is taken only if it is plainly said: "a learning rate of 30 is used"."""
    number, between = words[at], [token.text for token in words[name + 1 : at]]
    after = words[at + 1].text if at + 1 < len(words) else "."
    set_to = between[-1:] in (["to"], ["as"], ["at"]) and bool({"set", "fixed"} & set(between)) and len(between) <= 4
    plain = set_to or between in (["of"], ["="], [":"])
    fits = words[name].key == "learning_rate" and number.text.isdigit() and 2 <= (number.value or 0) <= 100
    ended = after in (",", ".", ";", ")", "and", "is", "was", "for", "with", "in")
    return Setting(words[name].key, tidy(number.value or 0), number.text) if fits and plain and ended else None


def setting(key: str, number: Token, printed: str, *, doubtful: bool = False) -> Setting | None:
    """None if the number is out of range for the parameter."""
    parameter, value = PARAMETERS[key], number.value
    if value is None:
        return None
    if parameter.is_rate and value > 2:
        value = lost_minus(number.text) or value
    share = number.text.endswith("%")
    if not parameter.low <= value <= parameter.high or (parameter.whole and (share or value != int(value))):
        return None
    if key == "weight_decay" and value > 0.5 and number.text != "1.0":
        return None
    if key == "epochs" and value != int(value) and value % 0.5:
        return None
    if (share and key not in ("dropout", "momentum")) or (parameter.is_rate and value >= 1 and number.text not in ("1", "1.0")):
        return None
    return Setting(key, tidy(value), printed.strip(), doubtful)
