"""What people said of cells, as rows; and what of it stands: the last word of each on each cell, unless it was taken back."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Executable, RowMapping, Select, func, select, tuple_

from methodlens.ledger.packing import checksum, pack, unpack
from methodlens.ledger.tables import ANNOTATIONS
from methodlens.records import Annotation

PUBLISHED = "published:"
"""Prefix of the annotator that stands for a published model's yes or no."""
HUMAN_ON = "human on "
"""Prefix of the annotator that stands for a person who judged a model's answers."""
RESERVED = (PUBLISHED, HUMAN_ON)
"""Annotators with these prefixes judged a model's answer, not a paper."""
KEY = ("paper_sha256", "question", "annotator", "at")
"""Each word is a row of its own: nothing is overwritten."""


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


def row_of(word: Annotation) -> dict[str, Any]:
    where = {name: getattr(word, name) for name in KEY}
    body = pack(word)
    return {**where, "body": body, "checksum": checksum("".join(where.values()), body)}


def word_of(row: RowMapping) -> Annotation:
    what = f"the annotation of {row['question']} by {row['annotator']}"
    return unpack(row["body"], Annotation, key="".join(row[name] for name in KEY), expected=row["checksum"], what=what)


def history(paper_sha256: str | None = None) -> Select[Any]:
    """Every word that was ever kept, oldest first, of one paper or of all."""
    query = select(ANNOTATIONS).order_by(ANNOTATIONS.c.at)
    return query if paper_sha256 is None else query.where(ANNOTATIONS.c.paper_sha256 == paper_sha256)


def extent(without: Iterable[str] = ()) -> Executable:
    """How many words there are, and when the last was said; not counting who is called as `without` begins."""
    return select(func.count().label("words"), func.max(ANNOTATIONS.c.at).label("last")).where(*_others(without))


def since(at: str, without: Iterable[str] = ()) -> Select[Any]:
    """Every word that was kept after that time, oldest first."""
    return history().where(ANNOTATIONS.c.at > at, *_others(without))


def exactly(keys: Iterable[tuple[str, str, str, str]]) -> Select[Any]:
    """The words of these keys, oldest first."""
    return history().where(tuple_(*(ANNOTATIONS.c[name] for name in KEY)).in_(list(keys)))


def _others(without: Iterable[str]) -> list[ColumnElement[bool]]:
    """Not by LIKE, which on SQLite takes no notice of capitals."""
    return [func.substr(ANNOTATIONS.c.annotator, 1, len(start)) != start for start in without]
