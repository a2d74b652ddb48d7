"""Labels in any of the shapes people keep them in; and what cannot be used is listed, never a traceback."""

import json
import zipfile
from pathlib import Path

import pytest

from methodlens.errors import LabelsError
from methodlens.evaluation.gold import Gold, read_gold
from methodlens.evaluation.known import Known
from methodlens.evaluation.labels import LabelWords
from methodlens.evaluation.mapping import CategoryMapping, load_mapping
from methodlens.records import PaperEntry, Question, Status
from methodlens.settings import EvaluationSettings

PAPERS = [PaperEntry("barges.pdf", "a" * 64, doi="10.9/barge"), PaperEntry("old/moths.pdf", "b" * 64)]
QUESTIONS = [Question("CQ1", "Where?"), Question("CQ5", "Which data?"), Question("CQ10", "Which code?")]
KNOWN = Known(PAPERS, QUESTIONS)
WORDS = LabelWords(EvaluationSettings())


def read(path: Path, text: str = "", *, mapping: CategoryMapping | None = None) -> Gold:
    if text:
        path.write_text(text, encoding="utf-8")
    return read_gold(path, KNOWN, WORDS, mapping=mapping)


def cells(gold: Gold) -> dict[tuple[str, str], Status]:
    return {(label.paper, label.question): label.status for label in gold.labels}


EXPECTED = {
    ("barges.pdf", "CQ1"): Status.REPORTED,
    ("barges.pdf", "CQ5"): Status.NOT_REPORTED,
    ("old/moths.pdf", "CQ1"): Status.NOT_REPORTED,
    ("old/moths.pdf", "CQ5"): Status.REPORTED,
}
WIDE = "paper,CQ1,CQ5,comment\nbarges,yes,no,fine\nmoths.pdf,N, Y ,hm\n"


def test_a_wide_table_has_a_row_a_paper(tmp_path: Path) -> None:
    found = read(tmp_path / "g.csv", WIDE)
    assert cells(found) == EXPECTED
    assert found.problems == ()


@pytest.mark.parametrize("mark", [";", "\t"])
def test_semicolons_and_tabs_part_columns_too(tmp_path: Path, mark: str) -> None:
    assert cells(read(tmp_path / "g.csv", "\ufeff" + WIDE.replace(",", mark))) == EXPECTED


def test_a_long_table_has_a_row_a_label(tmp_path: Path) -> None:
    text = (
        "Paper,Question,Label,Annotator\nbarges.pdf,1,1,ann\nBARGES,cq5,0,ann\n"
        "old/moths.pdf,CQ1,not reported,ann\nmoths,CQ 5,reported,ann\n"
    )
    found = read(tmp_path / "g.csv", text)
    assert cells(found) == EXPECTED
    assert {label.annotator for label in found.labels} == {"ann"}


def test_json_lines_say_what_is_borderline_and_may_leave_the_paper_to_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "gold"
    folder.mkdir()
    lines = [{"cq": 1, "reported": True, "partial": False}, {"cq": 5, "reported": False, "partial": True}]
    (folder / "barges.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "moths.jsonl").write_text(json.dumps({"paper": "moths", "cq": 10, "reported": True}))
    (folder / "papers.csv").write_text("id,title\nbarges,On barges\n")
    found = read(folder)
    assert [(label.paper, label.question, label.firm) for label in found.labels] == [
        ("barges.pdf", "CQ1", True),
        ("barges.pdf", "CQ5", False),
        ("old/moths.pdf", "CQ10", True),
    ]


def test_a_workbook_is_read_without_a_library(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "g.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("labels")
        for row, values in enumerate([("paper", "CQ1", "CQ5"), ("barges", True, 0), ("moths", "no", 1)]):
            for column, value in enumerate(values):
                sheet.write(row + 2, column, value)  # two empty rows first
    assert cells(read(path)) == EXPECTED


@pytest.mark.parametrize("part", ["not a zip", "empty", "doctype", "far"])
def test_a_workbook_that_is_none_is_refused_in_one_line(tmp_path: Path, part: str) -> None:
    path = tmp_path / "g.xlsx"
    if part == "not a zip":
        path.write_bytes(b"PK not really")
    else:
        with zipfile.ZipFile(path, "w") as archive:
            main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
            rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
            if part != "empty":
                head = '<!DOCTYPE x [<!ENTITY a "b">]>' if part == "doctype" else ""
                archive.writestr(
                    "xl/workbook.xml",
                    f'{head}<workbook xmlns="{main}" xmlns:r="{rel}"><sheets><sheet r:id="r1"/></sheets></workbook>',
                )
                archive.writestr("xl/_rels/workbook.xml.rels", '<R><L Id="r1" Target="s.xml"/></R>')
                archive.writestr("xl/s.xml", f'<s xmlns="{main}"><row r="1"><c r="ZZZZ1"><v>1</v></c></row></s>')
    with pytest.raises(LabelsError, match="no workbook we can read"):
        read(path)


def test_categories_are_mapped_to_questions(tmp_path: Path) -> None:
    text = "no,Article_name,Dataset,Source Code,Methods\nbarges,On barges,y,n,y\nmoths,On moths,n,y,n\n"
    found = read(tmp_path / "h.csv", text, mapping=load_mapping("study-categories"))
    assert cells(found)[("barges.pdf", "CQ5")] is Status.REPORTED
    assert cells(found)[("old/moths.pdf", "CQ10")] is Status.REPORTED
    assert [(problem.kind, "Methods" in problem.what) for problem in found.problems] == [("column left out", True)]


def test_a_doi_names_a_paper(tmp_path: Path) -> None:
    assert cells(read(tmp_path / "g.csv", "doi,CQ1\nhttps://doi.org/10.9/Barge,y\n")) == {("barges.pdf", "CQ1"): Status.REPORTED}


def test_everything_odd_is_listed_with_its_line_and_the_rest_is_used(tmp_path: Path) -> None:
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
    found = read(tmp_path / "g.csv", text)
    assert cells(found) == {("barges.pdf", "CQ1"): Status.REPORTED, ("old/moths.pdf", "CQ10"): Status.REPORTED}
    listed = {problem.kind: (problem.what, problem.where) for problem in found.problems}
    assert set(listed) == {"duplicate", "contradiction", "odd label", "unknown question", "unknown paper"}
    assert "line 6" in listed["odd label"][1]
    assert "methodlens.toml" in listed["odd label"][0]
    assert "2 labels" in listed["unknown paper"][0]
    assert found.blank == 1
    assert len(found.outside) == 2


def test_a_name_that_fits_two_papers_is_not_guessed(tmp_path: Path) -> None:
    known = Known([PaperEntry("a/1.pdf", "c" * 64), PaperEntry("b/1.pdf", "d" * 64)], QUESTIONS)
    (tmp_path / "g.csv").write_text("paper,CQ1\n1,y\na/1,n\n")
    found = read_gold(tmp_path / "g.csv", known, WORDS)
    assert [problem.kind for problem in found.problems] == ["ambiguous paper"]
    assert cells(found) == {("a/1.pdf", "CQ1"): Status.NOT_REPORTED}


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("g.csv", b"", "no rows"),
        ("g.csv", b"paper,CQ1\n", "no rows"),
        ("g.csv", b"title,CQ1\nx,y\n", "names the paper"),
        ("g.csv", b"paper,comment\nbarges,nice work\n", "neither the columns"),
        ("g.csv", b"paper,CQ1,CQ1\nbarges,y,n\n", "stands twice"),
        ("g.csv", b"paper,CQ1\nbarges,y,n\n", "more values"),
        ("g.csv", b'paper,CQ1\n"barges"x,y\n', "line 2"),
        ("g.csv", b"paper,CQ1\nbarges,\xff\n", "UTF-8"),
        ("g.jsonl", b"{broken\n", "line 1"),
        ("g.jsonl", b"[1]\n", "not an object"),
        ("g.docx", b"x", "no table"),
    ],
)
def test_a_file_that_is_no_table_of_labels_is_refused_in_one_line(tmp_path: Path, name: str, data: bytes, word: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(LabelsError, match=word):
        read(path)


def test_a_mapping_that_cannot_be_used_names_the_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "empty.toml").write_text('name = "x"\n')
    (tmp_path / "broken.toml").write_text("[categories\n")
    (tmp_path / "odd.toml").write_text("colour = 1\n")
    with pytest.raises(LabelsError, match=r"no \[categories\]"):
        load_mapping(str(tmp_path / "empty.toml"))
    for name in ("broken.toml", "odd.toml", "missing.toml"):
        with pytest.raises(LabelsError, match="study-categories"):
            load_mapping(str(tmp_path / name))


def test_label_words_are_settings(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("paper,CQ1,CQ5\nbarges,JA,nein\n")
    found = read_gold(path, KNOWN, LabelWords(EvaluationSettings(yes=("ja",), no=("nein",))))
    assert list(cells(found).values()) == [Status.REPORTED, Status.NOT_REPORTED]
