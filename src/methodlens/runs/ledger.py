"""The ledger: every paper as read and every cell as answered, once, by content key, in one SQLite file.

Values are written in their own transaction each: what was kept is kept, whatever kills the process next.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout
from msgspec import Struct
from sqlalchemy import Connection, Engine, RowMapping, column, create_engine, delete, event, insert, select, table, update
from sqlalchemy.exc import DatabaseError

from methodlens.errors import LedgerBusy, LedgerDamaged, LedgerError, OutputError
from methodlens.records import Cell, Paper, PaperEntry, PaperStatus, Question, Status
from methodlens.runs.migrations import migrate
from methodlens.runs.packing import StoredCell, checksum, pack, restored, stored, unpack

FILE = "ledger.sqlite"

_papers = table("papers", *map(column, ("sha256", "parser", "body", "checksum")))
_cells = table("cells", *map(column, ("cell_key", "status", "body", "checksum", "asked_at")))
_runs = table("runs", *map(column, ("run", "body", "checksum", "started_at", "ended_at")))
_run_papers = table("run_papers", *map(column, ("run", "paper", "parser", "body", "checksum")))
_run_cells = table("run_cells", *map(column, ("run", "paper", "question", "reader", "cell_key")))

_LASTING = frozenset({PaperStatus.OK, PaperStatus.NO_TEXT, PaperStatus.GARBLED, PaperStatus.ENCRYPTED, PaperStatus.MALFORMED})
"""Statuses that another try would give again; the others depend on limits and luck, so they are tried anew."""
_DECIDED = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})
"""Answers stand; what failed or could not be read is asked again."""


class Run(Struct, frozen=True):
    """What a run was asked: the denominator of every figure."""

    id: str
    sources: tuple[str, ...]
    questions: tuple[Question, ...]
    readers: tuple[str, ...]
    papers: tuple[str, ...]
    question_set: str = ""
    version: str = ""


class Ledger:
    """Open with `Ledger.at(folder)`; use as a context manager. Reading from several threads is safe, one run writes."""

    def __init__(self, engine: Engine, path: Path) -> None:
        self._engine = engine
        self.path = path

    @classmethod
    def at(cls, folder: Path, *, create: bool = False) -> Self:
        path = folder / FILE
        if not create and not path.is_file():
            raise LedgerError(
                f"there is no ledger in {folder}", "run 'methodlens run PAPERS --out DIR' first, or name its folder with --out"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            engine = create_engine(f"sqlite:///{path}")
            event.listen(engine, "connect", _pragmas)
            with engine.begin() as connection:
                migrate(connection, source=str(path))
        except DatabaseError as err:
            raise LedgerError(
                f"{path} cannot be used as a ledger ({err.orig})", "choose another --out, or move that file away"
            ) from err
        except OSError as err:
            raise OutputError(f"{folder} cannot be written ({err.strerror})", "choose another folder with --out") from err
        return cls(engine, path)

    def lock(self) -> FileLock:
        """Held by a run for as long as it writes; the system lets go of it when the process dies."""
        lock = FileLock(f"{self.path}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as err:
            raise LedgerBusy(f"another run is writing {self.path}", "wait for it to end, or choose another --out") from err
        return lock

    # --- papers -----------------------------------------------------------------------------------------------------

    def paper(self, sha256: str, parser: str) -> Paper | None:
        """As read before by the same parser. One whose row is damaged counts as not read."""
        with self._engine.connect() as connection:
            row = _one(connection, select(_papers).where(_papers.c.sha256 == sha256, _papers.c.parser == parser))
        if row is None:
            return None
        try:
            return unpack(row["body"], Paper, key=sha256 + parser, expected=row["checksum"], what=f"paper {sha256[:12]}")
        except LedgerDamaged:
            return None

    def keep_paper(self, paper: Paper) -> None:
        if paper.status not in _LASTING:
            return
        body = pack(paper)
        values = {"sha256": paper.sha256, "parser": paper.parser, "body": body}
        with self._engine.begin() as connection:
            connection.execute(delete(_papers).where(_papers.c.sha256 == paper.sha256, _papers.c.parser == paper.parser))
            connection.execute(insert(_papers).values(**values, checksum=checksum(paper.sha256 + paper.parser, body)))

    # --- cells ------------------------------------------------------------------------------------------------------

    def cell(self, key: str, paper: Paper) -> Cell | None:
        """The cell if it stands answered and whole; None means: ask."""
        with self._engine.connect() as connection:
            row = _one(connection, select(_cells).where(_cells.c.cell_key == key))
        if row is None or Status(row["status"]) not in _DECIDED:
            return None
        try:
            return _cell(row, paper)
        except LedgerDamaged:
            return None

    def keep_cell(self, run: str, paper: str, cell: Cell) -> None:
        """Store the cell and note that it answers this run's question."""
        body = pack(stored(cell))
        with self._engine.begin() as connection:
            connection.execute(delete(_cells).where(_cells.c.cell_key == cell.key))
            connection.execute(
                insert(_cells).values(
                    cell_key=cell.key,
                    status=cell.verdict.status.value,
                    body=body,
                    checksum=checksum(cell.key, body),
                    asked_at=_now(),
                )
            )
            _link(connection, run, paper, cell)

    def reuse_cell(self, run: str, paper: str, cell: Cell) -> None:
        """Note that a cell which stands already answers this run's question too."""
        with self._engine.begin() as connection:
            _link(connection, run, paper, cell)

    # --- runs -------------------------------------------------------------------------------------------------------

    def begin(self, run: Run) -> None:
        """Note what is asked. Papers that the same run listed before and no longer does are dropped from it."""
        body = pack(run)
        with self._engine.begin() as connection:
            connection.execute(delete(_runs).where(_runs.c.run == run.id))
            connection.execute(
                insert(_runs).values(run=run.id, body=body, checksum=checksum(run.id, body), started_at=_now(), ended_at=None)
            )
            known = connection.execute(select(_run_papers.c.paper).where(_run_papers.c.run == run.id)).scalars().all()
            for name in set(known) - set(run.papers):
                for rows in (_run_papers, _run_cells):
                    connection.execute(delete(rows).where(rows.c.run == run.id, rows.c.paper == name))

    def end(self, run: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(_runs).where(_runs.c.run == run).values(ended_at=_now()))

    def keep_entry(self, run: str, entry: PaperEntry, parser: str) -> None:
        body = pack(entry)
        with self._engine.begin() as connection:
            connection.execute(delete(_run_papers).where(_run_papers.c.run == run, _run_papers.c.paper == entry.name))
            connection.execute(
                insert(_run_papers).values(
                    run=run, paper=entry.name, parser=parser, body=body, checksum=checksum(run + entry.name, body)
                )
            )

    def runs(self) -> Sequence[Run]:
        """Newest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(_runs).order_by(_runs.c.started_at.desc())).mappings().all()
        return [unpack(row["body"], Run, key=row["run"], expected=row["checksum"], what=f"run {row['run'][:8]}") for row in rows]

    def entries(self, run: Run) -> Iterator[tuple[PaperEntry, str]]:
        """The papers of a run that were reached, in its order, each with the parser that read it."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(_run_papers).where(_run_papers.c.run == run.id)).mappings().all()
        by_name = {row["paper"]: row for row in rows}
        for name in run.papers:
            if row := by_name.get(name):
                what = f"paper {name}"
                yield (
                    unpack(row["body"], PaperEntry, key=run.id + name, expected=row["checksum"], what=what),
                    row["parser"],
                )

    def cells(self, run: Run, entry: PaperEntry, parser: str) -> Sequence[Cell]:
        """The cells of one paper of a run. Raises LedgerDamaged rather than leave one out."""
        paper = self.paper(entry.sha256, parser) or Paper(sha256=entry.sha256, parser=parser, status=entry.status)
        if entry.status is PaperStatus.OK and not paper.text:
            raise LedgerDamaged(f"the text of {entry.name} in the ledger is damaged", "run again: it will be read anew")
        linked = select(_cells).join_from(_run_cells, _cells, _run_cells.c.cell_key == _cells.c.cell_key)
        with self._engine.connect() as connection:
            rows = connection.execute(linked.where(_run_cells.c.run == run.id, _run_cells.c.paper == entry.name)).mappings().all()
        return [_cell(row, paper) for row in rows]

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _pragmas(connection: Any, _record: object) -> None:
    """WAL lets reports read while a run writes; NORMAL survives a kill of the process and costs no sync a cell."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA busy_timeout=30000")


def _one(connection: Connection, query: Any) -> RowMapping | None:
    return connection.execute(query).mappings().first()


def _cell(row: RowMapping, paper: Paper) -> Cell:
    key = row["cell_key"]
    return restored(key, unpack(row["body"], StoredCell, key=key, expected=row["checksum"], what=f"cell {key[:12]}"), paper)


def _link(connection: Connection, run: str, paper: str, cell: Cell) -> None:
    where = {"run": run, "paper": paper, "question": cell.question, "reader": cell.reader}
    connection.execute(delete(_run_cells).where(*(_run_cells.c[name] == value for name, value in where.items())))
    connection.execute(insert(_run_cells).values(**where, cell_key=cell.key))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
