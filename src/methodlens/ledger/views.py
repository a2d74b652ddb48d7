"""Views for people: `papers`, `cells`, `facts` and `annotations`, readable with sqlite3, Datasette or psql.

docs/reference/ledger.md describes their columns. They are created again with each schema version, so they may change freely.
"""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection


class _View(NamedTuple):
    """`fields` are parts of the JSON body: column -> path, with "::type" for PostgreSQL (text if none)."""

    columns: str
    fields: Mapping[str, str]
    source: str


_VIEWS = {
    "papers": _View(
        "run, paper, sha256, parser",
        {
            "status": "status",
            "reason": "reason",
            "title": "title",
            "authors": "authors::jsonb",
            "year": "year::int",
            "doi": "doi",
            "pages": "pages::int",
            "flags": "flags::jsonb",
        },
        "run_papers",
    ),
    "cells": _View(
        "run, paper, paper_sha256, question, reader, status, asked_at, cell_key",
        {
            "reason": "verdict.reason",
            "p_reported": "answer.p_reported::float",
            "answer": "answer.text",
            "evidence": "answer.evidence::jsonb",
            "facts": "answer.facts::jsonb",
            "model": "model",
            "seconds": "seconds::float",
            "tokens": "answer.tokens::int",
        },
        "run_cells JOIN answers USING (cell_key)",
    ),
    "annotations": _View(
        "paper_sha256, question, annotator, at",
        {"status": "status", "answer": "answer", "note": "note", "evidence": "evidence::jsonb", "undo": "undo::boolean"},
        "annotation_log",
    ),
}
_FACTS = {
    "sqlite": """
        SELECT run, paper, question, reader, fact.key AS fact, item.value AS value,
               CASE item.type WHEN 'object' THEN json_extract(item.value, '$.name') END AS name
        FROM cells, json_each(cells.facts) AS fact,
             json_each(CASE fact.type WHEN 'array' THEN fact.value WHEN 'object' THEN json_array(json(fact.value))
                       ELSE json_array(fact.value) END) AS item
        WHERE item.type <> 'null'""",
    "postgresql": """
        SELECT run, paper, question, reader, fact.key AS fact, item.value #>> '{}' AS value,
               CASE jsonb_typeof(item.value) WHEN 'object' THEN item.value ->> 'name' END AS name
        FROM cells, jsonb_each(cells.facts) AS fact,
             jsonb_array_elements(CASE jsonb_typeof(fact.value) WHEN 'array' THEN fact.value
                                  ELSE jsonb_build_array(fact.value) END) AS item(value)
        WHERE jsonb_typeof(item.value) <> 'null'""",
}
NAMES = (*_VIEWS, "facts")


def create_views(connection: Connection) -> None:
    dialect = connection.dialect.name
    for name in reversed(NAMES):
        connection.exec_driver_sql(f"DROP VIEW IF EXISTS {name}")
    for name, view in _VIEWS.items():
        fields = ", ".join(f"{_field(path, dialect)} AS {column}" for column, path in view.fields.items())
        connection.exec_driver_sql(f"CREATE VIEW {name} AS SELECT {view.columns}, {fields} FROM {view.source}")  # noqa: S608 - our own words
    connection.exec_driver_sql(f"CREATE VIEW facts AS {_FACTS[dialect]}")


def _field(path: str, dialect: str) -> str:
    """
    >>> _field("answer.tokens::int", "sqlite")
    "json_extract(body, '$.answer.tokens')"
    >>> _field("answer.tokens::int", "postgresql")
    "(CAST(body AS jsonb) #>> '{answer,tokens}')::int"
    """
    path, _, kind = path.partition("::")
    if dialect == "sqlite":
        return f"json_extract(body, '$.{path}')"
    return f"(CAST(body AS jsonb) #>> '{{{path.replace('.', ',')}}}'){f'::{kind}' if kind else ''}"
