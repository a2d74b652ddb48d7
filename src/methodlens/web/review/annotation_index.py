"""What people said of cells, in brief: who, of what, which verdict. Read once; after that, only what is new.

People decide hundreds of cells of however many, so this is small, and asking for it costs one short query.
"""

import threading
from collections.abc import Iterator
from typing import NamedTuple

from methodlens.evaluation.raters import Cell as Place
from methodlens.ledger import annotations as said
from methodlens.ledger.annotations import RESERVED
from methodlens.ledger.ledger import Ledger
from methodlens.ledger.listing import PAGE
from methodlens.records import Annotation, Status


class Word(NamedTuple):
    """A standing word; papers by the checksum of their files."""

    at: str
    annotator: str
    place: Place
    status: Status


class Words:
    """Safe to use from several threads. What a study counted is no person's word."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._extent: tuple[int, str] = (0, "")
        self._said: dict[str, dict[Place, list[Word]]] = {}

    def of(self, annotator: str) -> dict[Place, Status]:
        """What stands of one person."""
        with self._lock:
            self._hear()
            return {place: stack[-1].status for place, stack in self._said.get(annotator, {}).items() if stack}

    def all(self) -> list[Word]:
        """What stands of everybody, oldest first."""
        with self._lock:
            self._hear()
            return sorted(stack[-1] for places in self._said.values() for stack in places.values() if stack)

    def whole(self, words: list[Word]) -> Iterator[Annotation]:
        """With answers, notes and sentences, in the same order; a page of them at a time."""
        for start in range(0, len(words), PAGE):
            some = words[start : start + PAGE]
            rows = self._ledger.fetch(said.exactly((*word.place, word.annotator, word.at) for word in some))
            found = {(row["at"], row["annotator"], (row["paper_sha256"], row["question"])): row for row in rows}
            yield from (said.word_of(found[word[:3]]) for word in some if word[:3] in found)

    def _hear(self) -> None:
        (row,) = self._ledger.fetch(said.extent(RESERVED))
        count, last = int(row["words"]), str(row["last"] or "")
        known, before = self._extent
        if (count, last) == self._extent:
            return
        rows = self._ledger.fetch(said.since(before, RESERVED))
        if len(rows) < max(1, count - known):  # one came under an earlier time: from another clock, or a copied ledger
            self._said, known = {}, 0
            rows = self._ledger.fetch(said.since("", RESERVED))
        for word in map(said.word_of, rows):
            place = (word.paper_sha256, word.question)
            stack = self._said.setdefault(word.annotator, {}).setdefault(place, [])
            if not word.undo:
                stack.append(Word(word.at, word.annotator, place, word.status))
            elif stack:
                stack.pop()
        self._extent = (known + len(rows), rows[-1]["at"] if rows else "")
