"""What a supplement says is exported and shown apart from what its paper reports, with the name of its file."""

from pathlib import Path

from msgspec.structs import replace

from methodlens.records import PaperStatus, Row, Status, SupplementCell
from methodlens.reports.formats.export_rows import COLUMNS, export_object, table_cells
from methodlens.reports.html.report_template import ReportDetails
from methodlens.reports.html.report_writer import report_writer
from tests.reports.conftest import MakeRow
from tests.reports.parsed_page import ParsedPage

FILE = "moths-supplement.pdf"


def with_supplement(make_row: MakeRow, *, status: Status = Status.REPORTED, file_status: PaperStatus = PaperStatus.OK) -> Row:
    cell = make_row(status=status).cell if file_status is PaperStatus.OK else None
    reason = "" if cell else "it is encrypted"
    return replace(
        make_row(status=Status.NOT_REPORTED), supplements=(SupplementCell(FILE, "cd" * 32, file_status, reason, 9, cell),)
    )


def in_table(row: Row) -> str:
    return dict(zip(COLUMNS, table_cells(row), strict=True))["in_supplement"]


def test_an_export_has_a_supplement_only_where_a_paper_has_one(make_row: MakeRow) -> None:
    exported, without = export_object(with_supplement(make_row)), export_object(make_row(status=Status.NOT_REPORTED))
    (supplement,) = exported.pop("supplement")
    assert exported == without
    assert (supplement["file"], supplement["status"], supplement["answer"]) == (FILE, "reported", "Two Kestrel K9 cards.")
    assert supplement["evidence"][0]["places"][0]["page"] == 8
    (unread,) = export_object(with_supplement(make_row, file_status=PaperStatus.ENCRYPTED))["supplement"]
    assert (unread["status"], unread["reason"], unread["evidence"]) == ("unreadable", "encrypted: it is encrypted", [])


def test_a_table_has_the_quotes_with_file_and_page_in_a_column_of_its_own(make_row: MakeRow) -> None:
    assert in_table(with_supplement(make_row)) == f"“Training ran on two Kestrel K9 cards for six hours.” ({FILE}, p. 8)"
    assert in_table(with_supplement(make_row, status=Status.NOT_REPORTED)) == f"{FILE}: not reported"
    assert (
        in_table(with_supplement(make_row, file_status=PaperStatus.ENCRYPTED)) == f"{FILE} not read: encrypted: it is encrypted"
    )
    assert in_table(make_row()) == ""


def test_the_report_shows_supplements_with_their_paper_and_counts_no_further_paper(make_row: MakeRow, tmp_path: Path) -> None:
    with report_writer(tmp_path / "r.html") as writer:
        for row in (with_supplement(make_row), make_row("newts.pdf")):
            writer.add(row)
        writer.end()
        writer.finish(ReportDetails("What papers report", "1"))
    page = ParsedPage((tmp_path / "r.html").read_text(encoding="utf-8"))
    first, second = (value for key, value in page.data.items() if key.startswith("paper-"))
    assert first["supplements"]["files"] == [[FILE, 9, ""]]
    (cell,) = first["supplements"]["cells"]["CQ20"]
    assert (cell["file"], cell["status"], cell["quotes"][0][1]) == (FILE, "r", "p. 8")
    assert "supplements" not in second
    assert [paper["name"] for paper in page.data["overview"]["papers"]] == ["moths.pdf", "newts.pdf"]
