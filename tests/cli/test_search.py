"""methodlens search on the shipped examples."""

import json
import shutil
from pathlib import Path

from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES

PAPERS = EXAMPLES / "papers"


def test_the_best_passages_of_a_folder_are_shown_with_paper_page_and_score(methodlens: Call, tmp_path: Path) -> None:
    outcome = methodlens("search", PAPERS, "Which GPUs trained the network?", "--out", tmp_path, "--top", 3)
    assert outcome.code == 0
    first = outcome.out.splitlines()[0]
    assert first.startswith(" 1. everything-reported.pdf, p. 2, methods  [")
    assert "A100" in outcome.out
    assert "scanned.pdf: not searched: no_text" in outcome.err


def test_the_second_search_reads_only_new_papers(methodlens: Call, tmp_path: Path) -> None:
    folder, out = tmp_path / "papers", tmp_path / "out"
    folder.mkdir()
    shutil.copy(PAPERS / "rented-cpu.pdf", folder)
    assert "1 paper indexed" in methodlens("search", folder, "cost of the instance", "--out", out).err
    assert "indexed" not in methodlens("search", folder, "cost of the instance", "--out", out).err
    shutil.copy(PAPERS / "everything-reported.pdf", folder / "second.pdf")
    outcome = methodlens("search", folder, "CQ20", "--out", out, "--json")
    assert "1 paper indexed" in outcome.err
    hits = json.loads(outcome.out)
    assert {hit["paper"] for hit in hits} == {"rented-cpu.pdf", "second.pdf"}
    assert set(hits[0]) == {"paper", "paper_sha256", "page", "section", "score", "start", "end", "text"}


def test_papers_of_a_run_are_read_from_its_ledger(methodlens: Call, tmp_path: Path) -> None:
    source = tmp_path / "papers"
    source.mkdir()
    shutil.copy(PAPERS / "rented-cpu.pdf", source)
    methodlens("run", source, "--out", tmp_path / "out")
    outcome = methodlens("search", source, "CQ20", "--out", tmp_path / "out", "--json")
    assert outcome.code == 0
    assert "m5.2xlarge" in outcome.out


def test_no_hits_is_a_message_and_an_empty_query_is_refused(methodlens: Call, tmp_path: Path) -> None:
    outcome = methodlens("search", PAPERS / "rented-cpu.pdf", "🜁", "--out", tmp_path)
    assert outcome.out.strip() == "Nothing found."
    assert methodlens("search", PAPERS, " ", "--out", tmp_path).code == 2
    assert methodlens("search", tmp_path / "none", "gulls", "--out", tmp_path).code == 2


def test_the_missing_argument_is_named(methodlens: Call, tmp_path: Path) -> None:
    assert "QUERY is missing" in one_line(methodlens("search", tmp_path))
    assert "PAPERS is missing" in one_line(methodlens("search", "light traps"))
