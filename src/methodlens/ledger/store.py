"""The ledger: every paper and every cell, stored once by content key, in a SQLite file or a PostgreSQL database.

Each method is one transaction: once it has returned, its data survives a kill of the process.
"""

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import RowMapping, literal, literal_column, select, update

from methodlens.errors import LedgerDamaged
from methodlens.ledger import annotations as annotation_rows
from methodlens.ledger import listing
from methodlens.ledger.backends import CLOCK, INSERT
from methodlens.ledger.calls import Call, Outcome, as_row, from_row
from methodlens.ledger.claims import Claims, content_key
from methodlens.ledger.database import Database
from methodlens.ledger.packing import build_decoders, checksum, compress, pack, unpack
from methodlens.ledger.paper_results import (
    DECIDED,
    LASTING,
    KnownPaper,
    PaperResult,
    answer_row,
    cell_from_row,
    cell_or_failure,
    entry_from_row,
    entry_or_failure,
    entry_row,
    is_decided,
    link_row,
    paper_from_row,
    record_of,
    text_row,
)
from methodlens.ledger.tables import ANNOTATIONS, ANSWERS, CALLS, CLAIMS, RUN_CELLS, RUN_PAPERS, RUNS, TEXTS, upsert
from methodlens.papers import PaperFile
from methodlens.records import Annotation, Cell, Paper, PaperEntry, Question, Status

_LINK = ("run", "paper", "question", "reader")


class Run(Struct, frozen=True):
    """What a run asks: the denominator of every figure."""

    id: str
    sources: tuple[str, ...]
    questions: tuple[Question, ...]
    readers: tuple[str, ...]
    papers: int = 0
    """How many; `Ledger.names` lists them."""
    question_set: str = ""
    version: str = ""
    vote: str = "majority"
    """The voting rule. The vote is computed from the cells whenever it is shown."""
    repeat: int = 1
    """How many times each reader was asked; see `ledger.repeats`."""


build_decoders(Run, Call, Annotation)


class Ledger(Database):
    """Open with `Ledger.at(folder)` or `Ledger.on(url)`; use as a context manager. Safe to use from several threads.

    One run at a time writes a SQLite file. A PostgreSQL database is `shared`: each driver writes the papers it has claimed.
    """

    # --- papers and cells -------------------------------------------------------------------------------------------

    def paper(self, sha256: str, parser: str) -> Paper | None:
        """As this parser has read it. A damaged row counts as missing."""
        row = self._first(select(TEXTS).where(TEXTS.c.sha256 == sha256, TEXTS.c.parser == parser))
        try:
            return paper_from_row(row, what=f"paper {sha256[:12]}") if row else None
        except LedgerDamaged:
            return None

    def keep_paper(self, paper: Paper) -> None:
        if paper.status in LASTING:
            with self._engine.begin() as connection:
                row = text_row(paper.sha256, paper.parser, compress(paper))
                upsert(connection, TEXTS, [row], by=("sha256", "parser"))

    def known(self, sha256: str, parser: str) -> KnownPaper | None:
        """What the ledger has on a paper: its text, by this parser if possible, and the cells that were decided.

        Damaged rows count as missing.
        """
        texts = self.fetch(select(TEXTS).where(TEXTS.c.sha256 == sha256))
        intact = [row for row in texts if checksum(sha256 + row["parser"], row["body"]) == row["checksum"]]
        if not intact:
            return None
        text = next((row for row in intact if row["parser"] == parser), intact[-1])
        decided = ANSWERS.c.status.in_([status.value for status in DECIDED])
        rows = self.fetch(select(ANSWERS).where(ANSWERS.c.paper_sha256 == sha256, decided))
        cells = {row["cell_key"]: Status(row["status"]) for row in rows if is_decided(row)}
        return KnownPaper(sha256, text["parser"], text["body"], cells)

    def known_by_name(self, name: str, parser: str, *, run: str) -> KnownPaper | None:
        """The same for the paper that this run, or else the newest one, knows by that name.

        The driver does not read remote files: the worker that reads the file checks that its content is still the same.
        """
        query = (
            select(RUN_PAPERS)
            .join_from(RUN_PAPERS, RUNS, RUN_PAPERS.c.run == RUNS.c.run)
            .where(RUN_PAPERS.c.run.in_(select(RUNS.c.run)), RUN_PAPERS.c.paper == name)  # runs are few, so the key is used
            .order_by((RUN_PAPERS.c.run == run).desc(), RUNS.c.started_at.desc())
        )
        row = self._first(query)
        try:
            return self.known(entry_from_row(row).sha256, parser) if row else None
        except LedgerDamaged:
            return None

    def cell(self, key: str, paper: Paper) -> Cell | None:
        """The cell, if it was decided and is undamaged; None means that its reader must be asked."""
        row = self._first(select(ANSWERS).where(ANSWERS.c.cell_key == key))
        if row is None or not is_decided(row):
            return None
        return cell_from_row(row, paper)

    def keep_result(self, run: str, result: PaperResult, calls: Sequence[Call] = ()) -> None:
        """A paper with its cells, all or nothing: a paper that a kill interrupts is done again, without any call."""
        entry, at = result.entry, now()
        with self._engine.begin() as connection:
            if result.text is not None and entry.status in LASTING:
                upsert(connection, TEXTS, [text_row(entry.sha256, result.parser, result.text)], by=("sha256", "parser"))
            upsert(connection, RUN_PAPERS, [entry_row(run, entry, result.parser)], by=("run", "paper"))
            upsert(connection, CALLS, [as_row(call) for call in calls], by=("call_id",))
            upsert(connection, ANSWERS, [answer_row(record, entry.sha256, at) for record in result.answered], by=("cell_key",))
            links = [link_row(run, entry.name, record) for record in (*result.answered, *result.known)]
            upsert(connection, RUN_CELLS, links, by=_LINK)

    def keep_cell(self, run: str, paper: str, cell: Cell, call: Call | None = None) -> None:
        self.keep_cells(run, paper, [cell], [call] if call else [])

    def keep_cells(self, run: str, paper: str, cells: Sequence[Cell], calls: Sequence[Call] = ()) -> None:
        """Cells that answer this run's questions, and the ends of the calls that produced them."""
        records, at = list(map(record_of, cells)), now()
        with self._engine.begin() as connection:
            upsert(connection, CALLS, [as_row(call) for call in calls], by=("call_id",))
            rows = [answer_row(record, cell.paper_sha256, at) for record, cell in zip(records, cells, strict=True)]
            upsert(connection, ANSWERS, rows, by=("cell_key",))
            upsert(connection, RUN_CELLS, [link_row(run, paper, record) for record in records], by=_LINK)

    def link_cell(self, run: str, paper: str, cell: Cell) -> None:
        """A stored cell that answers this run's question too."""
        with self._engine.begin() as connection:
            upsert(connection, RUN_CELLS, [link_row(run, paper, record_of(cell))], by=_LINK)

    # --- calls ------------------------------------------------------------------------------------------------------

    def keep_call(self, call: Call) -> None:
        self.keep_calls([call])

    def keep_calls(self, calls: Sequence[Call]) -> None:
        """For calls that are about to be made, or that ended without a cell."""
        with self._engine.begin() as connection:
            upsert(connection, CALLS, [as_row(call) for call in calls], by=("call_id",))

    def calls(self, run: str | None = None) -> Iterator[Call]:
        """Of one run or of all, oldest first. Streamed, because there are as many as cells."""
        query = select(CALLS).order_by(CALLS.c.started_at)
        with self._engine.connect().execution_options(yield_per=1000) as connection:
            for row in connection.execute(query.where(CALLS.c.run == run) if run else query).mappings():
                yield from_row(dict(row))

    def mark_interrupted_calls(self) -> int:
        """Mark calls without an end, which a kill interrupted, as lost; returns how many. Calls of live drivers are skipped."""
        live = select(CLAIMS.c.owner).where(
            CLAIMS.c.run == CALLS.c.run, CLAIMS.c.paper == CALLS.c.paper, CLAIMS.c.until >= CLOCK[self._engine.dialect.name]
        )
        query = select(CALLS).where(CALLS.c.outcome == literal_column(f"'{Outcome.OPEN.value}'"), ~live.exists())
        with self._engine.begin() as connection:
            rows = connection.execute(query).mappings().all()
            lost = [as_row(replace(from_row(dict(row)), outcome=Outcome.LOST)) for row in rows]
            upsert(connection, CALLS, lost, by=("call_id",))
        return len(lost)

    def claims(self, run: str) -> Claims[PaperFile] | None:
        """For a shared ledger, the papers that this driver claims; None where the lock keeps other drivers out."""
        return Claims(self._engine, run, key_of=content_key, lease_s=self.lease_s) if self.shared else None

    # --- annotations ------------------------------------------------------------------------------------------------

    def keep_annotations(self, annotations: Iterable[Annotation]) -> int:
        """Add annotations; none is overwritten. Returns how many there were."""
        rows = [annotation_rows.to_row(annotation) for annotation in annotations]
        with self._engine.begin() as connection:
            upsert(connection, ANNOTATIONS, rows, by=annotation_rows.KEY)
        return len(rows)

    def annotations(self, paper_sha256: str | None = None) -> Sequence[Annotation]:
        """The current annotation of each annotator on each cell, of one paper or of all."""
        return annotation_rows.current(self.annotation_history(paper_sha256))

    def annotation_history(self, paper_sha256: str | None = None) -> Sequence[Annotation]:
        """Including superseded and undone ones, and the undos."""
        return [annotation_rows.from_row(row) for row in self.fetch(annotation_rows.history_query(paper_sha256))]

    # --- runs -------------------------------------------------------------------------------------------------------

    def begin(self, run: Run, names: Sequence[str]) -> None:
        """Record the run and the names of its papers. Papers that it no longer lists are dropped from it."""
        body = pack(run)
        with self._engine.begin() as connection:
            row = {"run": run.id, "body": body, "checksum": checksum(run.id, body), "started_at": now(), "ended_at": None}
            upsert(connection, RUNS, [row], by=("run",))  # first, so that a second driver waits here
            listing.write(connection, run.id, names)

    def end(self, run: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(RUNS).where(RUNS.c.run == run).values(ended_at=now()))

    def runs(self) -> Sequence[Run]:
        """Newest first."""
        rows = self.fetch(select(RUNS).order_by(RUNS.c.started_at.desc()))
        return [unpack(row["body"], Run, key=row["run"], expected=row["checksum"], what=f"run {row['run'][:8]}") for row in rows]

    def names(self, run: Run, *, page: int | None = None) -> Iterator[str]:
        """The names of a run's papers, in order: all, or one page of them (`listing.PAGE` per page)."""
        count = 0
        for number in itertools.count() if page is None else (page,):
            with self._engine.connect() as connection:
                names = listing.page(connection, run.id, number)
            yield from names
            count += len(names)
            if not names:
                break
        if page is None and count != run.papers:  # no checksum covers a missing row
            raise LedgerDamaged(f"run {run.id[:8]} lists {count} papers, expected {run.papers}", "rerun to list them again")

    def entries(self, run: Run, *, page: int | None = None) -> Iterator[tuple[PaperEntry, str]]:
        """The papers that a run has reached, each with its parser, in the order and pages of `names`."""
        all_names = self.names(run, page=page)
        while names := list(itertools.islice(all_names, listing.PAGE)):
            query = select(RUN_PAPERS).where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.paper.in_(names))
            by_name = {row["paper"]: row for row in self.fetch(query)}
            yield from ((entry_or_failure(by_name[name]), by_name[name]["parser"]) for name in names if name in by_name)

    def entries_of(self, run: Run, sha256s: Collection[str]) -> dict[str, tuple[PaperEntry, str]]:
        """Papers by the SHA-256 of their files, at most a page of them; of two identical files, the first by name."""
        query = select(RUN_PAPERS).where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.sha256.in_({*sha256s} - {""}))
        rows = self.fetch(query.order_by(RUN_PAPERS.c.paper.desc()))
        return {row["sha256"]: (entry_or_failure(row), row["parser"]) for row in rows}

    def carry_over(self, old: Run, new: Run) -> None:
        """Copy the papers and cells of a run to another run, which has more papers or questions."""
        entries = self.entries(old)
        while batch := list(itertools.islice(entries, listing.PAGE)):
            with self._engine.begin() as connection:
                rows = [entry_row(new.id, entry, parser) for entry, parser in batch]
                upsert(connection, RUN_PAPERS, rows, by=("run", "paper"))
        columns = (RUN_CELLS.c.paper, RUN_CELLS.c.question, RUN_CELLS.c.reader, RUN_CELLS.c.cell_key)
        source = select(literal(new.id), *columns).where(RUN_CELLS.c.run == old.id)
        with self._engine.begin() as connection:
            insert = INSERT[connection.dialect.name](RUN_CELLS).from_select(["run", *(column.name for column in columns)], source)
            changes = {"cell_key": insert.excluded.cell_key}
            connection.execute(insert.on_conflict_do_update(index_elements=list(_LINK), set_=changes))

    def cells(self, run: Run, entry: PaperEntry, parser: str, *, question: str | None = None) -> Sequence[Cell]:
        """The cells of one paper, or of one question of it. A damaged cell is `failed`, with a reason.

        If the text of the paper is damaged, its cells have no passages.
        """
        paper = self.paper(entry.sha256, parser)
        columns = (*ANSWERS.c, RUN_CELLS.c.question, RUN_CELLS.c.reader)
        linked = select(*columns).join_from(RUN_CELLS, ANSWERS, RUN_CELLS.c.cell_key == ANSWERS.c.cell_key)
        wanted = linked.where(RUN_CELLS.c.run == run.id, RUN_CELLS.c.paper == entry.name)
        if question is not None:
            wanted = wanted.where(RUN_CELLS.c.question == question)
        return [cell_or_failure(row, entry.sha256, paper) for row in self.fetch(wanted)]

    def _first(self, query: Any) -> RowMapping | None:
        with self._engine.connect() as connection:
            return connection.execute(query).mappings().first()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
