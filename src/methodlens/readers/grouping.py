"""Which questions about a paper share a call, what they are shown together, and what each has used of it."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import structs

from methodlens.records import Hit, Usage

Spans = frozenset[tuple[int, int]]


def cluster(contexts: Sequence[Sequence[Hit]], *, max_chars: int, max_questions: int) -> list[list[int]]:
    """Groups of questions, by index, whose passages together have at most `max_chars` characters.

    Greedy: a group starts with the first question left, and takes the one that adds the least text until nothing fits. A question
    whose own passages are longer is a group by itself. The same contexts always give the same groups.
    """
    spans = [spans_of(context) for context in contexts]
    left = list(range(len(contexts)))
    groups: list[list[int]] = []
    while left:
        group = [left.pop(0)]
        shown = set(spans[group[0]])
        size = _chars(shown)
        while left and len(group) < max_questions:
            added = {index: _chars(spans[index] - shown) for index in left}
            best = min(left, key=lambda index: added[index])
            if size + added[best] > max_chars:
                break
            left.remove(best)
            group.append(best)
            shown |= spans[best]
            size += added[best]
        groups.append(sorted(group))
    return groups


def spans_of(context: Sequence[Hit]) -> Spans:
    return frozenset((hit.passage.start, hit.passage.end) for hit in context)


def shared_passages(contexts: Sequence[Sequence[Hit]]) -> list[str]:
    """The passages of all contexts, each once, in the order of the paper."""
    texts = {(hit.passage.start, hit.passage.end): hit.passage.text for context in contexts for hit in context}
    return [texts[span] for span in sorted(texts)]


def even_parts(count: int, parts: int) -> list[range]:
    """`range(count)` in at most so many consecutive parts of nearly the same size.

    >>> even_parts(7, 3)
    [range(0, 2), range(2, 4), range(4, 7)]
    """
    parts = max(1, min(parts, count))
    return [range(start, end) for start, end in pairwise(count * part // parts for part in range(parts + 1))]


def shares(usage: Usage, count: int) -> list[Usage]:
    """What each of `count` cells used of one call. Their sum is the call's usage.

    >>> [share.tokens_in for share in shares(Usage(tokens_in=100, requests=1), 3)]
    [34, 33, 33]
    """
    counts = {name: value for name, value in structs.asdict(usage).items() if type(value) is int}  # a bool is not a count
    cost = None if usage.cost is None else usage.cost / count
    return [
        structs.replace(usage, cost=cost, **{name: _share(total, count, index) for name, total in counts.items()})
        for index in range(count)
    ]


def _share(total: int, count: int, index: int) -> int:
    """The first cells take the remainder."""
    return total // count + (index < total % count)


def _chars(spans: frozenset[tuple[int, int]] | set[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)
