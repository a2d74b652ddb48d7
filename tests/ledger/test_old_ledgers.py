"""Ledgers of earlier versions are upgraded without loss. data/ holds one that 0.1.0 wrote, with its export."""

import json
import lzma
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from methodlens.errors import LedgerDamaged
from methodlens.ledger import run_rows
from methodlens.ledger.packing import checksum
from methodlens.ledger.store import Ledger
from methodlens.ledger.upkeep import check
from methodlens.records import Status
from methodlens.reports.formats.export_rows import export_object

DATA = Path(__file__).parent / "data"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(lzma.decompress((DATA / "ledger-0.1.0.sqlite.xz").read_bytes()))
    return path


def exported(ledger: Ledger) -> list[Any]:
    rows = run_rows.rows(ledger, run_rows.latest(ledger))
    return [json.loads(json.dumps(export_object(row))) for row in rows]


def lines_of_0_1_0() -> Iterator[Any]:
    for line in lzma.decompress((DATA / "export-0.1.0.jsonl.xz").read_bytes()).splitlines():
        yield json.loads(line)


def test_a_ledger_of_0_1_0_gives_the_same_export(old: Path) -> None:
    with Ledger.at(old.parent) as ledger:
        assert exported(ledger) == list(lines_of_0_1_0())
        assert list(check(ledger)) == []
        (annotation,) = ledger.annotations()
        assert (annotation.annotator, annotation.status, annotation.note) == ("ann", Status.NOT_REPORTED, "no GPU is named")
        assert len(list(ledger.calls())) == 3
    with Ledger.at(old.parent) as again:
        assert exported(again) == list(lines_of_0_1_0())


def test_the_first_schema_is_upgraded_too(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        ((run, body),) = connection.execute("SELECT run, body FROM runs").fetchall()
        names = [name for (name,) in connection.execute("SELECT paper FROM run_papers ORDER BY paper")]
        for table in ("annotations", "calls", "claims", "listings"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX run_papers_by_content")
        connection.execute("ALTER TABLE run_papers DROP COLUMN sha256")
        connection.execute("DELETE FROM schema_version WHERE version > 1")
        listed = zlib.compress(json.dumps({**json.loads(zlib.decompress(body)), "papers": names}).encode())
        connection.execute("UPDATE runs SET body = ?, checksum = ?", (listed, checksum(run, listed)))
    connection.close()
    with Ledger.at(old.parent) as ledger:
        assert exported(ledger) == list(lines_of_0_1_0())
        assert (list(ledger.annotations()), list(ledger.calls())) == ([], [])


def test_questions_are_decided_by_the_first_of_their_facts(old: Path) -> None:
    with Ledger.at(old.parent) as ledger:
        questions = run_rows.latest(ledger).questions
    assert {question.decided_by for question in questions if question.facts} == {
        question.facts[0] for question in questions if question.facts
    }


def test_what_was_damaged_before_the_upgrade_is_still_named_after_it(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE cells SET body = x'00' WHERE status = 'reported'")
    connection.close()
    with Ledger.at(old.parent) as ledger:
        assert {fault.table for fault in check(ledger)} == {"answers"}
        with pytest.raises(LedgerDamaged, match="cell"):
            exported(ledger)


def test_plain_sql_reads_papers_cells_facts_and_annotations(old: Path) -> None:
    Ledger.at(old.parent).close()
    with sqlite3.connect(old) as connection:
        query = connection.execute
        assert query("SELECT paper, status, pages FROM papers ORDER BY paper").fetchall()[1] == ("scanned.pdf", "no_text", 0)
        statuses = query("SELECT status, count(*) FROM cells GROUP BY status ORDER BY status").fetchall()
        assert statuses == [("not_reported", 1), ("reported", 2), ("unreadable", 3)]
        answers = dict(query("SELECT question, answer FROM cells WHERE paper = 'rented-cpu.pdf'").fetchall())
        assert answers == {row["question"]: row["answer"] for row in lines_of_0_1_0() if row["paper"] == "rented-cpu.pdf"}
        values = {(fact, name or value) for fact, value, name in query("SELECT fact, value, name FROM facts")}
        wanted = {
            (key, value["name"] if isinstance(value, dict) else value)
            for row in lines_of_0_1_0()
            for key, values in row["facts"].items()
            for value in (values if isinstance(values, list) else [values])
            if value is not None
        }
        assert values == wanted != set()
        assert query("SELECT annotator, status, note FROM annotations").fetchall() == [("ann", "not_reported", "no GPU is named")]
    connection.close()
