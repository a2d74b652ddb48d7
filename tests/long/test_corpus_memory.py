"""Exports, reports, evaluations and samples read papers one by one: their memory does not grow with the corpus."""

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.evaluation.labels import paper_filter
from methodlens.evaluation.measure import collect_decisions
from methodlens.evaluation.sampling import StratifyBy, stratified_sample
from methodlens.evaluation.table_files import TableRow
from methodlens.ledger import run_rows
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.questions import load
from methodlens.records import Paper, PaperEntry
from methodlens.reports.annotation_sheets import sample_candidates
from methodlens.reports.figures.run_figures import write_figures
from methodlens.reports.formats.export_format import RunFormat
from methodlens.reports.formats.format_registry import load_format
from methodlens.reports.html import run_report as report
from methodlens.settings import Settings
from tests.ledger.test_ledger import CELL

pytestmark = pytest.mark.long
FEW, MANY, PER_PAPER = 500, 2000, 1000  # bytes that each further paper may need


def filled(folder: Path, papers: int) -> None:
    """Papers with different texts and 28 cells each."""
    questions = load("dl-methods").questions
    names = tuple(f"{number:05}.pdf" for number in range(papers))
    run = Run(id="r" * 64, sources=("/papers",), questions=questions, readers=("embedded",), papers=papers)
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(run, names)
        for number, name in enumerate(names):
            text = f"We trained network {number} on a barge. " * 1000
            paper = Paper(sha256=f"{number:064}", parser="p-1", title=f"On barge {number}", text=text)
            entry = PaperEntry(name, paper.sha256, title=paper.title, doi=f"10.1000/{number}", text_sha256=paper.sha256, pages=9)
            cells = [
                replace(CELL, key=f"{number:050}{index:014}", paper_sha256=paper.sha256, question=question.id)
                for index, question in enumerate(questions)
            ]
            ledger.keep_result(run.id, result_of(entry, paper, cells))
        ledger.end(run.id)


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("corpora")
    for papers in (FEW, MANY):
        filled(folder / str(papers), papers)
    return {papers: folder / str(papers) for papers in (FEW, MANY)}


def peak(folder: Path, read: Callable[[Ledger, Run], object]) -> int:
    with Ledger.at(folder) as ledger:
        run = run_rows.latest(ledger)
        gc.collect()
        tracemalloc.start()
        try:
            assert read(ledger, run)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def compare(ledgers: dict[int, Path], task: str, read: Callable[[Ledger, Run], object], show: pytest.CaptureFixture[str]) -> None:
    few, many = (peak(folder, read) for folder in ledgers.values())
    each = (many - few) / (MANY - FEW)
    with show.disabled():
        print(f"\n{task}: {few / 1e6:.1f} MB for {FEW} papers, {many / 1e6:.1f} MB for {MANY}: {each:.0f} B per paper")
    assert each < PER_PAPER


@pytest.mark.parametrize("name", ["jsonl", "csv", "ris", "annotations", "ttl", "parquet"])
def test_an_export_of_2000_papers_needs_no_more_memory_than_one_of_500(
    ledgers: dict[int, Path], capsys: pytest.CaptureFixture[str], name: str, tmp_path: Path
) -> None:
    def read(ledger: Ledger, run: Run) -> bool:
        export_format = load_format(name)
        if isinstance(export_format, RunFormat):
            export_format = export_format.for_run(run, ledger, Settings())
        return export_format.write(run_rows.rows(ledger, run), tmp_path / "export").cells == run.papers * 28

    with Ledger.at(ledgers[FEW]) as ledger:
        assert read(ledger, run_rows.latest(ledger))  # imports and loads templates and the like once
    compare(ledgers, name, read, capsys)


def test_the_memory_of_a_report_grows_with_its_parts_only(
    ledgers: dict[int, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def read(ledger: Ledger, run: Run) -> bool:
        done = report.write(ledger, run, tmp_path / "report.html", options=report.ReportOptions(papers_per_file=FEW))
        return (done.papers, done.cells, done.parts) == (run.papers, run.papers * 28, run.papers // FEW)

    with Ledger.at(ledgers[FEW]) as ledger:
        assert read(ledger, run_rows.latest(ledger))  # loads templates and the like once
    compare(ledgers, "report", read, capsys)


def test_figures_count_a_corpus_without_keeping_it(
    ledgers: dict[int, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def read(ledger: Ledger, run: Run) -> bool:
        return "shares" in write_figures(ledger, run, tmp_path / "figures").written

    compare(ledgers, "figures", read, capsys)


def test_an_evaluation_keeps_only_labelled_papers_in_memory(ledgers: dict[int, Path], capsys: pytest.CaptureFixture[str]) -> None:
    labels = [TableRow("labels.csv", number, {"paper": f"{number:05}", "CQ1": "yes"}) for number in range(30)]

    def read(ledger: Ledger, run: Run) -> bool:
        found = collect_decisions(ledger, [run], wanted=paper_filter(labels))
        return (len(found.papers), len(found.decisions["embedded"])) == (30, 30 * 28)

    compare(ledgers, "evaluate", read, capsys)


def test_a_sample_keeps_only_its_candidates_in_memory(ledgers: dict[int, Path], capsys: pytest.CaptureFixture[str]) -> None:
    def read(ledger: Ledger, run: Run) -> bool:
        return len(stratified_sample(sample_candidates(ledger, run), 50, by=[StratifyBy.QUESTION], seed=7)) == 50

    compare(ledgers, "sample", read, capsys)
