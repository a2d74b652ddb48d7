"""The ledger's schema: numbered steps that are only ever appended, and the version that a database has reached."""

from collections.abc import Callable

from sqlalchemy import Column, Connection, Integer, MetaData, Table, func, inspect, select

from methodlens.errors import LedgerError, LedgerTooNew
from methodlens.ledger import steps_0_1, steps_0_2, steps_0_4, steps_0_5
from methodlens.ledger.backends import lock_schema
from methodlens.ledger.views import NAMES, create_views

STEPS: tuple[Callable[[Connection], None], ...] = (
    steps_0_1.papers_cells_and_runs,
    steps_0_1.annotations,
    steps_0_1.calls,
    steps_0_1.claims,
    steps_0_1.listings,
    steps_0_1.papers_by_content,
    steps_0_2.deciding_facts,
    steps_0_2.plain_sql,
    steps_0_4.team,
    steps_0_4.recalibrations,
    steps_0_5.repositories,
    steps_0_5.batches,
    steps_0_5.supplements,
)

_VERSION = Table("schema_version", MetaData(), Column("version", Integer, primary_key=True))
_TABLES = """answers annotation_log audit_trail batches calls claims listings paper_texts recalibrations repositories
run_cells run_papers run_repositories run_supplements runs team_members team_sessions"""
_OURS = frozenset({*_TABLES.split(), *NAMES})


def version_of(connection: Connection) -> int:
    """0 where there is no ledger yet."""
    if not inspect(connection).has_table(_VERSION.name):
        return 0
    return connection.execute(select(func.max(_VERSION.c.version))).scalar() or 0


def migrate(connection: Connection, *, source: str) -> None:
    """Upgrade the schema in the caller's transaction. Refuses one that is too new, and tables of another application."""
    if version_of(connection) == len(STEPS):
        return
    lock_schema(connection)
    version = version_of(connection)
    if version > len(STEPS):
        raise LedgerTooNew(
            f"{source} was written by a newer methodlens (schema {version}, this one knows {len(STEPS)})",
            "upgrade methodlens, or choose another --out or --ledger",
        )
    inspector = inspect(connection)
    if not version and (taken := sorted(_OURS & {*inspector.get_table_names(), *inspector.get_view_names()})):
        raise LedgerError(f"{source} has tables of another application ({', '.join(taken)})", "use a separate database")
    if not inspect(connection).has_table(_VERSION.name):
        _VERSION.create(connection)
    for number, step in enumerate(STEPS[version:], version + 1):
        step(connection)
        connection.execute(_VERSION.insert().values(version=number))
    create_views(connection)
