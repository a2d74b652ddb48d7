"""The voting rule of a run, changed after the run: the cells stay as they are."""

from msgspec.structs import replace
from sqlalchemy import update

from methodlens.ledger.packing import checksum, pack
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.tables import RUNS


def change_rule(ledger: Ledger, run: Run, rule: str) -> Run:
    changed = replace(run, vote=rule)
    body = pack(changed)
    with ledger.engine.begin() as connection:
        row = {"body": body, "checksum": checksum(run.id, body)}
        connection.execute(update(RUNS).where(RUNS.c.run == run.id).values(**row))
    return changed
