"""Whether two lines are joined with a space, a hyphen or nothing."""

import re
from collections import Counter

_LAST = re.compile(r"[^\W_][^\s]*$")
_FIRST = re.compile(r"^[^\W_]+")
_LINK = re.compile(r"(?:https?://|www\.|doi\.org/|\b10\.\d{4,9}/)\S*$", re.IGNORECASE)
_CONTINUATION = re.compile(r"[\w%~][\w.~%/?=&#:+-]*")
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff]")
_OPEN_END = frozenset("/-_=?&#%~:.")


def needs_no_space(before: str, after: str) -> bool:
    """Whether two lines are joined without a space: Chinese and Japanese have none between words."""
    return bool(_UNSPACED.match(before[-1:]) and _UNSPACED.match(after[:1]))


def continues_link(before: str, after: str) -> bool:
    """Whether a link at the end of a line continues on the next: it stops in the middle, or the next word looks like a path."""
    link = _LINK.search(before)
    continuation = _CONTINUATION.match(after)
    if not link or not continuation:
        return False
    word = continuation[0]
    if word.lower().startswith(("http", "www.", "doi")):
        return False
    if link[0][-1] in _OPEN_END:
        return not (link[0][-1] in ".:" and word[:1].isupper() and "/" not in word and not any(c.isdigit() for c in word))
    mixed = any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
    return "/" in word or "_" in word or (mixed and "." in word.rstrip("."))


def hyphen_between(before: str, after: str, vocabulary: Counter[str]) -> str:
    """'' if the hyphen only broke the line, '-' if it belongs to the word, as the rest of the paper spells it."""
    if _LINK.search(before + "-"):
        return "-"
    left, right = _LAST.search(before), _FIRST.match(after)
    if not left or not right:
        return "-"
    first, second = left[0].lower().lstrip("([“\"'"), right[0].lower()
    if not right[0].islower() or any(char.isdigit() for char in first):
        return "-"
    joined, hyphenated = vocabulary[first + second], vocabulary[f"{first}-{second}"]
    if joined == hyphenated == 0 and "-" in first:  # state-of-the-\nart
        return "-"
    return "-" if hyphenated > joined else ""
