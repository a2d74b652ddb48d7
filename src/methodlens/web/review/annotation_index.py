"""All current annotations in brief, kept in memory: each call reads only what is new since the last one.

Reviewers annotate hundreds of cells, not millions, so the index is small and checking for changes costs one short query.
"""

import threading
from collections.abc import Iterator
from typing import NamedTuple

from methodlens.ledger import annotations as annotation_rows
from methodlens.ledger.annotations import RESERVED
from methodlens.ledger.final_words import Settlement, settle
from methodlens.ledger.store import Ledger
from methodlens.records import Annotation, ContentRef, Facts, Status


class AnnotationSummary(NamedTuple):
    """Can be given to `final_words.settle`."""

    at: str
    annotator: str
    ref: ContentRef
    status: Status
    facts: Facts | None = None
    adjudicates: bool = False
    tags: tuple[str, ...] = ()


class AnnotationIndex:
    """Thread-safe. Leaves out annotators that represent published models."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._seen: tuple[int, str] = (0, "")
        self._stacks: dict[str, dict[ContentRef, list[AnnotationSummary]]] = {}
        """Empty where every annotation of a cell was withdrawn."""

    def statuses(self, annotator: str) -> dict[ContentRef, Status]:
        """The current annotations of one reviewer."""
        return {ref: annotation.status for ref, annotation in self.of(annotator).items()}

    def of(self, annotator: str) -> dict[ContentRef, AnnotationSummary]:
        with self._lock:
            self._update()
            return {ref: stack[-1] for ref, stack in self._stacks.get(annotator, {}).items() if stack}

    def by_cell(self) -> dict[ContentRef, list[AnnotationSummary]]:
        """The current annotations of all reviewers on each cell, oldest first."""
        by_cell: dict[ContentRef, list[AnnotationSummary]] = {}
        for annotation in self.all():
            by_cell.setdefault(annotation.ref, []).append(annotation)
        return by_cell

    def has_annotated(self, annotator: str, ref: ContentRef) -> bool:
        """Whether the reviewer has ever annotated the cell, even if it was withdrawn."""
        with self._lock:
            self._update()
            return ref in self._stacks.get(annotator, {})

    def all(self) -> list[AnnotationSummary]:
        """The current annotations of all reviewers, oldest first."""
        with self._lock:
            self._update()
            current = (stack[-1] for by_ref in self._stacks.values() for stack in by_ref.values() if stack)
            return sorted(current, key=lambda summary: summary[:3])

    def settlements(self) -> dict[ContentRef, Settlement]:
        """What people decided on each cell that they annotated."""
        return {ref: settlement for ref, given in self.by_cell().items() if (settlement := settle(given))}

    def load(self, summaries: list[AnnotationSummary]) -> Iterator[Annotation]:
        """The full annotations, in the same order."""
        rows = self._ledger.fetch(annotation_rows.by_key_query((*key.ref, key.annotator, key.at) for key in summaries))
        by_key = {(row["at"], row["annotator"], (row["paper_sha256"], row["question"])): row for row in rows}
        return (annotation_rows.from_row(by_key[key[:3]]) for key in summaries if key[:3] in by_key)

    def _update(self) -> None:
        (row,) = self._ledger.fetch(annotation_rows.count_query(excluding=RESERVED))
        count, last = int(row["count"]), str(row["last"] or "")
        known, before = self._seen
        if (count, last) == self._seen:
            return
        rows = self._ledger.fetch(annotation_rows.since_query(before, excluding=RESERVED))
        if len(rows) < max(1, count - known):  # some are older than the last, from another clock or a copied ledger: start again
            self._stacks, known = {}, 0
            rows = self._ledger.fetch(annotation_rows.since_query("", excluding=RESERVED))
        for annotation in map(annotation_rows.from_row, rows):
            ref = ContentRef(annotation.paper_sha256, annotation.question)
            stack = self._stacks.setdefault(annotation.annotator, {}).setdefault(ref, [])
            if not annotation.undo:
                stack.append(_summary(annotation, ref))
            elif stack:
                stack.pop()
        self._seen = (known + len(rows), rows[-1]["at"] if rows else "")


def _summary(annotation: Annotation, ref: ContentRef) -> AnnotationSummary:
    return AnnotationSummary(
        annotation.at,
        annotation.annotator,
        ref,
        annotation.status,
        annotation.facts,
        annotation.adjudicates,
        annotation.tags,
    )
