"""Shared by the tests: the example papers, small PDFs made on the fly, a pool of PDF workers, Hypothesis without deadlines."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis

from methodlens.papers import WorkerPool
from methodlens.settings import PaperLimits, ReadingSettings
from tests.waiting import PATIENCE_S

EXAMPLES = Path(__file__).parent.parent / "examples"
MakePdf = Callable[..., Path]

hypothesis.register_profile("methodlens", deadline=None)  # a busy machine is not a failure
hypothesis.load_profile("methodlens")


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1, PaperLimits(timeout_s=PATIENCE_S), ReadingSettings(ocr="off")) as workers:
        yield workers


@pytest.fixture(autouse=True, scope="session")
def without_ocr() -> Iterator[None]:
    """Only the tests of OCR depend on whether the extra is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METHODLENS_READING_OCR", "off")
        yield


@pytest.fixture
def make_pdf(tmp_path: Path) -> MakePdf:
    """make_pdf("name.pdf", [page, ...]), where a page is a list of lines."""

    def make(name: str, pages: Sequence[Sequence[str]]) -> Path:
        from reportlab.pdfgen.canvas import Canvas

        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        canvas = Canvas(str(path), pagesize=(600, 600), invariant=1)
        for page in pages:
            for index, line in enumerate(page):
                canvas.drawString(40, 500 - 14 * index, line)
            canvas.showPage()
        canvas.save()
        return path

    return make
