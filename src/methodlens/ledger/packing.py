"""Records <-> rows as the ledger stores them: compressed JSON with a checksum, passages as spans of their paper."""

import hashlib
import zlib
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from methodlens.errors import LedgerDamaged
from methodlens.records import Answer, Cell, Hit, Paper, PaperEntry, Passage, Verdict

T = TypeVar("T")


def pack(value: object) -> bytes:
    return zlib.compress(msgspec.json.encode(value), 6)


def checksum(key: str, body: bytes) -> str:
    """Over the key as well, so that a body under the wrong key is noticed too."""
    return hashlib.sha256(key.encode() + b"\0" + body).hexdigest()


def unpack(body: bytes, type: type[T], *, key: str, expected: str, what: str) -> T:
    """The value, or LedgerDamaged when a single bit is not as it was written."""
    if checksum(key, body) != expected:
        raise LedgerDamaged(f"{what} in the ledger is damaged (its checksum does not fit)", "run again: it will be made anew")
    return msgspec.json.decode(zlib.decompress(body), type=type)


class Span(Struct, frozen=True, array_like=True):
    """A hit without its text, which stands in the paper."""

    start: int
    end: int
    page: int
    section: str
    score: float
    shown: bool


class StoredCell(Struct, frozen=True):
    paper_sha256: str
    question: str
    reader: str
    model: str
    verdict: Verdict
    answer: Answer
    hits: tuple[Span, ...]
    seconds: float


def spans(hits: Sequence[Hit], shown: int) -> tuple[Span, ...]:
    return tuple(
        Span(hit.passage.start, hit.passage.end, hit.passage.page, hit.passage.section, hit.score, rank < shown)
        for rank, hit in enumerate(hits)
    )


def hits_of(found: Sequence[Span], paper: Paper) -> tuple[Hit, ...]:
    return tuple(Hit(Passage(s.start, s.end, s.page, s.section, paper.text[s.start : s.end]), s.score) for s in found)


def stored(cell: Cell) -> StoredCell:
    return StoredCell(
        cell.paper_sha256,
        cell.question,
        cell.reader,
        cell.model,
        cell.verdict,
        cell.answer,
        spans(cell.hits, cell.shown),
        round(cell.seconds, 4),
    )


def restored(key: str, cell: StoredCell, paper: Paper) -> Cell:
    return Cell(
        key=key,
        paper_sha256=cell.paper_sha256,
        question=cell.question,
        reader=cell.reader,
        model=cell.model,
        verdict=cell.verdict,
        answer=cell.answer,
        hits=hits_of(cell.hits, paper),
        shown=sum(span.shown for span in cell.hits),
        seconds=cell.seconds,
    )


# --- rows ---------------------------------------------------------------------------------------------------------


def paper_row(paper: Paper) -> dict[str, Any]:
    body = pack(paper)
    mark = checksum(paper.sha256 + paper.parser, body)
    return {"sha256": paper.sha256, "parser": paper.parser, "body": body, "checksum": mark}


def entry_row(run: str, entry: PaperEntry, parser: str) -> dict[str, Any]:
    body = pack(entry)
    mark = checksum(run + entry.name, body)
    return {"run": run, "paper": entry.name, "sha256": entry.sha256, "parser": parser, "body": body, "checksum": mark}


def cell_row(cell: Cell, at: str) -> dict[str, Any]:
    body = pack(stored(cell))
    mark = checksum(cell.key, body)
    return {"cell_key": cell.key, "status": cell.verdict.status.value, "body": body, "checksum": mark, "asked_at": at}


def link_row(run: str, paper: str, cell: Cell) -> dict[str, Any]:
    return {"run": run, "paper": paper, "question": cell.question, "reader": cell.reader, "cell_key": cell.key}
