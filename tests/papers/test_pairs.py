"""A PDF with its JATS beside it is one paper; in folders, only files that are papers are read, and each paper once."""

import shutil
from pathlib import Path

import pytest

from methodlens.papers import Parsers, WorkerPool, all_parsers, find
from methodlens.papers.forms.pairs import paired
from methodlens.papers.forms.reading import parse_form
from methodlens.records import Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings
from methodlens.text import places

EXAMPLES = Path(__file__).parents[2] / "examples"
NAME = "rented-cpu"
QUOTE = "One epoch took about 95 seconds, the final model was trained in 3.2 hours"
NO_OCR = ReadingSettings(ocr="off")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLES / "papers" / f"{NAME}.pdf", tmp_path)
    shutil.copy(EXAMPLES / "formats" / f"{NAME}.xml", tmp_path)
    return tmp_path


@pytest.fixture
def parsers(pool: WorkerPool) -> Parsers:
    return all_parsers(pool, NO_OCR)


def test_a_pair_has_the_text_of_the_jats_and_the_boxes_of_the_pdf(folder: Path, parsers: Parsers, pool: WorkerPool) -> None:
    path = folder / f"{NAME}.pdf"
    paper, pdf = parsers.parse(path), pool.parse(path)
    jats = parse_form(str(folder / f"{NAME}.xml"), limits=PaperLimits(), parser="")
    assert (paper.text, paper.sections, paper.sha256) == (jats.text, jats.sections, pdf.sha256)
    assert paper.pages == pdf.pages
    start, there = paper.text.index(QUOTE), pdf.text.index(QUOTE)
    assert places(paper, start, start + len(QUOTE)) == places(pdf, there, there + len(QUOTE))
    placed = sum(line.end - line.start for line in paper.lines)
    assert placed > 0.85 * len(paper.text)
    assert list(paper.lines) == sorted(paper.lines, key=lambda line: line.start)
    assert all(one.end <= other.start for one, other in zip(paper.lines, paper.lines[1:], strict=False))


def test_a_changed_companion_changes_the_fingerprint_and_pairs_can_be_switched_off(
    folder: Path, parsers: Parsers, pool: WorkerPool
) -> None:
    path, companion = folder / f"{NAME}.pdf", folder / f"{NAME}.xml"
    before = parsers.fingerprint_for(path)
    companion.write_text(companion.read_text().replace("95 seconds", "96 seconds"))
    assert parsers.fingerprint_for(path) != before
    assert all_parsers(pool, ReadingSettings(ocr="off", pairs="off")).fingerprint_for(path) == pool.fingerprint


def test_another_paper_or_an_abstract_of_the_same_name_does_not_replace_the_text(
    folder: Path, parsers: Parsers, pool: WorkerPool
) -> None:
    shutil.copy(EXAMPLES / "formats" / "no-deep-learning.xml", folder / f"{NAME}.xml")
    assert parsers.parse(folder / f"{NAME}.pdf").text == pool.parse(folder / f"{NAME}.pdf").text


def test_a_scan_with_jats_is_readable() -> None:
    scan = Paper("a" * 64, "pdf", PaperStatus.NO_TEXT, "only images")
    written = parse_form(str(EXAMPLES / "formats" / f"{NAME}.xml"), limits=PaperLimits(), parser="")
    paper = paired(scan, written)
    assert (paper.status, paper.sha256, paper.text) == (PaperStatus.OK, "a" * 64, written.text)


def test_a_folder_gives_each_paper_once_and_names_what_it_leaves_out(folder: Path) -> None:
    formats = EXAMPLES / "formats"
    for name in ("other.html", "other.docx"):
        shutil.copy(formats / f"{NAME}{Path(name).suffix}", folder / name)
    (folder / "settings.xml").write_text("<settings/>")
    (folder / "landing.html").write_text("<html><p>Welcome</p></html>")
    (folder / "part.tex").write_text("\\section{x}")
    for name in ("README.md", "notes.txt", "~$other.docx", "draft.md"):
        (folder / name).write_text("words")
    skipped: list[str] = []
    assert [paper.name for paper in find([folder], on_skip=skipped.append)] == ["other.html", f"{NAME}.pdf"]
    reasons = {Path(line.partition(": ")[0]).name: line.partition(": ")[2] for line in skipped}
    assert reasons == {
        "settings.xml": "XML, but not a JATS article",
        "landing.html": "a web page, but not a journal's or arXiv's article; name it to read it",
        "other.docx": "other.html is the same paper",
    }


def test_markdown_and_text_count_if_named_or_if_a_folder_has_nothing_else(tmp_path: Path) -> None:
    for name in ("draft.md", "README.md", "LICENSE.txt"):
        (tmp_path / name).write_text("words")
    assert [paper.name for paper in find([tmp_path])] == ["draft.md"]
    assert [paper.name for paper in find([tmp_path / "README.md"])] == ["README.md"]
