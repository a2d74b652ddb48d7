"""The result of a paper, as a worker returns it, and what the ledger already has on it: both in their stored form.

So that the driver, of which there is only one, just has to write rows.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import RowMapping

from methodlens.errors import LedgerDamaged
from methodlens.ledger.packing import build_decoders, checksum, compress, decompress, pack, unpack, verify
from methodlens.records import Answer, Cell, Hit, Paper, PaperEntry, PaperStatus, Passage, Status, Usage, Verdict

LASTING = frozenset({PaperStatus.OK, PaperStatus.NO_TEXT, PaperStatus.GARBLED, PaperStatus.ENCRYPTED, PaperStatus.MALFORMED})
"""Another attempt would give the same status; the others depend on limits and load, so those papers are read again."""
DECIDED = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})
"""These answers are final; cells that failed or could not be read are asked again."""


RowLike = Mapping[str, Any] | RowMapping


class CellRecord(Struct, frozen=True):
    """A cell as it is stored. `verdict` is None while its reader has not been asked; `body` is empty where the ledger has it."""

    key: str
    question: str
    reader: str
    verdict: Verdict | None = None
    body: str = ""
    passages: bytes = b""
    seconds: float = 0.0
    usage: Usage | None = None


class PaperResult(Struct, frozen=True, tag="result"):
    """One paper and its cells: answered now, known from before, or still to be asked by the driver."""

    entry: PaperEntry
    parser: str
    text: bytes | None = None
    """The paper, compressed; None if the ledger has it, or if nothing was read."""
    answered: tuple[CellRecord, ...] = ()
    known: tuple[CellRecord, ...] = ()
    due: tuple[CellRecord, ...] = ()


class KnownPaper(Struct, frozen=True):
    """What the ledger has on a paper: its text, and the status of every cell that was decided, by key."""

    sha256: str
    parser: str
    text: bytes
    cells: Mapping[str, Status]

    def paper(self) -> Paper:
        return decompress(self.text, Paper)


class _Span(Struct, frozen=True, array_like=True):
    """A hit without its text, which is part of the paper."""

    start: int
    end: int
    page: int
    section: str
    score: float
    shown: bool


build_decoders(Paper, PaperEntry, Cell, PaperResult, KnownPaper, tuple[_Span, ...])


def record_of(cell: Cell) -> CellRecord:
    seconds = round(cell.seconds, 4)
    return CellRecord(
        cell.key,
        cell.question,
        cell.reader,
        cell.verdict,
        pack(replace(cell, hits=(), shown=0, seconds=seconds)),
        pack_hits(cell.hits, cell.shown),
        seconds,
        cell.answer.usage,
    )


def pack_hits(hits: Sequence[Hit], shown: int) -> bytes:
    passages = ((hit.passage, hit.score) for hit in hits)
    return compress([_Span(p.start, p.end, p.page, p.section, score, i < shown) for i, (p, score) in enumerate(passages)])


def unpack_hits(passages: bytes, paper: Paper) -> tuple[tuple[Hit, ...], int]:
    """The hits, and how many of them the reader was given."""
    spans = decompress(passages, tuple[_Span, ...])
    hits = (Hit(Passage(s.start, s.end, s.page, s.section, paper.text[s.start : s.end]), s.score) for s in spans)
    return tuple(hits), sum(span.shown for span in spans)


def result_of(entry: PaperEntry, paper: Paper, cells: Iterable[Cell]) -> PaperResult:
    """For cells that no engine made, such as answers from files."""
    return PaperResult(entry, paper.parser, compress(paper), tuple(map(record_of, cells)))


# --- rows ---------------------------------------------------------------------------------------------------------


def text_row(sha256: str, parser: str, text: bytes) -> dict[str, Any]:
    return {"sha256": sha256, "parser": parser, "body": text, "checksum": checksum(sha256 + parser, text)}


def paper_from_row(row: RowLike, *, what: str) -> Paper:
    verify(row["sha256"] + row["parser"], row["body"], expected=row["checksum"], what=what)
    return decompress(row["body"], Paper)


def entry_row(run: str, entry: PaperEntry, parser: str) -> dict[str, Any]:
    body = pack(entry)
    mark = checksum(run + entry.name, body)
    return {"run": run, "paper": entry.name, "sha256": entry.sha256, "parser": parser, "body": body, "checksum": mark}


def entry_from_row(row: RowLike) -> PaperEntry:
    key, what = row["run"] + row["paper"], f"paper {row['paper']}"
    return unpack(row["body"], PaperEntry, key=key, expected=row["checksum"], what=what)


def answer_row(record: CellRecord, paper_sha256: str, at: str) -> dict[str, Any]:
    return {
        "cell_key": record.key,
        "paper_sha256": paper_sha256,
        "status": record.verdict.status.value if record.verdict else "",
        "body": record.body,
        "passages": record.passages,
        "checksum": checksum(record.key, record.body, record.passages),
        "asked_at": at,
    }


def cell_from_row(row: RowLike, paper: Paper) -> Cell:
    cell = stored_cell(row)
    hits, shown = unpack_hits(row["passages"], paper)
    return replace(cell, hits=hits, shown=shown)


def stored_cell(row: RowLike) -> Cell:
    """Without its passages."""
    key = row["cell_key"]
    verify(key, row["body"], row["passages"], expected=row["checksum"], what=f"cell {key[:12]}")
    return msgspec.json.decode(row["body"], type=Cell)


def is_intact(row: RowLike) -> bool:
    """Whether a cell's row is as it was written, its status column included."""
    try:
        return stored_cell(row).verdict.status.value == str(row["status"])
    except LedgerDamaged:
        return False


def is_decided(row: RowLike) -> bool:
    """Whether the cell need not be asked again. A cascade without the answer of its last step is asked again: only for that."""
    try:
        cell = stored_cell(row)
    except LedgerDamaged:
        return False
    trail = cell.answer.trail
    complete = not trail or trail[-1].status is not Status.FAILED
    return cell.verdict.status.value == str(row["status"]) and cell.verdict.status in DECIDED and complete


def link_row(run: str, paper: str, record: CellRecord) -> dict[str, Any]:
    return {"run": run, "paper": paper, "question": record.question, "reader": record.reader, "cell_key": record.key}


def cell_or_failure(row: RowMapping, sha256: str, paper: Paper | None) -> Cell:
    """A damaged cell is `failed`, with a reason."""
    try:
        return cell_from_row(row, paper) if paper else stored_cell(row)
    except (LedgerDamaged, msgspec.MsgspecError, zlib.error) as err:
        reason = str(err) if isinstance(err, LedgerDamaged) else f"it cannot be read ({err}): rerun to rebuild it"
        verdict = Verdict(Status.FAILED, reason)
        return Cell(row["cell_key"], sha256, row["question"], row["reader"], "", verdict, Answer(""))


def entry_or_failure(row: RowMapping) -> PaperEntry:
    """A damaged entry is `crashed`, with a reason, so that it does not stop a report."""
    try:
        return entry_from_row(row)
    except (LedgerDamaged, msgspec.MsgspecError) as err:
        return PaperEntry(row["paper"], row["sha256"], PaperStatus.CRASHED, str(err))
