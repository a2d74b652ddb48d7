"""Numbers as methods sections print them: "1e-4", "10−3", "1 × 10^-4", "10,000", "10, 000", "50k", "20%", "four"."""

import re

from methodlens.facts.numbers import NUMBER, as_number

_MINUS = "[-−–‐‑]"
_POWER = rf"(?:\d+(?:\.\d+)?\s*[x×*·⋅∙]\s*)?10\s*(?:\^|\*\*)?\s*\{{?\s*{_MINUS}\s*\d{{1,2}}\}}?"
_SCIENTIFIC = rf"\d+(?:\.\d+)?\s?[eE]\s?{_MINUS}?\s?\d{{1,2}}"
_THOUSANDS = r"\d{1,3}(?:,\s?\d{3})+(?!\d)"
_PLAIN = r"\d*\.\d+|\d+(?:[kK]\b)?"
VALUE = rf"(?<![\w.])(?:{_POWER}|{_SCIENTIFIC}|{_THOUSANDS}|{_PLAIN})(?:\s?%)?(?![\w]|\.\d)"
"""A regular expression for one number in digits."""

COUNT = rf"(?:{_THOUSANDS}|\d+[kK]?|(?:{NUMBER}))"
"""A regular expression, case to be ignored, for a whole number in digits or words."""

_BY_POWER = re.compile(rf"(?:(\d+(?:\.\d+)?)\s*[x×*·⋅∙]\s*)?10\s*(?:\^|\*\*)?\s*\{{?\s*({_MINUS}\s*\d{{1,2}})\}}?$")
_BY_E = re.compile(rf"(\d+(?:\.\d+)?)\s?[eE]\s?({_MINUS}?)\s?(\d{{1,2}})$")


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
    """Whole numbers without a point."""
    return int(value) if value == int(value) else value
