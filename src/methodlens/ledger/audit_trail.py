"""The audit trail of a team: who did what, and when. Entries are only added."""

import uuid
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from methodlens.ledger.database import Database
from methodlens.ledger.packing import checksum, verify
from methodlens.ledger.store import now
from methodlens.ledger.tables import AUDIT_TRAIL, upsert
from methodlens.text.printable import one_line

_MAX_DETAIL = 500
_COLUMNS = ("at", "member", "action", "detail")


class Action(StrEnum):
    SIGNED_IN = "signed in"
    SIGN_IN_FAILED = "sign-in failed"
    SIGNED_OUT = "signed out"
    ANNOTATED = "annotated"
    ADJUDICATED = "adjudicated"
    UNDID = "undid"
    IMPORTED = "imported annotations"
    ADDED_PAPERS = "added papers"
    ADDED_QUESTION = "added question"
    RECALIBRATED = "recalibrated"
    REWEIGHTED = "changed the vote"
    DOWNLOADED = "downloaded"
    MEMBER_ADDED = "member added"
    MEMBER_CHANGED = "member changed"
    MEMBER_REMOVED = "member removed"
    TOKEN_RESET = "token reset"  # noqa: S105 - not a password


class AuditEntry(Struct, frozen=True):
    """`member` is who did it: a member of the team, or a user of the command line."""

    at: str
    member: str
    action: str
    detail: str


def record(ledger: Database, member: str, action: Action, detail: str = "") -> None:
    entry = {"at": now(), "member": member, "action": action.value, "detail": one_line(detail)[:_MAX_DETAIL]}
    key = uuid.uuid4().hex
    row = {"entry_id": key, **entry, "checksum": checksum(key, *entry.values())}
    with ledger.engine.begin() as connection:
        upsert(connection, AUDIT_TRAIL, [row], by=("entry_id",))


def entries(ledger: Database, *, member: str = "", limit: int | None = None) -> Sequence[AuditEntry]:
    """The latest entries of one member or of all, oldest first."""
    query = select(AUDIT_TRAIL).order_by(AUDIT_TRAIL.c.at.desc(), AUDIT_TRAIL.c.entry_id).limit(limit)
    rows = ledger.fetch(query.where(AUDIT_TRAIL.c.member == member) if member else query)
    return [from_row(row) for row in reversed(rows)]


def from_row(row: Mapping[Any, Any]) -> AuditEntry:
    """Raises LedgerDamaged if the row was changed."""
    values = [row[name] for name in _COLUMNS]
    verify(row["entry_id"], *values, expected=row["checksum"], what=f"the audit entry of {row['at']}")
    return AuditEntry(*values)
