"""Ledgers of earlier versions are upgraded without loss. data/ holds one that 0.1.0 wrote, with its export."""

import json
import lzma
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from methodlens.ledger import run_rows
from methodlens.ledger.packing import checksum
from methodlens.ledger.store import Ledger
from methodlens.ledger.upkeep import check
from methodlens.records import Status
from methodlens.reports.formats.export_rows import export_object

DATA = Path(__file__).parent / "data"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_old_ledger(tmp_path)


def write_old_ledger(folder: Path) -> Path:
    path = folder / "ledger.sqlite"
    path.write_bytes(lzma.decompress((DATA / "ledger-0.1.0.sqlite.xz").read_bytes()))
    return path


def exported(ledger: Ledger) -> list[Any]:
    """Without the marks of own questions, `calibrated: false` and `answered_as`, which 0.1.0 did not know."""
    rows = run_rows.rows(ledger, run_rows.latest(ledger))
    objects = [json.loads(json.dumps(export_object(row))) for row in rows]
    return [{key: value for key, value in one.items() if key not in ("calibrated", "answered_as")} for one in objects]


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


def test_damage_before_the_upgrade_is_still_reported_after_it(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE cells SET body = x'00' WHERE status = 'reported'")
    connection.close()
    with Ledger.at(old.parent) as ledger:
        assert {fault.table for fault in check(ledger)} == {"answers"}
        assert [row["status"] for row in exported(ledger)].count("failed") == 2


def test_plain_sql_reads_papers_cells_facts_and_annotations(old: Path) -> None:
    Ledger.at(old.parent).close()
    with sqlite3.connect(old) as connection:
        check_views(lambda query: connection.execute(query).fetchall())
    connection.close()


def check_views(fetch: Callable[[str], list[Any]]) -> None:
    """The views of the ledger that 0.1.0 wrote, whatever database holds it."""
    papers = fetch("SELECT paper, status, pages, year FROM papers ORDER BY paper")
    assert papers[1] == ("scanned.pdf", "no_text", 0, None)
    statuses = fetch("SELECT status, count(*) FROM cells GROUP BY status ORDER BY status")
    assert statuses == [("not_reported", 1), ("reported", 2), ("unreadable", 3)]
    answers = dict(fetch("SELECT question, answer FROM cells WHERE paper = 'rented-cpu.pdf'"))
    assert answers == {row["question"]: row["answer"] for row in lines_of_0_1_0() if row["paper"] == "rented-cpu.pdf"}
    assert fetch("SELECT count(*) FROM cells WHERE p_reported > 0.5 AND seconds >= 0") == [(2,)]
    facts = {(fact, name or str(value)) for fact, value, name in fetch("SELECT fact, value, name FROM facts")}
    expected = {
        (key, value["name"] if isinstance(value, dict) else str(value))
        for row in lines_of_0_1_0()
        for key, values in row["facts"].items()
        for value in (values if isinstance(values, list) else [values])
        if value is not None
    }
    assert facts == expected != set()
    annotations = fetch("SELECT annotator, status, note FROM annotations WHERE NOT undo")
    assert annotations == [("ann", "not_reported", "no GPU is named")]
