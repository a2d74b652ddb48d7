"""The ledger: every paper as read and every cell as answered, once, by content key, in one SQLite file or a PostgreSQL database.

Values are written in their own transaction each: what was kept is kept, whatever kills the process next.
"""

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, RowMapping, literal_column, select, update

from methodlens.engine.messages import Parcel, Told
from methodlens.errors import LedgerDamaged
from methodlens.ledger import annotations as annotation_rows
from methodlens.ledger import bulk, listing
from methodlens.ledger.backends import CLOCK
from methodlens.ledger.bulk import DECIDED, LASTING
from methodlens.ledger.calls import Call, Outcome, as_row, from_row
from methodlens.ledger.claims import Claims, content_key
from methodlens.ledger.database import Database
from methodlens.ledger.packing import StoredCell, cell_row, checksum, entry_row, link_row, pack, paper_row, restored, unpack
from methodlens.ledger.tables import ANNOTATIONS, CALLS, CELLS, CLAIMS, PAPERS, RUN_CELLS, RUN_PAPERS, RUNS, replace_rows
from methodlens.papers import PaperFile
from methodlens.records import Annotation, Cell, Paper, PaperEntry, PaperStatus, Question, Status

_LINK = ("run", "paper", "question", "reader")


class Run(Struct, frozen=True):
    """What a run was asked: the denominator of every figure."""

    id: str
    sources: tuple[str, ...]
    questions: tuple[Question, ...]
    readers: tuple[str, ...]
    papers: int = 0
    """How many; `Ledger.names` says which."""
    question_set: str = ""
    version: str = ""
    vote: str = "majority"
    """The rule of its vote, as it is written; the vote is derived from the cells whenever it is shown."""
    repeat: int = 1
    """How often readers were asked each question; see `runs.repeats`."""


class Ledger(Database):
    """Open with `Ledger.at(folder)` or `Ledger.on(url)`; use as a context manager. Reading from several threads is safe.

    One run writes a SQLite file. A database is `shared`: several drivers write to it, each the papers that it claimed.
    """

    # --- papers -----------------------------------------------------------------------------------------------------

    def paper(self, sha256: str, parser: str) -> Paper | None:
        """As read before by the same parser. One whose row is damaged counts as not read."""
        with self._engine.connect() as connection:
            row = _one(connection, select(PAPERS).where(PAPERS.c.sha256 == sha256, PAPERS.c.parser == parser))
        if row is None:
            return None
        try:
            return unpack(row["body"], Paper, key=sha256 + parser, expected=row["checksum"], what=f"paper {sha256[:12]}")
        except LedgerDamaged:
            return None

    def keep_paper(self, paper: Paper) -> None:
        if paper.status not in LASTING:
            return
        with self._engine.begin() as connection:
            replace_rows(connection, PAPERS, [paper_row(paper)], by=("sha256", "parser"))

    # --- cells ------------------------------------------------------------------------------------------------------

    def cell(self, key: str, paper: Paper) -> Cell | None:
        """The cell if it stands answered and whole; None means: ask."""
        with self._engine.connect() as connection:
            row = _one(connection, select(CELLS).where(CELLS.c.cell_key == key))
        if row is None or Status(row["status"]) not in DECIDED:
            return None
        try:
            cell = _cell(row, paper)
        except LedgerDamaged:
            return None
        return cell if cell.verdict.status.value == row["status"] else None

    def keep_cell(self, run: str, paper: str, cell: Cell, call: Call | None = None) -> None:
        """Store the cell and note that it answers this run's question; with the end of the call that gave it, or not at all."""
        with self._engine.begin() as connection:
            if call:
                replace_rows(connection, CALLS, [as_row(call)], by=("call_id",))
            replace_rows(connection, CELLS, [cell_row(cell, now())], by=("cell_key",))
            replace_rows(connection, RUN_CELLS, [link_row(run, paper, cell)], by=_LINK)

    def reuse_cell(self, run: str, paper: str, cell: Cell) -> None:
        """Note that a cell which stands already answers this run's question too."""
        with self._engine.begin() as connection:
            replace_rows(connection, RUN_CELLS, [link_row(run, paper, cell)], by=_LINK)

    def keep_all(self, run: str, entry: PaperEntry, paper: Paper, cells: Iterable[Cell]) -> None:
        """A paper with all its cells in one transaction: for answers that come from files, where a kill costs nothing."""
        at, made = now(), list(cells)
        with self._engine.begin() as connection:
            replace_rows(connection, PAPERS, [paper_row(paper)], by=("sha256", "parser"))
            replace_rows(connection, RUN_PAPERS, [entry_row(run, entry, paper.parser)], by=("run", "paper"))
            replace_rows(connection, CELLS, [cell_row(cell, at) for cell in made], by=("cell_key",))
            replace_rows(connection, RUN_CELLS, [link_row(run, entry.name, cell) for cell in made], by=_LINK)

    # --- parcels: papers that workers did (runs.parcels) ------------------------------------------------------------

    def told(self, name: str, parser: str, *, sha256: str = "") -> Told | None:
        with self._engine.connect() as connection:
            return bulk.told(connection, name, parser, sha256=sha256)

    def keep_parcel(self, run: str, parcel: Parcel, calls: Sequence[Call]) -> None:
        with self._engine.begin() as connection:
            bulk.write(connection, run, parcel, calls, at=now())

    # --- calls ------------------------------------------------------------------------------------------------------

    def keep_call(self, call: Call) -> None:
        """Before a call is made, and after one that gave no cell."""
        with self._engine.begin() as connection:
            replace_rows(connection, CALLS, [as_row(call)], by=("call_id",))

    def calls(self, run: str | None = None) -> Iterator[Call]:
        """Of one run or of all, oldest first, a few at a time: there are as many as cells."""
        query = select(CALLS).order_by(CALLS.c.started_at)
        with self._engine.connect().execution_options(yield_per=1000) as connection:
            for row in connection.execute(query.where(CALLS.c.run == run) if run else query).mappings():
                yield from_row(dict(row))

    def lose_open_calls(self) -> int:
        """Calls that no end was noted for were cut short by a kill: say so, once. Not those of drivers that are at work."""
        at_work = select(CLAIMS.c.owner).where(
            CLAIMS.c.run == CALLS.c.run, CLAIMS.c.paper == CALLS.c.paper, CLAIMS.c.until >= CLOCK[self._engine.dialect.name]
        )
        query = select(CALLS).where(CALLS.c.outcome == literal_column(f"'{Outcome.OPEN.value}'"), ~at_work.exists())
        with self._engine.begin() as connection:
            rows = connection.execute(query).mappings().all()
            lost = [as_row(replace(from_row(dict(row)), outcome=Outcome.LOST)) for row in rows]
            replace_rows(connection, CALLS, lost, by=("call_id",))
        return len(lost)

    def claims(self, run: str) -> Claims[PaperFile] | None:
        """The papers that this driver takes for itself, where several share the ledger; None where the lock keeps others out."""
        return Claims(self._engine, run, key_of=content_key, lease_s=self.lease_s) if self.shared else None

    # --- annotations ------------------------------------------------------------------------------------------------

    def keep_annotations(self, annotations: Iterable[Annotation]) -> int:
        """Each beside what stands already. How many there were."""
        rows = [annotation_rows.to_row(annotation) for annotation in annotations]
        with self._engine.begin() as connection:
            replace_rows(connection, ANNOTATIONS, rows, by=annotation_rows.KEY)
        return len(rows)

    def annotations(self, paper_sha256: str | None = None) -> Sequence[Annotation]:
        """Each person's standing word on each cell, of one paper or of all."""
        return annotation_rows.current(self.annotation_history(paper_sha256))

    def annotation_history(self, paper_sha256: str | None = None) -> Sequence[Annotation]:
        """With those that were taken back, and those that take one back."""
        return [annotation_rows.from_row(row) for row in self.fetch(annotation_rows.history_query(paper_sha256))]

    # --- runs -------------------------------------------------------------------------------------------------------

    def begin(self, run: Run, names: Sequence[str]) -> None:
        """Note what is asked, of which papers. Those that the same run listed before and no longer does are dropped from it."""
        body = pack(run)
        with self._engine.begin() as connection:
            row = {"run": run.id, "body": body, "checksum": checksum(run.id, body), "started_at": now(), "ended_at": None}
            replace_rows(connection, RUNS, [row], by=("run",))  # first: of two drivers the second waits here for the first
            listing.write(connection, run.id, names)

    def end(self, run: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(RUNS).where(RUNS.c.run == run).values(ended_at=now()))

    def keep_entry(self, run: str, entry: PaperEntry, parser: str) -> None:
        with self._engine.begin() as connection:
            replace_rows(connection, RUN_PAPERS, [entry_row(run, entry, parser)], by=("run", "paper"))

    def runs(self) -> Sequence[Run]:
        """Newest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(RUNS).order_by(RUNS.c.started_at.desc())).mappings().all()
        return [unpack(row["body"], Run, key=row["run"], expected=row["checksum"], what=f"run {row['run'][:8]}") for row in rows]

    def names(self, run: Run, *, page: int | None = None) -> Iterator[str]:
        """The papers that a run lists, in its order, all or those of one page (listing.PAGE to each); a page at a time."""
        found = 0
        for number in itertools.count() if page is None else (page,):
            with self._engine.connect() as connection:
                some = listing.page(connection, run.id, number)
            yield from some
            found += len(some)
            if not some:
                break
        if page is None and found != run.papers:  # a row that is gone has no checksum to miss
            raise LedgerDamaged(
                f"run {run.id[:8]} lists {found} papers, and should list {run.papers}", "run again: it will be listed anew"
            )

    def entries(self, run: Run, *, page: int | None = None) -> Iterator[tuple[PaperEntry, str]]:
        """Those of its papers that were reached, each with the parser that read it; in the same order and pages."""
        listed = self.names(run, page=page)
        while names := list(itertools.islice(listed, listing.PAGE)):
            query = select(RUN_PAPERS).where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.paper.in_(names))
            by_name = {row["paper"]: row for row in self.fetch(query)}
            yield from (_entry(by_name[name]) for name in names if name in by_name)

    def entries_of(self, run: Run, sha256s: Collection[str]) -> dict[str, tuple[PaperEntry, str]]:
        """The same by the checksums of their files, a page of these at most; of two files that are alike, the first by name."""
        query = select(RUN_PAPERS).where(RUN_PAPERS.c.run == run.id, RUN_PAPERS.c.sha256.in_({*sha256s} - {""}))
        return {row["sha256"]: _entry(row) for row in self.fetch(query.order_by(RUN_PAPERS.c.paper.desc()))}

    def carry_over(self, old: Run, new: Run) -> None:
        """The papers and cells of one run are those of another too: of one that has more papers or more questions."""
        entries = self.entries(old)
        while some := list(itertools.islice(entries, listing.PAGE)):
            with self._engine.begin() as connection:
                papers = [entry_row(new.id, entry, parser) for entry, parser in some]
                replace_rows(connection, RUN_PAPERS, papers, by=("run", "paper"))
        with self._engine.begin() as connection:
            bulk.same_cells(connection, old.id, new.id)

    def cells(self, run: Run, entry: PaperEntry, parser: str, *, question: str | None = None) -> Sequence[Cell]:
        """The cells of one paper of a run, or of one of its questions. Raises LedgerDamaged rather than leave one out."""
        paper = self.paper(entry.sha256, parser) or Paper(sha256=entry.sha256, parser=parser, status=entry.status)
        if entry.status is PaperStatus.OK and not paper.text:
            raise LedgerDamaged(f"the text of {entry.name} in the ledger is damaged", "run again: it will be read anew")
        linked = select(CELLS).join_from(RUN_CELLS, CELLS, RUN_CELLS.c.cell_key == CELLS.c.cell_key)
        wanted = linked.where(RUN_CELLS.c.run == run.id, RUN_CELLS.c.paper == entry.name)
        if question is not None:
            wanted = wanted.where(RUN_CELLS.c.question == question)
        return [_cell(row, paper) for row in self.fetch(wanted)]


def _one(connection: Connection, query: Any) -> RowMapping | None:
    return connection.execute(query).mappings().first()


def _entry(row: RowMapping) -> tuple[PaperEntry, str]:
    key, what = row["run"] + row["paper"], f"paper {row['paper']}"
    return unpack(row["body"], PaperEntry, key=key, expected=row["checksum"], what=what), row["parser"]


def _cell(row: RowMapping, paper: Paper) -> Cell:
    key = row["cell_key"]
    return restored(key, unpack(row["body"], StoredCell, key=key, expected=row["checksum"], what=f"cell {key[:12]}"), paper)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
