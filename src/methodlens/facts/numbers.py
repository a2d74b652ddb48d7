"""Small numbers as papers write them: "4", "four", "a single", "dual", "1,024"."""

_ORDER = "one two three four five six seven eight nine ten eleven twelve".split()
_WORDS: dict[str, float] = {
    **{word: value for value, word in enumerate(_ORDER, 1)},
    **dict.fromkeys(("a", "an", "single", "a single"), 1),
    **dict.fromkeys(("dual", "pair of", "a pair of"), 2),
    **{"quad": 4, "sixteen": 16, "twenty": 20, "twenty-four": 24, "thirty": 30, "thirty-two": 32, "thirty-six": 36},  # noqa: PIE800
    **{"forty": 40, "forty-eight": 48, "fifty": 50, "sixty": 60, "seventy-two": 72, "ninety-six": 96},  # noqa: PIE800
}
NUMBER = r"\d{1,3}|" + "|".join(word.replace(" ", r"\s+") for word in sorted(_WORDS, key=len, reverse=True) if len(word) > 2)
"""A regular expression, case to be ignored, for counts; "a" and "an" are left to those who mean them."""


def as_number(text: str) -> float:
    """
    >>> as_number("four"), as_number("a single"), as_number("1,024")
    (4.0, 1.0, 1024.0)
    """
    plain = " ".join(text.lower().split())
    return float(_WORDS[plain]) if plain in _WORDS else float(plain.replace(",", ""))


def in_words(number: int) -> str:
    """Up to twelve in words, above in digits."""
    return _ORDER[number - 1] if number <= len(_ORDER) else str(number)
