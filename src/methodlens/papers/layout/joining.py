"""Whether two lines are joined with a space, a hyphen or nothing."""

import re
from collections import Counter

_LAST = re.compile(r"[^\W_][^\s]*$")
_LAST_LETTERS = re.compile(r"(?<![\w-])[^\W\d_]{2,}$")
_FIRST = re.compile(r"^[^\W_]+")
_LINK = re.compile(r"(?:https?://|www\.|doi\.org/|\b10\.\d{4,9}/)\S*$", re.IGNORECASE)
_CONTINUATION = re.compile(r"[\w%~][\w.~%/?=&#:+-]*")
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff]")
_SHORT = frozenset(
    "so two six ten one low big top end old new non".split()
)  # short words that compounds with a hyphen begin with
_PREFIXES = frozenset(  # words that begin other words without a hyphen
    "with over under some there where when here through every into upon other more never back after work inter counter super "
    "trans hand head life light side time type water wave".split()
)
_REST_OF_NAME = re.compile(r"[a-z]{2,}[A-Z][a-z]")  # "bileNet", but not "mRNA"
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
    """'' if the hyphen only broke the line, '-' if it belongs to the word, as the rest of the paper spells it.

    `vocabulary` counts the words of the paper, and the first parts of its compounds ("cross-").
    """
    if _LINK.search(before + "-"):
        return "-"
    left, right = _LAST.search(before), _FIRST.match(after)
    if not left or not right:
        return "-"
    first, second = left[0].lower().lstrip("([“\"'"), right[0].lower()
    if any(char.isdigit() for char in first):
        return "-"
    joined, hyphenated = vocabulary[first + second], vocabulary[f"{first}-{second}"]
    if not right[0].islower():  # U-\nNet, but Mo-\nbileNet, and Pond-\nNet if the paper writes PondNet elsewhere
        is_name = left[0][:1].isupper() and _REST_OF_NAME.match(right[0]) and not vocabulary[first] and not hyphenated
        return "" if joined > hyphenated or is_name else "-"
    if joined or hyphenated:
        return "-" if hyphenated > joined else ""
    if "-" in first or after[right.end() : right.end() + 1] == "-":  # state-of-the-\nart, state-\nof-the-art
        rest = first.rpartition("-")[2]
        return "" if rest != first and vocabulary[rest + second] else "-"  # cross-vali-\ndation
    begins_compounds = vocabulary[f"{first}-"] > 0 and vocabulary[second] > 0
    both_words = len(second) > 3 and (begins_compounds or (vocabulary[first] > 1 and vocabulary[second] > 1))
    compounds = first in _SHORT if len(first) < 4 else first not in _PREFIXES
    return "-" if both_words and compounds else ""  # so-\ncalled, but phos-\nphorylation and per-\nform


def continues_word(before: str, after: str, vocabulary: Counter[str]) -> bool:
    """Whether a line breaks a word without a hyphen: the parts occur nowhere else in the paper, the whole word does.

    >>> continues_word("the phos", "phorylation of", Counter(["phosphorylation", "phos", "phorylation", "the", "of"]))
    True
    """
    left, right = _LAST_LETTERS.search(before[-40:]), _FIRST.match(after)
    if not left or not right or not right[0].islower():
        return False
    first, second = left[0].lower(), right[0].lower()
    return vocabulary[first] <= 1 and vocabulary[second] <= 1 and vocabulary[first + second] > 0
