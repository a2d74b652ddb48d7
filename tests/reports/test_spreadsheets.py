import csv
import io
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from python_calamine import CalamineWorkbook

from methodlens.errors import OutputError
from methodlens.records import PaperEntry, Question, Row, Source, SourceKind, Status
from methodlens.reports.formats.csv_tables import Csv, CsvTable, escape_formula
from methodlens.reports.formats.export_rows import COLUMNS
from methodlens.reports.formats.xlsx import write_workbook
from methodlens.text.printable import CUT, EXCEL_LIMIT

MakeRow = Callable[..., Row]

NS = {"x": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEETS = ("table", "verdicts", "answers", "facts", "papers", "dictionary")
READER = Source(SourceKind.READER, ("embedded",))
CONTROLS = {*map(chr, range(32)), *map(chr, range(127, 160))}


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def csv_text(*rows: Row, table: CsvTable = CsvTable.ANSWERS) -> str:
    return b"".join(Csv(table).stream(iter(rows))).decode("utf-8-sig")


def csv_lines(*rows: Row) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_text(*rows), newline=""), strict=True))


def xlsx_sheets(path: Path, *, linked: bool = False) -> dict[str, list[list[str]]]:
    """Each sheet's rows, with the assertion that there is nothing but strings and numbers."""
    sheets = {}
    with zipfile.ZipFile(path) as archive:
        book = ET.fromstring(archive.read("xl/workbook.xml"))
        names = [sheet.get("name", "") for sheet in book.iterfind(".//x:sheet", NS)]
        assert tuple(names[:6]) == SHEETS
        for number, name in enumerate(names, 1):
            tree = ET.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))
            assert tree.findall(".//x:f", NS) == []
            if not linked:
                assert tree.findall(".//x:hyperlinks", NS) == []
            assert {cell.get("t") for cell in tree.iterfind(".//x:c", NS)} <= {"inlineStr", None}
            sheets[name] = [[_shown(cell) for cell in row] for row in tree.iterfind(".//x:row", NS)]
        assert not any("externalLink" in name for name in archive.namelist())
    return sheets


def _shown(cell: "ET.Element[str]") -> str:
    return cell.findtext(".//x:t", "", NS) if cell.get("t") else cell.findtext("x:v", "", NS)


def test_csv_starts_with_a_byte_order_mark_for_excel(make_row: MakeRow) -> None:
    written = b"".join(Csv().stream([make_row(answer="30 µm, 山")]))
    assert written.startswith(b"\xef\xbb\xbf")
    assert "30 µm, 山" in written.decode("utf-8-sig")


def test_csv_has_one_line_per_cell(make_row: MakeRow) -> None:
    header, *lines = csv_lines(make_row(), make_row(status=Status.WITHHELD))
    assert tuple(header) == COLUMNS
    assert [line[COLUMNS.index("status")] for line in lines] == ["reported", "withheld"]


def test_no_csv_cell_starts_a_formula(hostile_row: Row) -> None:
    _, line = csv_lines(hostile_row)
    assert len(line) == len(COLUMNS)
    for cell in line:
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
        assert ";=" not in cell
        assert ';"=' not in cell
        assert not CONTROLS & set(cell)
        assert units(cell) <= EXCEL_LIMIT


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n="])
def test_an_apostrophe_marks_a_formula_as_text(start: str) -> None:
    assert escape_formula(f"{start}x").startswith("'")


def test_text_is_cut_before_excel_could_split_it() -> None:
    assert escape_formula("x" * EXCEL_LIMIT + "=1+1").endswith(CUT)


def test_every_xlsx_cell_is_a_text_or_a_number(hostile_row: Row, tmp_path: Path) -> None:
    path = tmp_path / "cells.xlsx"
    assert write_workbook(iter([hostile_row]), path).cells == 1
    for rows in xlsx_sheets(path).values():
        for cell in (cell for row in rows for cell in row):
            assert units(cell) <= EXCEL_LIMIT + 8  # "_x0041_" is written with its underscore escaped
            assert not (CONTROLS - {"\n", "\t"}) & set(cell)


def test_long_text_is_marked_as_cut(make_row: MakeRow, tmp_path: Path) -> None:
    write_workbook([make_row(answer="x" * 40_000)], tmp_path / "cells.xlsx")
    _, row = xlsx_sheets(tmp_path / "cells.xlsx")["answers"]
    answer = row[COLUMNS.index("answer")]
    assert len(answer) == EXCEL_LIMIT
    assert answer.endswith(CUT)


def test_the_workbook_has_verdicts_answers_facts_and_papers(make_row: MakeRow, tmp_path: Path) -> None:
    rows = [
        make_row("a.pdf", "CQ1"),
        make_row("a.pdf", "CQ2", status=Status.NOT_REPORTED, facts={}),
        make_row("b.pdf", "CQ2", facts={}),
    ]
    write_workbook(rows, tmp_path / "cells.xlsx")
    sheets = xlsx_sheets(tmp_path / "cells.xlsx")
    assert sheets["verdicts"] == [
        ["paper", "reader", "CQ1", "CQ2"],
        ["a.pdf", "embedded", "reported", "not_reported"],
        ["b.pdf", "embedded", "", "reported"],
    ]
    assert len(sheets["answers"]) == 4
    assert sheets["facts"][1:] == [["a.pdf", "CQ1", "embedded", "reported", "hardware", "Kestrel K9", '{"kind":"GPU","count":2}']]
    assert [row[0] for row in sheets["papers"]] == ["paper", "a.pdf", "b.pdf"]


def test_the_wide_table_has_a_line_per_paper_with_short_answers_and_facts(make_row: MakeRow, tmp_path: Path) -> None:
    rows = [
        make_row("a.pdf", "CQ20"),
        make_row("a.pdf", "CQ21", status=Status.NOT_REPORTED, facts={}),
        make_row("b.pdf", "CQ20", facts={}, answer="Two cards were used (p. 8). They were new."),
    ]
    questions = {"CQ20": Question("CQ20", "Which hardware?", "Hardware", facts=("hardware", "training_time_h", "ram_gb"))}
    rows = [msgspec.structs.replace(row, question=questions.get(row.question.id, row.question)) for row in rows]
    rows.append(msgspec.structs.replace(rows[0], cell=msgspec.structs.replace(rows[0].cell, reader="final"), final=READER))
    rows = sorted(rows, key=lambda row: (row.paper.name, row.question.id))
    write_workbook(rows, tmp_path / "cells.xlsx")
    sheets = xlsx_sheets(tmp_path / "cells.xlsx")
    header, first, second = sheets["table"]
    assert header[7:] == ["Hardware", "Hardware: hardware", rows[2].question.title or rows[2].question.text]
    assert first[7:] == ["Kestrel K9 (GPU, 2 of them)", "Kestrel K9", "not reported"]
    assert second[7:] == ["Two cards were used.", "", ""]
    assert [line[0] for line in sheets["dictionary"][1:]] == header
    lines = list(csv.reader(io.StringIO(csv_text(*rows, table=CsvTable.WIDE))))
    assert lines == [header, first, second]


def test_numbers_are_numbers_in_the_wide_table(make_row: MakeRow, tmp_path: Path) -> None:
    question = Question("CQ13", "Which hyperparameters?", "Hyperparameters", facts=("learning_rate", "epochs"))
    one = msgspec.structs.replace(make_row("a.pdf", facts={"learning_rate": 0.001, "epochs": [50, 80]}), question=question)
    one = msgspec.structs.replace(one, paper=msgspec.structs.replace(one.paper, year=2024))
    write_workbook([one], tmp_path / "cells.xlsx")
    _, line = CalamineWorkbook.from_path(tmp_path / "cells.xlsx").get_sheet_by_name("table").to_python()
    assert (line[3], line[8:]) == (2024, [0.001, "50; 80"])


def test_a_run_without_rows_has_a_workbook(tmp_path: Path) -> None:
    assert write_workbook([], tmp_path / "cells.xlsx").cells == 0
    assert xlsx_sheets(tmp_path / "cells.xlsx")["answers"] == [list(COLUMNS)]


def test_a_failure_keeps_the_old_workbook_and_leaves_no_temporary_files(make_row: MakeRow, tmp_path: Path) -> None:
    path = tmp_path / "cells.xlsx"
    path.write_bytes(b"old")

    def rows() -> Iterator[Row]:
        yield make_row()
        raise OutputError("the ledger went away")

    with pytest.raises(OutputError, match="went away"):
        write_workbook(rows(), path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["cells.xlsx"]


def test_a_folder_with_the_name_of_the_workbook_is_a_clear_error(make_row: MakeRow, tmp_path: Path) -> None:
    (tmp_path / "cells.xlsx").mkdir()
    with pytest.raises(OutputError, match="choose another path"):
        write_workbook([make_row()], tmp_path / "cells.xlsx")


def test_the_workbook_links_only_to_the_report_in_its_folder(hostile_row: Row, tmp_path: Path) -> None:
    write_workbook(iter([hostile_row]), tmp_path / "cells.xlsx", report=lambda key: "report.html")
    xlsx_sheets(tmp_path / "cells.xlsx", linked=True)
    with zipfile.ZipFile(tmp_path / "cells.xlsx") as archive:
        targets = [
            link.get("Target")
            for name in archive.namelist()
            if name.endswith(".rels") and "worksheets" in name
            for link in ET.fromstring(archive.read(name))
        ]
    assert targets
    assert all(target == "report.html" for target in targets)


def test_a_verdict_links_to_its_cell_in_the_report(make_row: MakeRow, tmp_path: Path) -> None:
    write_workbook([make_row()], tmp_path / "cells.xlsx", report=lambda key: "report.html")
    with zipfile.ZipFile(tmp_path / "cells.xlsx") as archive:
        tree = ET.fromstring(archive.read("xl/worksheets/sheet2.xml"))
    links = {link.get("ref"): link.get("location") for link in tree.iterfind(".//x:hyperlink", NS)}
    assert links == {"A2": "paper:" + "ab" * 5, "C2": "paper:" + "ab" * 5 + ":CQ20"}


def many(make_row: MakeRow, papers: int) -> list[Row]:
    return [make_row(f"{paper}.pdf", f"CQ{question}") for paper in range(papers) for question in (1, 2)]


def test_a_full_sheet_continues_on_the_next(make_row: MakeRow, tmp_path: Path) -> None:
    done = write_workbook(many(make_row, 5), tmp_path / "cells.xlsx", most_rows=4)
    sheets = xlsx_sheets(tmp_path / "cells.xlsx")
    assert all(len(rows) <= 4 for name, rows in sheets.items() if name != "dictionary")
    answers = [rows for name, rows in sheets.items() if name.startswith("answers")]
    assert all(rows[0] == list(COLUMNS) for rows in answers)
    assert [(row[0], row[2]) for rows in answers for row in rows[1:]] == [
        (f"{n}.pdf", f"CQ{q}") for n in range(5) for q in (1, 2)
    ]
    assert done.cells == 10
    assert done.note == (
        "A sheet holds 4 rows: verdicts continue on verdicts 2, table continue on table 2, answers continue on answers 2 to "
        "answers 4, facts continue on facts 2 to facts 4, papers continue on papers 2."
    )
    assert sheets["verdicts"][:2] == [[done.note], ["paper", "reader", "CQ1", "CQ2"]]
    assert [row[0] for row in sheets["verdicts"][2:] + sheets["verdicts 2"][1:]] == [f"{n}.pdf" for n in range(5)]


@pytest.mark.parametrize("papers", range(9))
def test_the_note_names_all_further_sheets(make_row: MakeRow, tmp_path: Path, papers: int) -> None:
    note = write_workbook(many(make_row, papers), tmp_path / "cells.xlsx", most_rows=6).note
    more = {name for name in xlsx_sheets(tmp_path / "cells.xlsx") if name not in SHEETS}
    assert bool(note) == bool(more) == (papers > 2)
    assert ("verdicts 2" in note) == ("verdicts 2" in more) == (papers > 4)
    for name in more:
        assert f"{name.split()[0]} continue on {name.split()[0]} 2" in note


def test_a_verdict_links_to_the_part_of_the_report_that_holds_its_paper(make_row: MakeRow, tmp_path: Path) -> None:
    rows = [make_row("a.pdf"), msgspec.structs.replace(make_row("b.pdf"), paper=PaperEntry("b.pdf", "cd" * 32))]
    files = {"ab" * 5: "report.html", "cd" * 5: "report-2.html"}
    write_workbook(rows, tmp_path / "cells.xlsx", report=files.__getitem__)
    with zipfile.ZipFile(tmp_path / "cells.xlsx") as archive:
        related = ET.fromstring(archive.read("xl/worksheets/_rels/sheet2.xml.rels"))
        links = ET.fromstring(archive.read("xl/worksheets/sheet2.xml")).iterfind(".//x:hyperlink", NS)
        target = {link.get("Id"): link.get("Target") for link in related}
        found = {link.get("ref"): (target[link.get(f"{{{RELATED}}}id")], link.get("location")) for link in links}
    assert found["A2"] == ("report.html", "paper:" + "ab" * 5)
    assert found["C3"] == ("report-2.html", "paper:" + "cd" * 5 + ":CQ20")


def test_csv_has_a_table_of_facts_and_one_of_verdicts(make_row: MakeRow) -> None:
    rows = [make_row(), make_row(question="CQ21", status=Status.WITHHELD, facts={})]
    assert csv_text(*rows, table=CsvTable.FACTS).splitlines()[1:] == [
        '"moths.pdf","CQ20","embedded","reported","hardware","Kestrel K9","{""kind"":""GPU"",""count"":2}"'
    ]
    assert csv_text(*rows, table=CsvTable.VERDICTS).splitlines() == [
        '"paper","reader","CQ20","CQ21"',
        '"moths.pdf","embedded","reported","withheld"',
    ]


@pytest.mark.parametrize("table", CsvTable)
def test_no_cell_of_any_csv_table_starts_a_formula(hostile_row: Row, table: CsvTable) -> None:
    for line in csv.reader(io.StringIO(csv_text(hostile_row, table=table), newline=""), strict=True):
        for cell in line:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
            assert not CONTROLS & set(cell)
