"""Annotating damaged and hostile PDFs: each gets a copy that opens, or a reason."""

from itertools import islice
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from msgspec.structs import replace

from methodlens.ledger.store import Run
from methodlens.papers import sha256_of
from methodlens.records import Row
from methodlens.reports.pdf.annotated_pdfs import AnnotatedPdfs
from methodlens.settings import PaperLimits, Settings
from tests.long.test_fuzz import base_pdfs, mutants
from tests.papers.raw_pdf import bomb, one_page
from tests.reports.conftest import MakeRow, make_row

pytestmark = pytest.mark.long
__all__ = ["make_row"]
MUTANTS = 200
LIMITS = PaperLimits(timeout_s=10, memory_mb=700)


def test_every_damaged_file_gets_a_copy_that_opens_or_a_reason(tmp_path: Path, make_row: MakeRow) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    files = [*islice(mutants(base_pdfs(), seed=5), MUTANTS), one_page(bomb(b"BT ET ", 3000))]
    for number, data in enumerate(files):
        (papers / f"{number:03}.pdf").write_bytes(data)
    template = make_row()
    evidence = replace(template.cell.answer.evidence[0], places=(replace(template.cell.answer.evidence[0].places[0], page=1),))
    marked = replace(template, cell=replace(template.cell, answer=replace(template.cell.answer, evidence=(evidence,))))

    def row(path: Path) -> Row:
        return replace(marked, paper=replace(marked.paper, name=path.name, sha256=sha256_of(path)))

    run = Run("r", (str(papers),), (marked.question,), ("embedded",))
    exported = AnnotatedPdfs(run, Settings(workers=2, papers=LIMITS)).write(map(row, sorted(papers.iterdir())), tmp_path / "out")
    copies = sorted((tmp_path / "out").iterdir())
    assert exported.lines == f"{len(copies)} of {len(files)} papers"
    assert len(copies) > MUTANTS / 5
    for copy in copies:
        document = pdfium.PdfDocument(copy)
        assert len(document) >= 2, copy.name
        document.close()
    reasons = [line for line in exported.note.splitlines() if "no annotated PDF" in line]
    assert all(len(line.partition("no annotated PDF: ")[2]) > 20 for line in reasons)
