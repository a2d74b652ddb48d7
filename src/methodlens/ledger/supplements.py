"""The supplements of a run's papers: texts and cells are stored by content like those of papers, but belong to no paper's row."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import delete, select

from methodlens.errors import LedgerDamaged
from methodlens.ledger.packing import build_decoders, checksum, pack, unpack
from methodlens.ledger.paper_results import LASTING, PaperResult, RowLike, answer_row, stored_cell, text_row
from methodlens.ledger.recalibrations import Recalibrations
from methodlens.ledger.store import Ledger, Run, now
from methodlens.ledger.tables import ANSWERS, RUN_SUPPLEMENTS, TEXTS, upsert
from methodlens.records import Cell, PaperStatus, SupplementCell

KEY = ("run", "paper", "file")


class SupplementKey(NamedTuple):
    """The name of a paper, and of a supplement of it."""

    paper: str
    file: str


class StoredSupplement(Struct, frozen=True):
    """A supplement as it was read. `cells` has the key of its cell for each question."""

    sha256: str
    status: PaperStatus
    reason: str = ""
    pages: int = 0
    cells: Mapping[str, str] = {}


build_decoders(StoredSupplement)


def keep(ledger: Ledger, run: str, key: SupplementKey, result: PaperResult) -> None:
    """Store what was read, all or nothing, and link it to the paper."""
    entry, at = result.entry, now()
    cells = {record.question: record.key for record in (*result.answered, *result.known)}
    is_read = entry.status is PaperStatus.OK
    stored = StoredSupplement(entry.sha256, entry.status, entry.reason, entry.pages, cells if is_read else {})
    with ledger.engine.begin() as connection:
        if result.text is not None and entry.status in LASTING:
            upsert(connection, TEXTS, [text_row(entry.sha256, result.parser, result.text)], by=("sha256", "parser"))
        if is_read:
            rows = [answer_row(record, entry.sha256, at) for record in result.answered]
            upsert(connection, ANSWERS, rows, by=("cell_key",))
        upsert(connection, RUN_SUPPLEMENTS, [_row(run, key, stored)], by=KEY)


def keep_only(ledger: Ledger, run: str, keys: Iterable[SupplementKey]) -> None:
    """Unlink all others. What was read of them stays stored, for when they are named again."""
    link, wanted = RUN_SUPPLEMENTS.c, set(keys)
    linked = ledger.fetch(select(link.paper, link.file).where(link.run == run))
    others = [each for row in linked if (each := SupplementKey(row["paper"], row["file"])) not in wanted]
    with ledger.engine.begin() as connection:
        for paper, file in others:
            connection.execute(delete(RUN_SUPPLEMENTS).where(link.run == run, link.paper == paper, link.file == file))


def carry_over(ledger: Ledger, old: Run, new: Run) -> None:
    """Link the supplements of a run to the same papers of another run."""
    rows = ledger.fetch(select(RUN_SUPPLEMENTS).where(RUN_SUPPLEMENTS.c.run == old.id))
    intact = [(row, stored) for row in rows if (stored := _or_failure(row)).status is not PaperStatus.CRASHED]
    copies = [_row(new.id, SupplementKey(row["paper"], row["file"]), stored) for row, stored in intact]
    with ledger.engine.begin() as connection:
        upsert(connection, RUN_SUPPLEMENTS, copies, by=KEY)


def papers_with_supplements(ledger: Ledger, run: Run) -> frozenset[str]:
    """The names of the papers that have a supplement."""
    rows = ledger.fetch(select(RUN_SUPPLEMENTS.c.paper).where(RUN_SUPPLEMENTS.c.run == run.id))
    return frozenset(row["paper"] for row in rows)


def of_run(ledger: Ledger, run: Run) -> Iterator[tuple[SupplementKey, StoredSupplement]]:
    """By the names of the papers and files. A damaged one has the status `crashed`, with a reason."""
    query = select(RUN_SUPPLEMENTS).where(RUN_SUPPLEMENTS.c.run == run.id)
    for row in ledger.fetch(query.order_by(RUN_SUPPLEMENTS.c.paper, RUN_SUPPLEMENTS.c.file)):
        yield SupplementKey(row["paper"], row["file"]), _or_failure(row)


class PaperSupplements(NamedTuple):
    """The supplements of a paper, and their cells by key."""

    files: tuple[tuple[str, StoredSupplement], ...]
    cells: Mapping[str, Cell]

    def on(self, question: str) -> tuple[SupplementCell, ...]:
        """What they say on a question. A cell that is missing, as for a question that was added later, is None."""
        return tuple(
            SupplementCell(
                name, stored.sha256, stored.status, stored.reason, stored.pages, self.cells.get(stored.cells.get(question, ""))
            )
            for name, stored in self.files
        )


def of_paper(ledger: Ledger, run: Run, paper: str, refits: Recalibrations) -> PaperSupplements:
    """A damaged cell counts as missing."""
    query = select(RUN_SUPPLEMENTS).where(RUN_SUPPLEMENTS.c.run == run.id, RUN_SUPPLEMENTS.c.paper == paper)
    rows = ledger.fetch(query.order_by(RUN_SUPPLEMENTS.c.file))
    files = tuple((str(row["file"]), _or_failure(row)) for row in rows)
    keys = {key for _, stored in files for key in stored.cells.values()}
    found = ledger.fetch(select(ANSWERS).where(ANSWERS.c.cell_key.in_(keys))) if keys else []
    cells = (cell for row in found if (cell := _cell(row)))
    return PaperSupplements(files, {cell.key: refits.cell(cell) for cell in cells})


def from_row(row: RowLike) -> StoredSupplement:
    key = "".join(str(row[name]) for name in KEY)
    return unpack(row["body"], StoredSupplement, key=key, expected=row["checksum"], what="a supplement")


def _row(run: str, key: SupplementKey, stored: StoredSupplement) -> dict[str, Any]:
    body = pack(stored)
    return {
        "run": run,
        "paper": key.paper,
        "file": key.file,
        "body": body,
        "checksum": checksum(run + key.paper + key.file, body),
    }


def _or_failure(row: RowLike) -> StoredSupplement:
    try:
        return from_row(row)
    except (LedgerDamaged, msgspec.MsgspecError) as err:
        return StoredSupplement("", PaperStatus.CRASHED, f"{err}: rerun to read it again")


def _cell(row: RowLike) -> Cell | None:
    try:
        return stored_cell(row)
    except (LedgerDamaged, msgspec.MsgspecError):
        return None
