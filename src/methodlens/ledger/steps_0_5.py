"""Steps of the schema that were shipped with 0.5.0."""

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, String, Table, Text


def repositories(connection: Connection) -> None:
    """11: the repositories that were read, each once, and the paper of a run that each belongs to."""
    metadata = MetaData()
    Table(
        "repositories",
        metadata,
        Column("repository_key", String(64), primary_key=True),
        Column("body", Text, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    Table(
        "run_repositories",
        metadata,
        Column("run", String(64), primary_key=True),
        Column("paper", Text, primary_key=True),
        Column("repository_key", String(64), nullable=False),
    )
    metadata.create_all(connection)


def batches(connection: Connection) -> None:
    """12: batches of calls handed to a provider, written before they are handed in."""
    metadata = MetaData()
    Table(
        "batches",
        metadata,
        Column("batch_id", String(32), primary_key=True),
        Column("run", String(64), nullable=False),
        Column("reader", Text, nullable=False),
        Column("state", String(20), nullable=False, index=True),
        Column("provider_id", Text, nullable=False),
        Column("cells", Integer, nullable=False),
        Column("prepared_at", String(32), nullable=False),
        Column("submitted_at", String(32), nullable=False),
        Column("ended_at", String(32), nullable=False),
        Column("note", Text, nullable=False),
        Column("body", LargeBinary, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    metadata.create_all(connection)


def supplements(connection: Connection) -> None:
    """13: the supplements of a run's papers; their texts and cells are stored like those of papers."""
    metadata = MetaData()
    Table(
        "run_supplements",
        metadata,
        Column("run", String(64), primary_key=True),
        Column("paper", Text, primary_key=True),
        Column("file", Text, primary_key=True),
        Column("body", Text, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    metadata.create_all(connection)
