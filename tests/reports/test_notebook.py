"""The notebook in docs/ runs on an export, and its figures are those of the rows."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from methodlens.records import Row, Source, SourceKind, Status
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.formats.parquet import Parquet
from tests.conftest import EXAMPLES

MakeRow = Callable[..., Row]
NOTEBOOK = EXAMPLES.parent / "docs" / "notebooks" / "figures.ipynb"


def run_notebook(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the cells define, run one after the other as Jupyter would."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    return names


def test_its_figures_are_those_of_the_rows(make_row: MakeRow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frameworks = {"frameworks": [{"name": "Pondflow", "version": None}]}
    person = Source(SourceKind.PERSON, ("ann",), "2026-05-04T10:00:00+00:00")
    rows = [
        *(make_row("moths.pdf", reader=reader) for reader in ("embedded", "chat:heron")),
        make_row("moths.pdf", reader="vote", votes={"embedded": Status.REPORTED, "chat:heron": Status.REPORTED}),
        replace(make_row("moths.pdf", reader="final", status=Status.NOT_REPORTED), final=person),
        *(make_row("moths.pdf", "CQ19", reader=reader, facts=frameworks) for reader in ("embedded", "chat:heron")),
        make_row("moths.pdf", "CQ19", reader="vote", votes={"embedded": Status.REPORTED}, facts=frameworks),
        make_row("newts.pdf", status=Status.NOT_REPORTED, facts={}),
        make_row("newts.pdf", reader="chat:heron", status=Status.REPORTED),
        make_row("newts.pdf", reader="vote", status=Status.WITHHELD, votes={"embedded": Status.NOT_REPORTED}, facts={}),
    ]
    rows = [replace(row, paper=replace(row.paper, year=2024)) for row in rows]
    Parquet().write(rows, tmp_path / "review" / "parquet")
    names = run_notebook(tmp_path, monkeypatch)

    deciding = [row for _, chosen in deciding_rows(rows) for row in chosen]
    counts = Counter(str(row.cell.verdict.status) for row in deciding)
    assert {status: count for status, count in names["totals"].items() if count} == counts
    assert dict(zip(names["sql_totals"]["status"], names["sql_totals"]["cells"], strict=True)) == counts
    assert names["by_question"].loc["CQ20"].to_dict() | {"percent reported": 0} == {
        **dict.fromkeys(names["statuses"], 0),
        "not_reported": 1,
        "withheld": 1,
        "percent reported": 0,
    }
    assert names["matrix"].loc["moths.pdf", "CQ19"] == "reported"
    assert names["by_year"].to_dict() == {2024: 50}
    assert names["most_frequent"]("frameworks").to_dict() == {"Pondflow": 1}
    assert names["agreement"].loc["embedded", "chat:heron"] == pytest.approx(2 / 3)
