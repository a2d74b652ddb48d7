"""Annotations as rows of the ledger. Rows are only added: a later annotation replaces an earlier one, an undo withdraws it."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Executable, RowMapping, Select, func, select, tuple_

from methodlens.ledger.packing import checksum, pack, unpack
from methodlens.ledger.tables import ANNOTATIONS
from methodlens.records import Annotation

PUBLISHED = "published:"
"""Prefix of annotators that represent a published model's yes or no."""
HUMAN_ON = "human on "
"""Prefix of annotators that represent a person who judged a model's answers."""
RESERVED = (PUBLISHED, HUMAN_ON)
"""Annotators with these prefixes judged a model's answer, not a paper."""
ADJUDICATED = "adjudicated"
"""The annotator whose labels override all others, in sheets that have no other mark of an adjudication."""
KEY = ("paper_sha256", "question", "annotator", "at")


def current(history: Iterable[Annotation]) -> list[Annotation]:
    """The last annotation of each annotator on each cell, oldest first. `history` is oldest first too.

    An undo withdraws one annotation, so the one before it counts again.

    >>> from methodlens.records import Status
    >>> yes = Annotation("ab", "CQ1", "ann", Status.REPORTED, "1")
    >>> no = Annotation("ab", "CQ1", "ann", Status.NOT_REPORTED, "2")
    >>> undo = Annotation("ab", "CQ1", "ann", Status.NOT_REPORTED, "3", undo=True)
    >>> [annotation.status.value for annotation in current([yes, no, undo])]
    ['reported']
    """
    stacks: dict[tuple[str, str, str], list[Annotation]] = {}
    for annotation in history:
        stack = stacks.setdefault((annotation.paper_sha256, annotation.question, annotation.annotator), [])
        if not annotation.undo:
            stack.append(annotation)
        elif stack:
            stack.pop()
    return sorted((stack[-1] for stack in stacks.values() if stack), key=lambda annotation: annotation.at)


def to_row(annotation: Annotation) -> dict[str, Any]:
    key = {name: getattr(annotation, name) for name in KEY}
    body = pack(annotation)
    return {**key, "body": body, "checksum": checksum("".join(key.values()), body)}


def from_row(row: RowMapping) -> Annotation:
    what = f"the annotation of {row['question']} by {row['annotator']}"
    return unpack(row["body"], Annotation, key="".join(row[name] for name in KEY), expected=row["checksum"], what=what)


def history_query(paper_sha256: str | None = None) -> Select[Any]:
    """All annotations and undos of one paper or of all papers, oldest first."""
    query = select(ANNOTATIONS).order_by(ANNOTATIONS.c.at)
    return query if paper_sha256 is None else query.where(ANNOTATIONS.c.paper_sha256 == paper_sha256)


def count_query(*, excluding: Iterable[str] = ()) -> Executable:
    """`count` and `last`, the time of the newest; without annotators whose names have one of these prefixes."""
    columns = func.count().label("count"), func.max(ANNOTATIONS.c.at).label("last")
    return select(*columns).where(*_without(excluding))


def papers_query(*, excluding: Iterable[str] = ()) -> Select[Any]:
    """`paper_sha256` of each annotated paper, once."""
    return select(ANNOTATIONS.c.paper_sha256).distinct().where(*_without(excluding))


def since_query(at: str, *, excluding: Iterable[str] = ()) -> Select[Any]:
    return history_query().where(ANNOTATIONS.c.at > at, *_without(excluding))


def by_key_query(keys: Iterable[tuple[str, str, str, str]]) -> Select[Any]:
    return history_query().where(tuple_(*(ANNOTATIONS.c[name] for name in KEY)).in_(list(keys)))


def _without(prefixes: Iterable[str]) -> list[ColumnElement[bool]]:
    """Not LIKE, which ignores case on SQLite."""
    return [func.substr(ANNOTATIONS.c.annotator, 1, len(prefix)) != prefix for prefix in prefixes]
