"""Lists of one or two words, as data files write them, that are matched by their stems."""

from collections.abc import Iterator

from methodlens.text import words
from methodlens.text.stems import stem

Term = tuple[str, ...]
"""One stem, or two that stand close to each other."""


def terms(listed: str) -> Iterator[Term]:
    """
    >>> list(terms("sample size, cross-validation"))
    [('sampl', 'size'), ('cross-valid',), ('cros', 'valid')]
    """
    for entry in listed.split(","):
        parts = [tokens[0] for part in entry.split() if (tokens := words(part))]
        if len(parts) == min(2, len(entry.split())):
            yield tuple(map(stem, parts))
        halves = words(entry)[1:] if len(parts) == 1 else []
        if len(halves) == 2:  # "cross-validation" is written as two words, too
            yield tuple(map(stem, halves))
