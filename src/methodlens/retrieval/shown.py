"""How much of a ranking a reader is given, and how much is kept with its cell."""

from collections.abc import Sequence

from methodlens.records import Hit


def limit(ranking: Sequence[Hit], *, shown_chars: int, kept_chars: int) -> tuple[tuple[Hit, ...], int]:
    """The hits to keep (at least `kept_chars`, where there are as many) and how many of the first a reader is given.

    The best hit is always given, however long.
    """
    kept: list[Hit] = []
    used = shown = 0
    for hit in ranking:
        used += len(hit.passage.text)
        kept.append(hit)
        if len(kept) == 1 or used <= shown_chars:
            shown = len(kept)
        if used >= max(kept_chars, shown_chars):
            break
    return tuple(kept), shown
