"""The parser is chosen by the suffix of a file, and plugins add formats."""

from pathlib import Path

from methodlens.papers import InProcessParser, Parsers, WorkerPool, sha256_of
from methodlens.records import Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings
from tests.conftest import MakePdf

SENTENCE = "The gulls of the harbour were counted from the pier every morning at seven o'clock."
NO_OCR = ReadingSettings(ocr="off")


class NoteParser:
    suffixes = (".note", ".pdf")
    fingerprint = "note-1"

    def parse(self, path: Path) -> Paper:
        return Paper(sha256="", parser="", text=path.read_text(encoding="utf-8"))


def test_a_pdf_parsed_in_this_process_equals_one_parsed_by_a_worker(pool: WorkerPool, make_pdf: MakePdf) -> None:
    path = make_pdf("a.pdf", [[SENTENCE]])
    assert InProcessParser(reading=NO_OCR).parse(path) == pool.parse(path)


def test_a_file_that_is_too_large_is_not_parsed_in_this_process(make_pdf: MakePdf) -> None:
    parser = InProcessParser(PaperLimits(max_file_mb=0), NO_OCR)
    assert parser.parse(make_pdf("a.pdf", [[SENTENCE]])).status is PaperStatus.TOO_BIG


def test_a_plugin_parses_its_own_suffix_and_never_a_pdf(pool: WorkerPool, make_pdf: MakePdf, tmp_path: Path) -> None:
    parsers = Parsers(pool, [NoteParser()])
    note, pdf = tmp_path / "a.NOTE", make_pdf("a.pdf", [[SENTENCE]])
    note.write_text(SENTENCE, encoding="utf-8")
    assert parsers.suffixes == (".note", ".pdf")
    assert parsers.parse(note) == Paper(sha256=sha256_of(note), parser="note-1", text=SENTENCE)
    assert parsers.parse(pdf) == pool.parse(pdf)
    assert [parsers.fingerprint_for(path) for path in (note, pdf)] == ["note-1", pool.fingerprint]


def test_an_exception_in_a_plugin_becomes_the_status_of_the_paper(pool: WorkerPool, tmp_path: Path) -> None:
    path = tmp_path / "a.note"
    path.write_bytes(b"\xff")
    paper = Parsers(pool, [NoteParser()]).parse(path)
    assert (paper.status, paper.sha256) == (PaperStatus.CRASHED, sha256_of(path))
    assert "UnicodeDecodeError" in paper.reason
