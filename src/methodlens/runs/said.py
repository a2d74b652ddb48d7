"""What of everything people said stands: the last word of each on each cell, unless it was taken back."""

from collections.abc import Iterable

from methodlens.records import Annotation


def standing(history: Iterable[Annotation]) -> list[Annotation]:
    """`history` is oldest first; so is what comes back. An undo takes back one word and is no word itself.

    >>> from methodlens.records import Status
    >>> yes = Annotation("ab", "CQ1", "ann", Status.REPORTED, "1")
    >>> no = Annotation("ab", "CQ1", "ann", Status.NOT_REPORTED, "2")
    >>> back = Annotation("ab", "CQ1", "ann", Status.NOT_REPORTED, "3", undo=True)
    >>> [one.status.value for one in standing([yes, no, back])]
    ['reported']
    """
    words: dict[tuple[str, str, str], list[Annotation]] = {}
    for one in history:
        said = words.setdefault((one.paper_sha256, one.question, one.annotator), [])
        if not one.undo:
            said.append(one)
        elif said:
            said.pop()
    return sorted((said[-1] for said in words.values() if said), key=lambda one: one.at)
