"""How much of a ranking a reader is given, and how much is kept."""

from collections.abc import Sequence

from methodlens.records import Hit


def mark_shown(hits: Sequence[Hit], *, shown_chars: int, kept_chars: int) -> tuple[Hit, ...]:
    """The first hits, at least `kept_chars` of them where there are so many; `shown` is set within `shown_chars`.

    The best hit is always shown, however long.
    """
    kept: list[Hit] = []
    used = 0
    for hit in hits:
        size = len(hit.passage.text)
        kept.append(Hit(hit.passage, hit.score, shown=not kept or used + size <= shown_chars))
        used += size
        if used >= max(kept_chars, shown_chars):
            break
    return tuple(kept)
