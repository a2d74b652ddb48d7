"""The repositories of a run's papers as rows of the ledger: each stored once, and linked to the papers it belongs to."""

from collections.abc import Iterator

import msgspec
from sqlalchemy import delete, literal, select

from methodlens.errors import LedgerDamaged
from methodlens.ledger.backends import INSERT
from methodlens.ledger.packing import build_decoders, checksum, pack, unpack
from methodlens.ledger.paper_results import RowLike
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.tables import REPOSITORIES, RUN_REPOSITORIES, upsert
from methodlens.records.code import Repository, RepositoryStatus

_LINK = ("run", "paper")
LASTING = frozenset({RepositoryStatus.OK, RepositoryStatus.MALFORMED})
"""Another attempt at the same files would give the same result; the others depend on limits and load."""

build_decoders(Repository)


def known(ledger: Ledger, key: str) -> Repository | None:
    """The repository, if it need not be read again. A damaged row counts as missing."""
    rows = ledger.fetch(select(REPOSITORIES).where(REPOSITORIES.c.repository_key == key))
    repository = _or_failure(rows[0]) if rows else None
    return repository if repository and repository.status in LASTING else None


def keep(ledger: Ledger, run: str, paper: str, key: str, repository: Repository) -> None:
    """Store what was read, and link it to the paper."""
    body = pack(repository)
    row = {"repository_key": key, "body": body, "checksum": checksum(key, body)}
    with ledger.engine.begin() as connection:
        upsert(connection, REPOSITORIES, [row], by=("repository_key",))
        upsert(connection, RUN_REPOSITORIES, [{"run": run, "paper": paper, "repository_key": key}], by=_LINK)


def unlink(ledger: Ledger, run: str, paper: str) -> None:
    """The paper has no repository. What was read stays stored, for when it is named again."""
    with ledger.engine.begin() as connection:
        linked = RUN_REPOSITORIES.c
        connection.execute(delete(RUN_REPOSITORIES).where(linked.run == run, linked.paper == paper))


def carry_over(ledger: Ledger, old: Run, new: Run) -> None:
    """Link the repositories of a run to the same papers of another run."""
    columns = (RUN_REPOSITORIES.c.paper, RUN_REPOSITORIES.c.repository_key)
    source = select(literal(new.id), *columns).where(RUN_REPOSITORIES.c.run == old.id)
    with ledger.engine.begin() as connection:
        insert = INSERT[connection.dialect.name](RUN_REPOSITORIES).from_select(["run", "paper", "repository_key"], source)
        changes = {"repository_key": insert.excluded.repository_key}
        connection.execute(insert.on_conflict_do_update(index_elements=list(_LINK), set_=changes))


def papers_with_code(ledger: Ledger, run: Run) -> frozenset[str]:
    """The names of the papers that have a repository."""
    rows = ledger.fetch(select(RUN_REPOSITORIES.c.paper).where(RUN_REPOSITORIES.c.run == run.id))
    return frozenset(row["paper"] for row in rows)


def of_paper(ledger: Ledger, run: Run, paper: str) -> Repository | None:
    """A damaged one has the status `crashed`, with a reason."""
    linked = select(REPOSITORIES).join_from(
        RUN_REPOSITORIES, REPOSITORIES, RUN_REPOSITORIES.c.repository_key == REPOSITORIES.c.repository_key
    )
    rows = ledger.fetch(linked.where(RUN_REPOSITORIES.c.run == run.id, RUN_REPOSITORIES.c.paper == paper))
    return _or_failure(rows[0]) if rows else None


def of_run(ledger: Ledger, run: Run) -> Iterator[tuple[str, Repository]]:
    """Each paper that has a repository, with it, by name."""
    for paper in sorted(papers_with_code(ledger, run)):
        if repository := of_paper(ledger, run, paper):
            yield paper, repository


def from_row(row: RowLike) -> Repository:
    key = row["repository_key"]
    return unpack(row["body"], Repository, key=key, expected=row["checksum"], what="a repository")


def _or_failure(row: RowLike) -> Repository:
    try:
        return from_row(row)
    except (LedgerDamaged, msgspec.MsgspecError) as err:
        return Repository("", "", RepositoryStatus.CRASHED, f"{err}: rerun to read it again")
