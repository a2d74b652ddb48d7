"""What the code says is exported and shown apart from what the paper reports."""

from pathlib import Path

from msgspec.structs import replace

from methodlens.code.comparison import code_cell
from methodlens.records import Row
from methodlens.records.code import Check, CheckItem, Finding, Repository, RepositoryStatus, Topic
from methodlens.reports.formats.csv_tables import Csv, CsvTable
from methodlens.reports.formats.export_rows import COLUMNS, export_object, table_cells
from methodlens.reports.formats.xlsx import write_workbook
from methodlens.reports.html.report_template import ReportDetails
from methodlens.reports.html.report_writer import report_writer
from tests.reports.conftest import MakeRow
from tests.reports.parsed_page import ParsedPage
from tests.reports.test_spreadsheets import xlsx_sheets

SEED = Finding(Topic.SEED, "src/train.py", 12, "torch.manual_seed(7)", "seeds", 7)
REPOSITORY = Repository(
    "clones/moths",
    "code-r1",
    commit="4f2a91c0d3" * 4,
    date="2023-05-31T10:00:00+00:00",
    files=3,
    findings=(SEED,),
    checks=(Check(CheckItem.SEEDS, True, (SEED,)), Check(CheckItem.TESTS, False)),
)


def row_with_code(make_row: MakeRow, repository: Repository = REPOSITORY, paper: str = "moths.pdf") -> Row:
    row = make_row(paper, facts={"seeds": [42]})
    row = replace(row, question=replace(row.question, facts=("seeds",)))
    return replace(row, code=code_cell(repository, row.question, row.cell))


def test_an_export_has_code_only_where_a_paper_has_a_repository(make_row: MakeRow) -> None:
    with_code, without = export_object(row_with_code(make_row)), export_object(make_row(facts={"seeds": [42]}))
    code = with_code.pop("code")
    assert with_code == without
    assert (code["repository"], code["commit"]) == ("clones/moths", "4f2a91c0d3" * 4)
    assert code["findings"] == [
        {"topic": "seed", "file": "src/train.py", "line": 12, "quote": "torch.manual_seed(7)", "fact": "seeds", "value": 7}
    ]
    (compared,) = code["comparison"]
    assert (compared["outcome"], compared["paper"], compared["code"][0]["value"]) == ("differs", [42], 7)


def test_a_table_has_the_sentences_in_a_column_of_its_own(make_row: MakeRow) -> None:
    cells = dict(zip(COLUMNS, table_cells(row_with_code(make_row)), strict=True))
    assert cells["in_code"].startswith("differs: Seeds: the paper says 42; src/train.py:12 says 7")
    broken = Repository("gone", "r", RepositoryStatus.MISSING, "check the path")
    cells = dict(zip(COLUMNS, table_cells(row_with_code(make_row, broken)), strict=True))
    assert cells["in_code"] == "code not read: missing: check the path"


def test_the_checklist_has_one_line_per_repository(make_row: MakeRow, tmp_path: Path) -> None:
    rows = [row_with_code(make_row), make_row("newts.pdf")]
    header, line = b"".join(Csv(CsvTable.CODE).stream(rows)).decode("utf-8-sig").splitlines()
    values = dict(zip(header.replace('"', "").split(","), line.replace('"', "").split(","), strict=True))
    assert (values["paper"], values["seeds"], values["tests"], values["licence"]) == ("moths.pdf", "yes", "no", "")
    write_workbook(rows, tmp_path / "cells.xlsx")
    assert [row[0] for row in xlsx_sheets(tmp_path / "cells.xlsx")["code"]] == ["paper", "moths.pdf"]


def test_the_report_shows_code_with_the_paper_and_its_cells_and_counts_the_checklist(make_row: MakeRow, tmp_path: Path) -> None:
    with report_writer(tmp_path / "r.html") as writer:
        for row in (row_with_code(make_row), make_row("newts.pdf")):
            writer.add(row)
        writer.end()
        writer.finish(ReportDetails("What papers report", "1"))
    page = ParsedPage((tmp_path / "r.html").read_text(encoding="utf-8"))
    first, second = (value for key, value in page.data.items() if key.startswith("paper-"))
    assert first["code"]["repository"]["name"] == "clones/moths at 4f2a91c0d3, 2023-05-31"
    assert first["code"]["repository"]["checks"] == [["seeds", True, ["src/train.py:12"]], ["tests", False, []]]
    assert [outcome for outcome, _ in first["code"]["cells"]["CQ20"]["comparison"]] == ["differs"]
    assert "code" not in second
    assert "1 of 2 papers has a repository" in page.text
