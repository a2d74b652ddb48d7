"""What stands between two lines in clean text: a blank, nothing, a hyphen, or the border of a paragraph."""

import re
from collections import Counter

_LAST = re.compile(r"[^\W_][^\s]*$")
_FIRST = re.compile(r"^[^\W_]+")
_LINK = re.compile(r"(?:https?://|www\.|doi\.org/|\b10\.\d{4,9}/)\S*$", re.IGNORECASE)
_GOES_ON = re.compile(r"[\w%~][\w.~%/?=&#:+-]*")
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff]")
_OPEN_END = frozenset("/-_=?&#%~:.")


def runs_on(before: str, after: str) -> bool:
    """Whether no blank belongs between two lines: Chinese and Japanese have none between words."""
    return bool(_UNSPACED.match(before[-1:]) and _UNSPACED.match(after[:1]))


def link_goes_on(before: str, after: str) -> bool:
    """Whether a link that ends a line is continued by the next: it stops in the middle, or the next word looks like a path."""
    link = _LINK.search(before)
    more = _GOES_ON.match(after)
    if not link or not more:
        return False
    word = more[0]
    if word.lower().startswith(("http", "www.", "doi")):
        return False
    if link[0][-1] in _OPEN_END:
        return not (link[0][-1] in ".:" and word[:1].isupper() and "/" not in word and not any(c.isdigit() for c in word))
    return (
        "/" in word
        or "_" in word
        or (any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and "." in word.rstrip("."))
    )


def hyphen_between(before: str, after: str, vocabulary: Counter[str]) -> str:
    """'' when the hyphen was the printer's, '-' when it was the authors': what the rest of the paper does decides."""
    if _LINK.search(before + "-"):
        return "-"
    left, right = _LAST.search(before), _FIRST.match(after)
    if not left or not right:
        return "-"
    first, second = left[0].lower().lstrip("([“\"'"), right[0].lower()
    if not right[0].islower() or any(char.isdigit() for char in first):
        return "-"
    joined, hyphened = vocabulary[first + second], vocabulary[f"{first}-{second}"]
    if joined == hyphened == 0 and "-" in first:  # state-of-the-\nart
        return "-"
    return "-" if hyphened > joined else ""
