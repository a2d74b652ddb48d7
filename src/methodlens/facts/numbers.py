"""Numbers as papers print them: "4", "four", "a single", "dual", "1,024", "1e-4", "10−3", "1 × 10^-4", "50k", "20%"."""

import re

_ORDER = "one two three four five six seven eight nine ten eleven twelve".split()
_WORDS: dict[str, float] = {
    **{word: value for value, word in enumerate(_ORDER, 1)},
    **dict.fromkeys(("a", "an", "single", "a single"), 1),
    **dict.fromkeys(("dual", "pair of", "a pair of"), 2),
    **{"quad": 4, "sixteen": 16, "twenty": 20, "twenty-four": 24, "thirty": 30, "thirty-two": 32, "thirty-six": 36},  # noqa: PIE800
    **{"forty": 40, "forty-eight": 48, "fifty": 50, "sixty": 60, "seventy-two": 72, "ninety-six": 96},  # noqa: PIE800
}
NUMBER = r"\d{1,3}|" + "|".join(word.replace(" ", r"\s+") for word in sorted(_WORDS, key=len, reverse=True) if len(word) > 2)
"""A regular expression for counts, to be used with IGNORECASE; "a" and "an" are not among them."""

_MINUS = "[-−–‐‑]"
_POWER = rf"(?:\d+(?:\.\d+)?\s*[x×*·⋅∙]\s*)?10\s*(?:\^|\*\*)?\s*\{{?\s*{_MINUS}\s*\d{{1,2}}\}}?"
_SCIENTIFIC = rf"\d+(?:\.\d+)?\s?[eE]\s?{_MINUS}?\s?\d{{1,2}}"
_THOUSANDS = r"\d{1,3}(?:,\s?\d{3})+(?!\d)"
_PLAIN = r"\d*\.\d+|\d+(?:[kK]\b)?"
VALUE = rf"(?<![\w.])(?:{_POWER}|{_SCIENTIFIC}|{_THOUSANDS}|{_PLAIN})(?:\s?%)?(?![\w]|\.\d)"
"""A regular expression for one number in digits."""

COUNT = rf"(?:{_THOUSANDS}|\d+[kK]?|(?:{NUMBER}))"
"""A regular expression for a whole number in digits or words, to be used with IGNORECASE."""

_BY_POWER = re.compile(rf"(?:(\d+(?:\.\d+)?)\s*[x×*·⋅∙]\s*)?10\s*(?:\^|\*\*)?\s*\{{?\s*({_MINUS}\s*\d{{1,2}})\}}?$")
_BY_E = re.compile(rf"(\d+(?:\.\d+)?)\s?[eE]\s?({_MINUS}?)\s?(\d{{1,2}})$")


def as_number(text: str) -> float:
    """
    >>> as_number("four"), as_number("a single"), as_number("1,024")
    (4.0, 1.0, 1024.0)
    """
    plain = " ".join(text.lower().split())
    return float(_WORDS[plain]) if plain in _WORDS else float(plain.replace(",", ""))


def quantity(text: str) -> float:
    """
    >>> quantity("1 × 10−4"), quantity("20%"), quantity("10, 000"), quantity("50k"), quantity("four")
    (0.0001, 0.2, 10000.0, 50000.0, 4.0)
    """
    plain = text.strip()
    if plain.endswith("%"):
        return round(quantity(plain[:-1]) / 100, 6)
    if power := _BY_POWER.match(plain):
        return float(f"{power[1] or 1}e-{re.sub(r'[^0-9]', '', power[2])}")
    if scientific := _BY_E.match(plain):
        return float(f"{scientific[1]}e{'-' if scientific[2] else ''}{scientific[3]}")
    if plain[-1:] in "kK" and plain[:-1].isdigit():
        return float(plain[:-1]) * 1000
    return as_number(re.sub(r"(?<=\d),\s?(?=\d)", "", plain))


def tidy(value: float) -> int | float:
    """Whole numbers as int."""
    return int(value) if value == int(value) else value


def in_words(number: int) -> str:
    """Up to twelve in words, above in digits."""
    return _ORDER[number - 1] if number <= len(_ORDER) else str(number)
