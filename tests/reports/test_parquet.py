"""Parquet files hold what the JSONL export holds, in columns of one type each."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

pytest.importorskip("pyarrow")
from pyarrow import parquet

from methodlens.errors import InputError
from methodlens.records import Row, Source, SourceKind, Status, Usage
from methodlens.reports.formats import parquet as parquet_format
from methodlens.reports.formats.export_rows import export_object, fact_objects, paper_object
from methodlens.reports.formats.parquet import COLUMNS, Parquet

MakeRow = Callable[..., Row]
FACTS = {"epochs": 90, "seeds": [1, 2], "hardware": [{"name": "Kestrel K9", "count": 2}], "loss": "hinge", "shuffled": True}


@pytest.fixture
def rows(make_row: MakeRow) -> list[Row]:
    row = make_row(facts=FACTS)
    full = replace(row.cell.answer, usage=Usage(1, 2), speculation="perhaps", fact_confidence={"epochs": {"90": 0.8}})
    return [
        replace(row, cell=replace(row.cell, answer=full), question=replace(row.question, like="CQ20")),
        make_row(reader="vote", votes={"embedded": Status.REPORTED}),
        replace(make_row(reader="final"), final=Source(SourceKind.PERSON, ("ann",), "2026-05-04T10:00:00+00:00")),
        make_row("newts.pdf", status=Status.WITHHELD),
    ]


def test_cells_equal_the_json_lines(rows: list[Row], tmp_path: Path) -> None:
    exported = Parquet().write(rows, tmp_path)
    assert exported.lines == f"4 cells, {sum(len(list(fact_objects(row))) for row in rows)} facts and 2 papers"
    for stored, row in zip(parquet.read_table(tmp_path / "cells.parquet").to_pylist(), rows, strict=True):
        original = export_object(row)
        for name, value in stored.items():
            is_json = isinstance(original.get(name), dict | list)
            assert (json.loads(value) if is_json else value) == original.get(name), name


def test_facts_have_a_text_and_a_number(rows: list[Row], tmp_path: Path) -> None:
    Parquet().write(rows[:1], tmp_path)
    facts = parquet.read_table(tmp_path / "facts.parquet").to_pylist()
    assert [(fact["fact"], fact["value"], fact["number"]) for fact in facts] == [
        ("epochs", "90", 90.0),
        ("seeds", "1", 1.0),
        ("seeds", "2", 2.0),
        ("hardware", "Kestrel K9", None),
        ("loss", "hinge", None),
        ("shuffled", "true", None),
    ]
    assert json.loads(facts[3]["details"]) == {"count": 2}


def test_every_column_of_the_export_is_stored(rows: list[Row]) -> None:
    assert {name for row in rows for name in export_object(row)} <= set(COLUMNS["cells"])
    assert {name for row in rows for fact in fact_objects(row) for name in fact} == set(COLUMNS["facts"])
    assert set(paper_object(rows[0].paper)) == set(COLUMNS["papers"])


def test_each_paper_is_stored_once(rows: list[Row], tmp_path: Path) -> None:
    Parquet().write(rows, tmp_path)
    assert parquet.read_table(tmp_path / "papers.parquet")["name"].to_pylist() == ["moths.pdf", "newts.pdf"]


def test_rows_are_written_in_batches(rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_format, "_BATCH", 2)
    Parquet().write(rows[:3], tmp_path)
    stored = parquet.ParquetFile(tmp_path / "cells.parquet")
    assert (stored.num_row_groups, stored.metadata.num_rows) == (2, 3)


def test_hostile_text_is_stored(hostile_row: Row, tmp_path: Path) -> None:
    assert Parquet().write([hostile_row], tmp_path).cells == 1
    (stored,) = parquet.read_table(tmp_path / "cells.parquet").to_pylist()
    assert stored["answer"] == hostile_row.cell.answer.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def test_duckdb_reads_the_files(rows: list[Row], tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    Parquet().write(rows, tmp_path)
    query = f"SELECT reader, avg(p_reported) FROM '{tmp_path}/cells.parquet' WHERE reported GROUP BY reader ORDER BY reader"
    assert duckdb.sql(query).fetchall() == [("embedded", 0.97), ("final", 0.97), ("vote", 0.97)]


def test_without_the_extra_the_error_names_it(rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_format, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"methodlens\[frames\]"):
        Parquet().write(rows, tmp_path)
