"""Steps 9 and 10 of the schema, shipped with 0.4.0."""

from sqlalchemy import Column, Connection, MetaData, String, Table, Text


def team(connection: Connection) -> None:
    """9: the members of a team, their sessions, and the audit trail."""
    metadata = MetaData()
    Table(
        "team_members",
        metadata,
        Column("name", Text, primary_key=True),
        Column("token_id", String(32), index=True),
        Column("body", Text, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    Table(
        "team_sessions",
        metadata,
        Column("session_sha256", String(64), primary_key=True),
        Column("member", Text, nullable=False, index=True),
        Column("expires_at", String(32), nullable=False),
    )
    Table(
        "audit_trail",
        metadata,
        Column("entry_id", String(32), primary_key=True),
        Column("at", String(32), nullable=False, index=True),
        Column("member", Text, nullable=False),
        Column("action", String(40), nullable=False),
        Column("detail", Text, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    metadata.create_all(connection)


def recalibrations(connection: Connection) -> None:
    """10: how the probabilities of a question were refitted to the reviewers' decisions. Rows are only added."""
    metadata = MetaData()
    Table(
        "recalibrations",
        metadata,
        *(Column(name, Text, primary_key=True) for name in ("question", "reader", "at")),
        Column("body", Text, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    metadata.create_all(connection)
