"""Parallel lists: names of parameters side by side, and as many numbers after them."""

import re
from collections.abc import Iterator, Sequence

from methodlens.facts.parameters import PARAMETERS, Setting, Token, setting

_ROW_WORDS = re.compile(
    r"(?:initial|number|of|the|an?|and|,|/|&|training|max|maximum|total|optimi[sz]er|rates?|size|#|no|\.|base|[()]|"
    r"[α-ωΑ-Ω]\w?|[a-z]\d|[a-z])"
)


def read_rows(sentence: str, words: Sequence[Token], names: Sequence[int]) -> tuple[list[Setting], set[int]]:
    """Names side by side and as many numbers after them: "learning rate and batch size were 0.01 and 32", the rows of a table.

    Also the places of the names and numbers that are used up.
    """
    found: list[Setting] = []
    done: set[int] = set()
    at = 0
    while at < len(names):
        row = _row(words, names, at)
        at += len(row)
        if len(row) < 2:
            continue
        until = names[at] if at < len(names) else len(words)
        for cluster in _clusters(words, row[-1] + 1, until):
            pairs = list(zip(row, cluster, strict=False))
            values = [
                setting(words[name].key, words[place], sentence[words[place].start : words[place].end]) for name, place in pairs
            ]
            if len(cluster) == len(row) and all(values):
                found += [value for value in values if value]
                done |= {*row, *cluster}
    return found, done


def _row(words: Sequence[Token], names: Sequence[int], at: int) -> list[int]:
    row = [names[at]]
    for name in names[at + 1 : at + len(PARAMETERS)]:
        between = words[row[-1] + 1 : name]
        side_by_side = len(between) <= 4 and all(_ROW_WORDS.fullmatch(token.text) for token in between)
        if not side_by_side or words[name].key in {words[each].key for each in row}:
            break
        row.append(name)
    return row


def _clusters(words: Sequence[Token], start: int, end: int) -> Iterator[list[int]]:
    """Numbers side by side, or with commas and "and" between them."""
    cluster: list[int] = []
    for at in range(start, min(end, start + 80)):
        if words[at].value is not None:
            cluster.append(at)
        elif cluster and words[at].text not in (",", "and", "&", "/"):
            yield cluster
            cluster = []
    if cluster:
        yield cluster
