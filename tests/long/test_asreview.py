"""What we export for screening tools, as ASReview loads it. Runs where asreview is installed."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.records import Row, Status
from methodlens.reports.formats.csv_tables import Csv, CsvTable
from methodlens.reports.formats.export_format import Format
from methodlens.reports.formats.references import Ris
from tests.reports.conftest import MakeRow, make_row

pytestmark = pytest.mark.long
__all__ = ["make_row"]


@pytest.mark.parametrize("export_format", [Ris(), Csv(CsvTable.PAPERS)], ids=["ris", "csv"])
def test_no_title_doi_or_label_is_lost(export_format: Format, make_row: MakeRow, tmp_path: Path) -> None:
    loader = pytest.importorskip("asreview.data.loader")

    def rows(number: int) -> list[Row]:
        asked = [make_row(f"{number}.pdf", question, title=f"Moths: part {number}, α & β") for question in ("CQ1", "CQ2")]
        asked[1] = replace(asked[1], cell=replace(asked[1].cell, verdict=replace(asked[1].cell.verdict, status=Status.WITHHELD)))
        return [replace(row, paper=replace(row.paper, doi=f"10.5555/moths.{number}", year=2020 + number)) for row in asked]

    path = tmp_path / f"review{export_format.suffix}"
    export_format.write([row for number in range(3) for row in rows(number)], path)
    records = loader.load_records(str(path), "review")
    assert [(record.title, record.doi, record.year) for record in records] == [
        (f"Moths: part {number}, α & β", f"10.5555/moths.{number}", 2020 + number) for number in range(3)
    ]
    assert all(record.keywords == ["CQ1 Hardware: reported", "CQ2 Hardware: withheld"] for record in records)
