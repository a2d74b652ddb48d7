"""What many tests need: the example papers, small PDFs made on the spot, and a worker pool that is shared."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from methodlens.papers import WorkerPool
from methodlens.settings import PaperLimits, ReadingSettings

EXAMPLES = Path(__file__).parent.parent / "examples"
MakePdf = Callable[..., Path]


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1, PaperLimits(), ReadingSettings(ocr="off")) as workers:
        yield workers


@pytest.fixture(autouse=True, scope="session")
def without_ocr() -> Iterator[None]:
    """The extra may be installed here: tests that are not about it must not depend on that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METHODLENS_READING_OCR", "off")
        yield


@pytest.fixture
def make_pdf(tmp_path: Path) -> MakePdf:
    """make_pdf("name.pdf", [page, ...]), a page being its lines from the top."""

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
