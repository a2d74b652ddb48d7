"""Label files in every supported layout. Entries that cannot be used are listed, never a traceback."""

import json
import zipfile
from pathlib import Path

import pytest

from methodlens.errors import LabelsError
from methodlens.evaluation.labels import LabelSet, parse_labels, read_rows
from methodlens.evaluation.paper_catalog import PaperCatalog
from methodlens.evaluation.vocabulary import CategoryMapping, LabelWords, load_mapping
from methodlens.records import PaperEntry, Question, Status
from methodlens.settings import EvaluationSettings

PAPERS = [PaperEntry("barges.pdf", "a" * 64, doi="10.9/barge"), PaperEntry("old/moths.pdf", "b" * 64)]
QUESTIONS = [Question("CQ1", "Where?"), Question("CQ5", "Which data?"), Question("CQ10", "Which code?")]
CATALOG = PaperCatalog(PAPERS, QUESTIONS)
WORDS = LabelWords(EvaluationSettings())


def read(path: Path, text: str = "", *, mapping: CategoryMapping | None = None) -> LabelSet:
    if text:
        path.write_text(text, encoding="utf-8")
    return parse_labels(read_rows(path), CATALOG, WORDS, mapping=mapping)


def cells(labels: LabelSet) -> dict[tuple[str, str], Status]:
    return {(label.paper, label.question): label.status for label in labels.labels}


EXPECTED = {
    ("barges.pdf", "CQ1"): Status.REPORTED,
    ("barges.pdf", "CQ5"): Status.NOT_REPORTED,
    ("old/moths.pdf", "CQ1"): Status.NOT_REPORTED,
    ("old/moths.pdf", "CQ5"): Status.REPORTED,
}
WIDE = "paper,CQ1,CQ5,comment\nbarges,yes,no,fine\nmoths.pdf,N, Y ,hm\n"


def test_a_wide_table_has_one_row_per_paper(tmp_path: Path) -> None:
    result = read(tmp_path / "g.csv", WIDE)
    assert cells(result) == EXPECTED
    assert result.problems == ()


@pytest.mark.parametrize("mark", [";", "\t"])
def test_semicolons_and_tabs_are_accepted_as_delimiters(tmp_path: Path, mark: str) -> None:
    assert cells(read(tmp_path / "g.csv", "\ufeff" + WIDE.replace(",", mark))) == EXPECTED


def test_a_long_table_has_one_row_per_label(tmp_path: Path) -> None:
    text = (
        "Paper,Question,Label,Annotator\nbarges.pdf,1,1,ann\nBARGES,cq5,0,ann\n"
        "old/moths.pdf,CQ1,not reported,ann\nmoths,CQ 5,reported,ann\n"
    )
    result = read(tmp_path / "g.csv", text)
    assert cells(result) == EXPECTED
    assert {label.annotator for label in result.labels} == {"ann"}


def test_json_lines_can_mark_borderline_labels_and_name_the_paper_by_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "gold"
    folder.mkdir()
    lines = [{"cq": 1, "reported": True, "partial": False}, {"cq": 5, "reported": False, "partial": True}]
    (folder / "barges.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "moths.jsonl").write_text(json.dumps({"paper": "moths", "cq": 10, "reported": True}))
    (folder / "papers.csv").write_text("id,title\nbarges,On barges\n")
    result = read(folder)
    assert [(label.paper, label.question, label.firm) for label in result.labels] == [
        ("barges.pdf", "CQ1", True),
        ("barges.pdf", "CQ5", False),
        ("old/moths.pdf", "CQ10", True),
    ]


def test_the_first_sheet_of_a_workbook_is_read_with_its_row_numbers(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "g.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("labels")
        for row, values in enumerate([("paper", "CQ1", "CQ5", "CQ10"), ("barges", True, 0), ("moths", "no", 1, "maybe so")]):
            for column, value in enumerate(values):
                sheet.write(row + 2, column, value)  # two empty rows first
    result = read(path)
    assert cells(result) == EXPECTED
    assert [problem.where for problem in result.problems] == ["g.xlsx, line 5"]


def workbook(path: Path, *, sheet: bytes = b"", replacing: bytes = b"") -> Path:
    """A valid workbook in which, optionally, part of the sheet's XML is replaced."""
    import xlsxwriter

    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet().write_row(0, 0, ["paper", "CQ1"])
        book.worksheets()[0].write_row(1, 0, ["barges", "yes"])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, xml in parts.items():
            archive.writestr(name, xml.replace(replacing, sheet) if name.endswith("sheet1.xml") and replacing else xml)
    return path


@pytest.mark.parametrize("content", [b"", b"PK not really", b"plain text"])
def test_a_file_that_is_not_a_workbook_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "g.xlsx"
    path.write_bytes(content)
    with pytest.raises(LabelsError, match="not a readable workbook") as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("replacing", "sheet"),
    [
        (b'<c r="B2"', b'<c r="XFD1048576"'),  # would take 500 GB of memory
        (b'<c r="B2"', b'<c r="ZZZZZZZZZ99999999999999999999"'),
        (b"</sheetData>", b"</sheetDat"),
    ],
    ids=["far cell", "cell outside any sheet", "broken XML"],
)
def test_a_hostile_workbook_is_refused_in_one_line(tmp_path: Path, replacing: bytes, sheet: bytes) -> None:
    path = workbook(tmp_path / "g.xlsx", replacing=replacing, sheet=sheet)
    with pytest.raises(LabelsError, match="not a readable workbook") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_entities_in_a_workbook_are_not_expanded(tmp_path: Path) -> None:
    doctype = b'<!DOCTYPE x [<!ENTITY a "barges">]><worksheet'
    path = workbook(tmp_path / "g.xlsx", replacing=b"<worksheet", sheet=doctype)
    assert cells(read(path)) == {("barges.pdf", "CQ1"): Status.REPORTED}


def test_categories_are_mapped_to_questions(tmp_path: Path) -> None:
    text = "no,Article_name,Dataset,Source Code,Methods\nbarges,On barges,y,n,y\nmoths,On moths,n,y,n\n"
    result = read(tmp_path / "h.csv", text, mapping=load_mapping("study-categories"))
    assert cells(result)[("barges.pdf", "CQ5")] is Status.REPORTED
    assert cells(result)[("old/moths.pdf", "CQ10")] is Status.REPORTED
    assert [(problem.kind, "Methods" in problem.what) for problem in result.problems] == [("unmapped column", True)]


def test_a_doi_names_a_paper(tmp_path: Path) -> None:
    assert cells(read(tmp_path / "g.csv", "doi,CQ1\nhttps://doi.org/10.9/Barge,y\n")) == {("barges.pdf", "CQ1"): Status.REPORTED}


def test_unusable_entries_are_listed_with_their_line_and_the_rest_is_used(tmp_path: Path) -> None:
    text = (
        "paper,question,label,annotator\n"
        "barges,CQ1,yes,ann\n"
        "barges,CQ1,yes,ann\n"  # the same twice
        "barges,CQ5,yes,ann\n"
        "barges,CQ5,no,ann\n"  # and contradicting herself
        "moths,CQ1,perhaps so,ann\n"
        "moths,CQ99,yes,ann\n"
        "whales,CQ1,yes,ann\n"
        "whales,CQ5,no,ann\n"
        "moths,CQ5,,ann\n"
        "moths,CQ10,yes,bob\n"
    )
    result = read(tmp_path / "g.csv", text)
    assert cells(result) == {("barges.pdf", "CQ1"): Status.REPORTED, ("old/moths.pdf", "CQ10"): Status.REPORTED}
    listed = {problem.kind: (problem.what, problem.where) for problem in result.problems}
    assert set(listed) == {"duplicate", "contradiction", "odd label", "unknown question", "unknown paper"}
    assert "line 6" in listed["odd label"][1]
    assert "methodlens.toml" in listed["odd label"][0]
    assert "2 labels" in listed["unknown paper"][0]
    assert result.blank == 1
    assert len(result.outside) == 2


def test_a_name_that_matches_two_papers_is_reported_as_ambiguous(tmp_path: Path) -> None:
    catalog = PaperCatalog([PaperEntry("a/1.pdf", "c" * 64), PaperEntry("b/1.pdf", "d" * 64)], QUESTIONS)
    (tmp_path / "g.csv").write_text("paper,CQ1\n1,y\na/1,n\n")
    result = parse_labels(read_rows(tmp_path / "g.csv"), catalog, WORDS)
    assert [problem.kind for problem in result.problems] == ["ambiguous paper"]
    assert cells(result) == {("a/1.pdf", "CQ1"): Status.NOT_REPORTED}


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("g.csv", b"", "no rows"),
        ("g.csv", b"paper,CQ1\n", "no rows"),
        ("g.csv", b"title,CQ1\nx,y\n", "names the paper"),
        ("g.csv", b"paper,comment\nbarges,nice work\n", "neither the columns"),
        ("g.csv", b"paper,CQ1,CQ1\nbarges,y,n\n", "duplicate column"),
        ("g.csv", b"paper,CQ1\nbarges,y,n\n", "more values"),
        ("g.csv", b'paper,CQ1\n"barges"x,y\n', "line 2"),
        ("g.csv", b"paper,CQ1\nbarges,\xff\n", "UTF-8"),
        ("g.jsonl", b"{broken\n", "line 1"),
        ("g.jsonl", b"[1]\n", "not an object"),
        ("g.docx", b"x", "not a label table"),
    ],
)
def test_an_invalid_label_file_is_refused_in_one_line(tmp_path: Path, name: str, data: bytes, word: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(LabelsError, match=word):
        read(path)


def test_an_error_in_a_mapping_lists_the_built_in_ones(tmp_path: Path) -> None:
    (tmp_path / "empty.toml").write_text('name = "x"\n')
    (tmp_path / "broken.toml").write_text("[categories\n")
    (tmp_path / "odd.toml").write_text("colour = 1\n")
    with pytest.raises(LabelsError, match=r"no \[categories\]"):
        load_mapping(str(tmp_path / "empty.toml"))
    for name in ("broken.toml", "odd.toml", "missing.toml"):
        with pytest.raises(LabelsError, match="study-categories"):
            load_mapping(str(tmp_path / name))


def test_label_words_can_be_configured(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("paper,CQ1,CQ5\nbarges,JA,nein\n")
    result = parse_labels(read_rows(path), CATALOG, LabelWords(EvaluationSettings(yes=("ja",), no=("nein",))))
    assert list(cells(result).values()) == [Status.REPORTED, Status.NOT_REPORTED]
