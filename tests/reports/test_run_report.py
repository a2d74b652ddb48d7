"""The report of a run: agreement of the readers, page images, and notes about papers that were moved."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.ledger.calls import Outcome, open_call
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run, now
from methodlens.papers import WorkerPool
from methodlens.records import Answer, Cell, Evidence, Match, Paper, PaperEntry, Question, Status, Verdict
from methodlens.reports.html import run_report as report
from methodlens.text import locate, places
from tests.conftest import EXAMPLES
from tests.reports.parsed_page import ParsedPage

QUOTE = "All models were trained on one server with 4 NVIDIA A100 GPUs"
QUESTIONS = (Question("CQ20", "Which hardware?", "Hardware"), Question("CQ21", "Which postprocessing?", "Postprocessing"))
READERS = ("embedded", "chat:a")
VERDICTS = {
    ("embedded", "CQ20"): Status.REPORTED,
    ("chat:a", "CQ20"): Status.REPORTED,
    ("embedded", "CQ21"): Status.NOT_REPORTED,
    ("chat:a", "CQ21"): Status.REPORTED,
}


@pytest.fixture(scope="module")
def paper(pool: WorkerPool) -> Paper:
    return pool.parse(EXAMPLES / "papers" / "everything-reported.pdf")


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    shutil.copy(EXAMPLES / "papers" / "everything-reported.pdf", folder / "frogs.pdf")
    return folder


@pytest.fixture
def run(papers: Path) -> Run:
    return Run("run", (str(papers),), QUESTIONS, READERS, 1, question_set="two", version="0")


@pytest.fixture
def ledger(tmp_path: Path, paper: Paper, run: Run) -> Iterator[Ledger]:
    found = locate(QUOTE, paper.text)
    evidence = (Evidence(QUOTE, Match.EXACT, found.start, found.end, places(paper, found.start, found.end)),)
    with Ledger.at(tmp_path / "out", create=True) as ledger:
        ledger.begin(run, ["frogs.pdf"])
        cells = [
            Cell(f"{reader}{question}", paper.sha256, question, reader, "m", Verdict(status), Answer("Four A100s.", evidence, {}))
            for (reader, question), status in VERDICTS.items()
        ]
        ledger.keep_result(run.id, result_of(PaperEntry("frogs.pdf", paper.sha256, pages=3), paper, cells))
        yield ledger


def made(ledger: Ledger, run: Run, path: Path, options: report.ReportOptions) -> tuple[report.WrittenReport, ParsedPage]:
    done = report.write(ledger, run, path, options=options)
    return done, ParsedPage(path.read_text(encoding="utf-8"))


def test_only_quoted_pages_are_drawn_and_a_few_are_embedded(
    ledger: Ledger, run: Run, paper: Paper, pool: WorkerPool, tmp_path: Path
) -> None:
    done, seen = made(ledger, run, tmp_path / "r.html", report.ReportOptions(pool))
    (pages,) = (block for name, block in seen.data.items() if name.startswith("pages-"))
    assert list(pages) == ["2"]
    assert pages["2"]["source"].startswith("data:image/png;base64,iVBOR")
    assert pages["2"]["size"] == [paper.pages[1].width, paper.pages[1].height]
    assert done.pages == 1
    assert not (tmp_path / "r-pages").exists()


def test_many_images_are_stored_as_files_and_not_drawn_twice(ledger: Ledger, run: Run, pool: WorkerPool, tmp_path: Path) -> None:
    options = report.ReportOptions(pool, most_embedded=0)
    _, seen = made(ledger, run, tmp_path / "r.html", options)
    (pages,) = (block for name, block in seen.data.items() if name.startswith("pages-"))
    picture = tmp_path / pages["2"]["source"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    before = picture.stat().st_mtime_ns
    made(ledger, run, tmp_path / "r.html", options)
    assert picture.stat().st_mtime_ns == before


def test_only_images_that_the_report_no_longer_shows_are_removed(
    ledger: Ledger, run: Run, pool: WorkerPool, tmp_path: Path
) -> None:
    made(ledger, run, tmp_path / "r.html", report.ReportOptions(pool, most_embedded=0))
    folder = tmp_path / "r-pages"
    (picture,) = folder.iterdir()
    others = ["0123456789abcdef-3.png", picture.name.replace("-2.", "-12."), "mine.png", "0123456789ABCDEF-3.png"]
    for name in others:
        (folder / name).write_bytes(b"x")
    made(ledger, run, tmp_path / "r.html", report.ReportOptions(most_embedded=0))
    assert len(list(folder.iterdir())) == 5  # without pages nothing is known of them
    made(ledger, run, tmp_path / "r.html", report.ReportOptions(pool, most_embedded=0))
    assert {file.name for file in folder.iterdir()} == {picture.name, *others[2:]}
    for name in others[2:]:
        (folder / name).unlink()
    made(ledger, run, tmp_path / "r.html", report.ReportOptions(pool))  # now they lie inside
    assert not folder.exists()


def test_images_drawn_earlier_are_shown_after_the_paper_was_moved(
    ledger: Ledger, run: Run, papers: Path, pool: WorkerPool, tmp_path: Path
) -> None:
    options = report.ReportOptions(pool, most_embedded=0)
    made(ledger, run, tmp_path / "r.html", options)
    shutil.rmtree(papers)
    done, _ = made(ledger, run, tmp_path / "r.html", options)
    assert (done.pages, done.notes) == (1, ())


def test_agreement_is_the_same_in_a_split_report(ledger: Ledger, run: Run, paper: Paper, tmp_path: Path) -> None:
    again = replace(paper, sha256="ab" * 32)
    more = replace(run, id="more", papers=2)
    with_both = [(PaperEntry("frogs.pdf", paper.sha256), paper), (PaperEntry("toads.pdf", again.sha256), again)]
    ledger.begin(more, [entry.name for entry, _ in with_both])
    for entry, one in with_both:
        cells = [
            Cell(f"{one.sha256}{reader}{question}", one.sha256, question, reader, "m", Verdict(status), Answer("Four A100s."))
            for (reader, question), status in VERDICTS.items()
        ]
        ledger.keep_result(more.id, result_of(entry, one, cells))
    whole, _ = made(ledger, more, tmp_path / "whole.html", report.ReportOptions())
    parts, first = made(ledger, more, tmp_path / "r.html", report.ReportOptions(papers_per_file=1))
    assert (whole.parts, parts.parts, whole.cells, parts.cells) == (1, 2, 8, 8)
    second = ParsedPage((tmp_path / "r-2.html").read_text(encoding="utf-8"))
    for seen in (first, second, ParsedPage((tmp_path / "whole.html").read_text(encoding="utf-8"))):
        assert "embedded / chat:a40.500.000.20" in " ".join(seen.text.split())  # cells, agreement, kappa, AC1


def test_with_one_file_all_images_are_embedded(ledger: Ledger, run: Run, pool: WorkerPool, tmp_path: Path) -> None:
    made(ledger, run, tmp_path / "r.html", report.ReportOptions(pool, one_file=True, most_embedded=0))
    assert not (tmp_path / "r-pages").exists()


@pytest.mark.parametrize("how", ["moved", "changed"])
def test_a_moved_or_changed_paper_has_no_images_and_the_report_says_so(
    ledger: Ledger, run: Run, papers: Path, pool: WorkerPool, tmp_path: Path, how: str
) -> None:
    if how == "moved":
        shutil.rmtree(papers)
    else:
        shutil.copy(EXAMPLES / "papers" / "rented-cpu.pdf", papers / "frogs.pdf")
    done, seen = made(ledger, run, tmp_path / "r.html", report.ReportOptions(pool))
    assert done.pages == 0
    assert "No page images of frogs.pdf: the file was moved or changed after the run." in seen.text


def test_a_report_can_be_written_without_images(ledger: Ledger, run: Run, tmp_path: Path) -> None:
    done, seen = made(ledger, run, tmp_path / "r.html", report.ReportOptions())
    assert done.cells == 4  # the vote and the final word are not counted
    assert "without page images (--no-pages)" in seen.text


def test_the_summary_shows_the_agreement_of_the_readers(ledger: Ledger, run: Run, tmp_path: Path) -> None:
    _, seen = made(ledger, run, tmp_path / "r.html", report.ReportOptions())
    text = " ".join(seen.text.split())
    assert "embedded / chat:a20.500.000.20" in text  # cells, agreement, kappa, AC1
    assert "Fleiss’ kappa" in text
    assert "combined by majority vote" in text
    assert seen.data["overview"]["readers"] == ["final", "vote", "embedded", "chat:a"]


def test_the_summary_shows_tokens_and_cost_of_each_reader(ledger: Ledger, run: Run, tmp_path: Path) -> None:
    call = open_call(run=run.id, paper="frogs.pdf", question="CQ20", reader="chat:a", cell_key="chat:aCQ20", at=now())
    ledger.keep_call(
        replace(call, outcome=Outcome.ANSWERED, requests=2, tokens_in=12345, tokens_out=67, cost=0.5, ended_at=now())
    )
    report.write(ledger, run, tmp_path / "r.html", options=report.ReportOptions())
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Calls, tokens and cost" in text
    assert "12,345" in text
    assert "0.5000" in text
