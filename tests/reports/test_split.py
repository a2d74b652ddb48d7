"""Split reports: each file is complete for its papers, links to the others, and has the figures of the whole run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.errors import OutputError
from methodlens.records import PaperStatus, Row, Status, Verdict
from methodlens.reports.html.report_split import ReportSplit, file_of_paper, part_path, part_ranges
from methodlens.reports.html.report_template import ReportDetails
from methodlens.reports.html.report_writer import report_writer
from tests.reports.parsed_page import ParsedPage
from tests.reports.test_report import ATTRIBUTES, TAGS, other_file

MakeRow = Callable[..., Row]


def paper(make_row: MakeRow, number: int, **about: object) -> list[Row]:
    """Two questions; the first is reported by papers of even numbers."""
    status = Status.NOT_REPORTED if number % 2 else Status.REPORTED
    rows = [make_row(f"{number}.pdf", "CQ1", status=status, **about), make_row(f"{number}.pdf", "CQ2", **about)]
    return [other_file(row, f"{number:02}" * 32) for row in rows]


def split(path: Path, rows: Sequence[Row], *, papers_per_file: int = 2) -> list[Path]:
    with report_writer(path, papers_per_file=papers_per_file) as out:
        for row in rows:
            out.add(row)
        out.end()
        return list(out.finish(ReportDetails(f"What {out.totals.papers} papers report", "1.0")))


def seen(file: Path) -> ParsedPage:
    return ParsedPage(file.read_text(encoding="utf-8"))


@pytest.fixture
def five(make_row: MakeRow) -> list[Row]:
    return [row for number in range(5) for row in paper(make_row, number)]


def test_every_part_is_complete_for_its_papers(five: list[Row], tmp_path: Path) -> None:
    files = split(tmp_path / "report.html", five)
    assert [file.name for file in files] == ["report.html", "report-2.html", "report-3.html"]
    parts = [seen(file) for file in files]
    names = [[one["name"] for one in part.data["overview"]["papers"]] for part in parts]
    assert names == [["0.pdf", "1.pdf"], ["2.pdf", "3.pdf"], ["4.pdf"]]
    for part in parts:
        keys = [one["key"] for one in part.data["overview"]["papers"]]
        assert [name for name in part.data if name.startswith("paper-")] == [f"paper-{key}" for key in keys]
        assert part.data["overview"]["verdicts"]["embedded"] == ["rr", "nr"][: len(keys)]
        assert part.data["overview"]["facts"]["CQ2"][0]["values"] == [["Kestrel K9", list(range(len(keys)))]]


def test_every_part_says_that_the_report_is_split_and_links_to_the_others(five: list[Row], tmp_path: Path) -> None:
    files = split(tmp_path / "report.html", five)
    (stamp,) = {seen(file).data["overview"]["split"]["stamp"] for file in files}
    for number, file in enumerate(files, 1):
        part = seen(file)
        text = " ".join(part.text.split())
        assert f"Part {number} of 3: papers {[1, 3, 5][number - 1]} to {[2, 4, 5][number - 1]} of 5" in text
        assert "this report is split into 3 files of at most 2 papers" in text
        assert {f"{other.name}?of={stamp}" for other in files} <= part.links


def test_every_part_has_the_figures_of_the_whole_run(make_row: MakeRow, five: list[Row], tmp_path: Path) -> None:
    unread = paper(make_row, 9, paper_status=PaperStatus.ENCRYPTED, paper_reason="save it without a password")
    verdict = replace(unread[0].cell, verdict=Verdict(Status.UNREADABLE))
    for number, file in enumerate(split(tmp_path / "report.html", [*five, *(replace(row, cell=verdict) for row in unread[:1])])):
        part = seen(file)
        text = " ".join(part.text.split())
        assert "5 of 6 papers read, 2 questions, 10 answers: 8 reported, 2 not reported." in text
        assert "We assessed 6 papers" in text
        assert "1 of them could not be read (encrypted: 1)" in text
        assert "60% 3 of 5" in text  # of CQ1, question by question
        assert part.data["overview"]["split"]["whole_run"] == [[3, 5], [5, 5]]
        assert ("save it without a password" in text) == (number == 2)  # papers are named where they are


def test_questions_have_the_same_numbers_in_every_part(make_row: MakeRow, tmp_path: Path) -> None:
    rows = [make_row("a.pdf", "seeds"), other_file(make_row("b.pdf", "hardware"), "cd" * 32)]
    first, second = (seen(file).data["overview"] for file in split(tmp_path / "r.html", rows, papers_per_file=1))
    assert first["questions"] == second["questions"]
    assert (first["verdicts"], second["verdicts"]) == ({"embedded": ["r."]}, {"embedded": [".r"]})


def test_previous_and_next_lead_across_parts(five: list[Row], tmp_path: Path) -> None:
    _, second, _ = split(tmp_path / "report.html", five)
    found = seen(second).data["overview"]["split"]
    assert (found["previous"]["key"], found["previous"]["name"]) == ("01" * 5, "1.pdf")
    assert found["previous"]["file"] == f"report.html?of={found['stamp']}"
    assert (found["next"]["key"], found["next"]["name"]) == ("04" * 5, "4.pdf")


def test_papers_that_fit_into_one_file_are_not_split(five: list[Row], tmp_path: Path) -> None:
    (file,) = split(tmp_path / "report.html", five, papers_per_file=5)
    assert "split" not in seen(file).data["overview"]
    assert "Part 1" not in seen(file).text


def test_hostile_text_adds_no_elements_to_any_part(hostile_row: Row, hostile: str, tmp_path: Path) -> None:
    rows = [other_file(hostile_row, f"{number:02}" * 32) for number in range(3)]
    for file in split(tmp_path / "r.html", rows, papers_per_file=1):
        part = seen(file)
        assert part.tags <= TAGS | {"ol"}
        assert part.attributes <= ATTRIBUTES | {"aria-current", "data-file"}
        ours = ("#/", "#content", "r.html", "r-2.html?of=", "r-3.html?of=")
        assert all(link.startswith(ours) for link in part.links)
        assert part.open == []


def test_with_many_parts_the_bar_links_to_the_nearest_only() -> None:
    found = part_ranges(Path("report.html"), ((500, (f"{n}a", "k"), (f"{n}b", "l")) for n in range(2000)))
    near = ReportSplit(found[999], found, "stamp").linked_parts
    assert [part.number for part in near] == [1, 998, 999, 1000, 1001, 1002, 2000]
    assert (near[0].last, near[-1].first, near[-1].file) == (500, 999501, "report-2000.html")


# --- links from elsewhere -------------------------------------------------------------------------------------------


def test_the_file_of_a_paper_is_the_part_that_contains_it(five: list[Row], tmp_path: Path) -> None:
    split(tmp_path / "report.html", five)
    file_of = file_of_paper(tmp_path / "report.html")
    found = [file_of(f"{number:02}" * 5) for number in range(6)]
    assert found == ["report.html", "report.html", "report-2.html", "report-2.html", "report-3.html", ""]


def test_the_file_of_every_paper_is_the_report_if_it_is_not_split(five: list[Row], tmp_path: Path) -> None:
    split(tmp_path / "report.html", five, papers_per_file=9)
    assert file_of_paper(tmp_path / "report.html")("01" * 5) == "report.html"
    assert file_of_paper(tmp_path / "none.html")("01" * 5) == ""


# --- what lies there already ----------------------------------------------------------------------------------------


def test_only_leftover_parts_of_the_same_report_are_removed(five: list[Row], tmp_path: Path) -> None:
    split(tmp_path / "report.html", five)
    split(tmp_path / "other.html", five)
    (tmp_path / "report-2024.html").write_text("<html><title>mine</title>")
    (tmp_path / "report-9.html").write_bytes((tmp_path / "other-2.html").read_bytes())  # a part, but of another report
    split(tmp_path / "report.html", five, papers_per_file=3)
    assert {file.name for file in tmp_path.iterdir()} == {
        *("report.html", "report-2.html", "report-2024.html", "report-9.html"),
        *("other.html", "other-2.html", "other-3.html"),
    }


def test_a_file_that_is_not_part_of_the_report_is_never_overwritten(five: list[Row], tmp_path: Path) -> None:
    (tmp_path / "report-2.html").write_text("my own notes")
    with pytest.raises(OutputError, match=r"report-2\.html exists and is not part of .* move it, or choose another --to"):
        split(tmp_path / "report.html", five)
    assert [file.name for file in tmp_path.iterdir()] == ["report-2.html"]
    assert (tmp_path / "report-2.html").read_text() == "my own notes"


def test_a_failure_keeps_the_old_report_and_leaves_no_temporary_files(
    five: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = split(tmp_path / "report.html", five)
    before = {file: file.read_bytes() for file in files}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(OutputError, match=r"report\.html cannot be written \(No space left on device\)"):
        split(tmp_path / "report.html", five[:4])
    monkeypatch.undo()
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


KILLED = """
import os, sys
from pathlib import Path
from methodlens.records import Answer, Cell, PaperEntry, Question, Row, Status, Verdict
from methodlens.reports.html.report_template import ReportDetails
from methodlens.reports.html.report_writer import report_writer

rename, left = os.replace, [int(sys.argv[2])]
def replace(*args):
    if not left[0]:
        os.kill(os.getpid(), 9)
    left[0] -= 1
    rename(*args)
os.replace = replace

with report_writer(Path(sys.argv[1]), papers_per_file=2) as out:
    for number in range(6):
        sha256 = f"{number:02}" * 32
        cell = Cell("", sha256, "CQ1", "new", "new", Verdict(Status.REPORTED), Answer("new"))
        out.add(Row(PaperEntry(f"{number}.pdf", sha256), Question("CQ1", "?"), cell))
    out.end()
    out.finish(ReportDetails("new", "1.0"))
"""


@pytest.mark.parametrize("after", [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)])
def test_a_kill_leaves_complete_files_and_replaces_the_first_page_last(five: list[Row], tmp_path: Path, after: int) -> None:
    split(tmp_path / "report.html", five)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "report.html"), str(after)], env={**os.environ})
    assert done.returncode == -9
    stamps = [seen(part_path(tmp_path / "report.html", number)).data["overview"]["split"]["stamp"] for number in (1, 2, 3)]
    assert [stamp == stamps[0] for stamp in stamps] == [True, after < 2, after < 1]
    assert seen(tmp_path / "report.html").data["overview"]["readers"] == ["embedded"]  # the old one, until all others are there


def test_old_temporary_files_of_killed_runs_are_removed(five: list[Row], tmp_path: Path) -> None:
    for name in (".methodlens-old", ".methodlens-new", "others"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.blocks").write_text("{}")
    (tmp_path / ".methodlens-x.part").write_text("half a file")
    for name in (".methodlens-old", ".methodlens-x.part", "others"):
        os.utime(tmp_path / name, (0, 0))
    split(tmp_path / "report.html", five, papers_per_file=9)
    assert {file.name for file in tmp_path.iterdir()} == {".methodlens-new", "others", "report.html"}
