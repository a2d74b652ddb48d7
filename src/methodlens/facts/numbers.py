"""Numbers as papers print them: "4", "four", "a single", "dual", "1,024", "1e-4", "10−3", "1 × 10^{-4}", "10⁻⁴", "50k", "20%"."""

import re

_ORDER = "one two three four five six seven eight nine ten eleven twelve".split()
_WORDS: dict[str, float] = {
    **{word: value for value, word in enumerate(_ORDER, 1)},
    **dict.fromkeys(("a", "an", "single", "a single"), 1),
    **dict.fromkeys(("dual", "pair of", "a pair of"), 2),
    **{"quad": 4, "fifteen": 15, "sixteen": 16, "twenty": 20, "twenty-four": 24, "twenty-five": 25},  # noqa: PIE800
    **{"thirty": 30, "thirty-two": 32, "thirty-six": 36, "forty": 40, "forty-eight": 48},  # noqa: PIE800
    **{"fifty": 50, "sixty": 60, "seventy": 70, "seventy-two": 72, "eighty": 80, "ninety": 90, "ninety-six": 96},  # noqa: PIE800
}
NUMBER = r"\d{1,3}|" + "|".join(word.replace(" ", r"\s+") for word in sorted(_WORDS, key=len, reverse=True) if len(word) > 2)
"""A regular expression for counts, to be used with IGNORECASE; "a" and "an" are not among them."""

_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
COMPOUND = rf"(?:{'|'.join(_TENS)})-(?:{'|'.join(_ORDER[:9])})\b|(?:an?|{'|'.join(_ORDER[:9])})\s(?:hundred|thousand)\b"
"""A regular expression for numbers of two words, to be used with IGNORECASE: "twenty-five", "one hundred"."""

# one character for one, so that positions stay the same; "≈" and "·" are left to the grammars
_PLAIN = str.maketrans(
    {**dict.fromkeys("‐‑‒–—−﹣－˗", "-"), **dict.fromkeys("\xa0\u2002\u2003\u2004\u2005\u2007\u2008\u205f", " ")}
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = "[⁰¹²³⁴⁵⁶⁷⁸⁹]"

_MINUS = "[-−–‐‑]"
_TIMES = r"(?:[x×*∗·⋅∙•⨯⇥]|\\times|\\cdot)"
_FACTOR = rf"(?:\d{{1,4}}(?:\.\d{{1,6}})?\s?{_TIMES}\s?)?"
_TEN = r"(?:10|\{10\})"
_POWER = (
    rf"{_FACTOR}{_TEN}\s?(?:(?:\^|\*\*)\s?[{{(]?\s?{_MINUS}\s?\d{{1,2}}[}})]?|{_MINUS}\s?\d(?!\d)|[⁻]{_SUPERSCRIPT}{{1,2}})"
    rf"|{_FACTOR}{_TEN}(?:(?:\^|\*\*)\s?\{{?\d{{1,2}}\}}?|{_SUPERSCRIPT}{{1,2}})"
    rf"|[1-9](?:\.\d)?\s?{_TIMES}\s?10[1-8](?!\d)"  # "5 × 105", where the exponent lost its height
)
_SCIENTIFIC = rf"\d{{1,4}}(?:\.\d{{0,6}})?(?:[eE]\s?{_MINUS}?\s?\d{{1,2}}|\s[eE]\s?{_MINUS}\s?\d{{1,2}})"
_THOUSANDS = r"[1-9]\d{0,2}(?:,\s?\d{3}){1,3}(?!\d)|[1-9]\d{0,2}(?:[\u2009\u202f]\d{3}|\s000){1,3}(?!\d)"
_CLOSE_THOUSANDS = r"[1-9]\d{0,2}(?:,\d{3}|,\s000){1,3}(?!\d)|[1-9]\d{0,2}(?:[\u2009\u202f]\d{3}|\s000){1,3}(?!\d)"
_LARGE = r"\d{1,6}(?:\.\d{1,3})?\s?(?:[kK]\b|M\b|(?:million|thousand)\b)"
_PLAIN_NUMBER = r"\d{0,12}[.]\d{1,12}|0,\d{1,9}|\d{1,12}"


def _number(thousands: str) -> str:
    return rf"(?<![\w.])(?:{_POWER}|{_SCIENTIFIC}|{_LARGE}|{thousands}|{_PLAIN_NUMBER})(?:\s?%)?(?![\w]|\.\d)"


VALUE = _number(_CLOSE_THOUSANDS)
"""A regular expression for one number in digits, in text that `plain_signs` has seen; "8, 128" is two of them."""

COUNT = rf"(?:{_THOUSANDS}|\d{{1,12}}[kK]?|(?:{NUMBER}))"
"""A regular expression for a whole number in digits or words, to be used with IGNORECASE."""

_BY_POWER = re.compile(
    rf"(?:(\d+(?:\.\d+)?)\s?{_TIMES}\s?)?{_TEN}\s?(\^|\*\*)?\s?[{{(]?\s?({_MINUS}|⁻)?\s?(\d{{1,2}}|{_SUPERSCRIPT}{{1,2}})[}})]?$"
)
_BY_E = re.compile(rf"(\d+(?:\.\d*)?)\s?[eE]\s?({_MINUS}?)\s?(\d{{1,2}})$")
_SCALED = re.compile(r"(\d+(?:\.\d+)?)\s?(k|M|million|thousand)$", re.I)
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}


def plain_signs(text: str) -> str:
    """The text with one kind of hyphen and minus and one kind of space, each character at its place."""
    return text.translate(_PLAIN)


def as_number(text: str) -> float:
    """
    >>> as_number("four"), as_number("a single"), as_number("1,024")
    (4.0, 1.0, 1024.0)
    """
    plain = " ".join(text.lower().split())
    return float(_WORDS[plain]) if plain in _WORDS else float(plain.replace(",", ""))


def worded(text: str) -> float | None:
    """The value of a number in words.

    >>> worded("twenty"), worded("frog"), worded("a"), worded("thirty-five"), worded("two hundred")
    (20.0, None, None, 35.0, 200.0)
    """
    value = _WORDS.get(text.lower())
    first, _, last = text.lower().replace("-", " ").partition(" ")
    if value is None and first in _TENS and last in _WORDS:
        return float(_TENS[first] + _WORDS[last])
    if value is None and first in _WORDS and last in ("hundred", "thousand"):
        return _WORDS[first] * (100.0 if last == "hundred" else 1000.0)
    return None if value is None or len(text) < 3 or text.lower() in ("dual", "quad") else float(value)


def quantity(text: str) -> float:
    """
    >>> quantity("1 × 10−4"), quantity("20%"), quantity("10, 000"), quantity("50k"), quantity("four"), quantity("10⁻³")
    (0.0001, 0.2, 10000.0, 50000.0, 4.0, 0.001)
    """
    plain = text.strip()
    if plain.endswith("%"):
        return round(quantity(plain[:-1]) / 100, 6)
    power = _BY_POWER.match(plain)
    if power and (power[1] or power[2] or power[3] or not power[4].isascii()):  # not the 10 and 4 of "104"
        return float(f"{power[1] or 1}e{'-' if power[3] else ''}{power[4].translate(_SUPERSCRIPTS)}")
    if scientific := _BY_E.match(plain):
        return float(f"{scientific[1]}e{'-' if scientific[2] else ''}{scientific[3]}")
    if scaled := _SCALED.match(plain):
        return float(scaled[1]) * _SCALES[scaled[2].lower()]
    if plain.startswith("0,"):
        return float(plain.replace(",", "."))
    return as_number(re.sub(r"(?<=\d)(?:,\s?|[\u2009\u202f\s])(?=\d)", "", plain))


def lost_minus(printed: str) -> float | None:
    """The rate that "104" stands for where the type lost the minus and the height of an exponent.

    >>> lost_minus("104"), lost_minus("5 × 105"), lost_minus("0.4")
    (0.0001, 5e-05, None)
    """
    match = _LOST_MINUS.fullmatch(printed.strip())
    return float(f"{match[1] or 1}e-{match[2]}") if match else None


_LOST_MINUS = re.compile(rf"(?:([1-9](?:\.\d)?)\s?{_TIMES}\s?)?10([1-8])")


def tidy(value: float) -> int | float:
    """Whole numbers as int."""
    return int(value) if value == int(value) else value


def in_words(number: int) -> str:
    """Up to twelve in words, above in digits."""
    return _ORDER[number - 1] if number <= len(_ORDER) else str(number)
