"""A whole parcel into the ledger in one transaction, and what the ledger can tell a worker beforehand."""

from collections.abc import Sequence

from sqlalchemy import Connection, literal, select

from methodlens.engine.messages import KnownCell, PackedCell, Parcel, Told
from methodlens.errors import LedgerDamaged
from methodlens.ledger.backends import INSERT
from methodlens.ledger.calls import Call, as_row
from methodlens.ledger.packing import checksum, entry_row, unpack
from methodlens.ledger.tables import CALLS, CELLS, PAPERS, RUN_CELLS, RUN_PAPERS, RUNS, replace_rows
from methodlens.records import Paper, PaperEntry, PaperStatus, Status

LASTING = frozenset({PaperStatus.OK, PaperStatus.NO_TEXT, PaperStatus.GARBLED, PaperStatus.ENCRYPTED, PaperStatus.MALFORMED})
"""Statuses that another try would give again; the others depend on limits and luck, so they are tried anew."""
DECIDED = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})
"""Answers stand; what failed or could not be read is asked again."""


def write(connection: Connection, run: str, parcel: Parcel, calls: Sequence[Call], *, at: str) -> None:
    """All of it or nothing: a paper that a kill cuts short is done again, and costs no call."""
    entry = parcel.entry
    listed = {"run": run, "paper": entry.name}
    if parcel.body is not None and entry.status in LASTING:
        key = {"sha256": entry.sha256, "parser": parcel.parser}
        mark = checksum(entry.sha256 + parcel.parser, parcel.body)
        replace_rows(connection, PAPERS, [{**key, "body": parcel.body, "checksum": mark}], by=tuple(key))
    replace_rows(connection, RUN_PAPERS, [entry_row(run, entry, parcel.parser)], by=tuple(listed))
    cells = [
        {
            "cell_key": cell.key,
            "status": cell.verdict.status.value,
            "body": cell.body,
            "checksum": checksum(cell.key, cell.body),
            "asked_at": at,
        }
        for cell in parcel.cells
    ]
    answers: list[PackedCell | KnownCell] = [*parcel.cells, *parcel.known]
    links = [{**listed, "question": cell.question, "reader": cell.reader, "cell_key": cell.key} for cell in answers]
    replace_rows(connection, CALLS, [as_row(call) for call in calls], by=("call_id",))
    replace_rows(connection, CELLS, cells, by=("cell_key",))
    replace_rows(connection, RUN_CELLS, links, by=("run", "paper", "question", "reader"))


def same_cells(connection: Connection, old: str, new: str) -> None:
    """What answers one run answers another too; the database copies them by itself."""
    others = (RUN_CELLS.c.paper, RUN_CELLS.c.question, RUN_CELLS.c.reader, RUN_CELLS.c.cell_key)
    theirs = select(literal(new), *others).where(RUN_CELLS.c.run == old)
    ours = INSERT[connection.dialect.name](RUN_CELLS).from_select(["run", *(column.name for column in others)], theirs)
    changed = {"cell_key": ours.excluded.cell_key}
    connection.execute(ours.on_conflict_do_update(index_elements=["run", "paper", "question", "reader"], set_=changed))


def told(connection: Connection, name: str, parser: str, *, sha256: str = "") -> Told | None:
    """Of the paper with that content in any run, the newest first; damaged rows count as not there.

    By name where the content is not known, since the driver need not read what is far away: whoever reads it says whether it is
    still the same file. One that was renamed there is read again, which costs time and no call.
    """
    runs = select(RUNS.c.run)  # few: so that (run, paper) is looked up by its key, once for each
    seen = (
        select(RUN_PAPERS.c.body, RUN_PAPERS.c.checksum, RUN_PAPERS.c.run, RUN_PAPERS.c.paper)
        .join_from(RUN_PAPERS, RUNS, RUN_PAPERS.c.run == RUNS.c.run)
        .where(RUN_PAPERS.c.run.in_(runs), RUN_PAPERS.c.parser == parser)
        .where(RUN_PAPERS.c.sha256 == sha256 if sha256 else RUN_PAPERS.c.paper == name)
        .order_by(RUNS.c.started_at.desc())
    )
    row = connection.execute(seen).mappings().first()
    if row is None or not (sha256 := _sha256(row["body"], row["checksum"], row["run"] + row["paper"])):
        return None
    text = connection.execute(select(PAPERS).where(PAPERS.c.sha256 == sha256, PAPERS.c.parser == parser)).mappings().first()
    if text is None or checksum(sha256 + parser, text["body"]) != text["checksum"]:
        return None
    stands = (
        select(CELLS)
        .join_from(RUN_CELLS, CELLS, RUN_CELLS.c.cell_key == CELLS.c.cell_key)
        .where(
            RUN_CELLS.c.run.in_(runs), RUN_CELLS.c.paper == row["paper"], CELLS.c.status.in_([status.value for status in DECIDED])
        )
    )
    rows = connection.execute(stands).mappings()
    whole = [row for row in rows if checksum(row["cell_key"], row["body"]) == row["checksum"]]
    return Told(sha256, parser, text["body"], text["checksum"], {row["cell_key"]: Status(row["status"]) for row in whole})


def _sha256(body: bytes, mark: str, key: str) -> str:
    try:
        return unpack(body, PaperEntry, key=key, expected=mark, what="a paper").sha256
    except LedgerDamaged:
        return ""


def text_of(parcel: Parcel, told: Told | None) -> Paper:
    """The paper's text, for a reader on this machine: from the parcel, or as it was told."""
    entry, key = parcel.entry, parcel.entry.sha256 + parcel.parser
    body = parcel.body if parcel.body is not None else told.body if told else b""
    return unpack(body, Paper, key=key, expected=checksum(key, body), what=f"paper {entry.name}")
