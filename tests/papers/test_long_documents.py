"""A long document is read in ranges of pages, so that one limit does not end the whole."""

from pathlib import Path

from methodlens.papers import WorkerPool
from methodlens.papers.pdf.parse import parse_pdf
from methodlens.records import PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings
from tests.papers.raw_pdf import FONT, bomb, raw_pdf, shown, stream
from tests.waiting import PATIENCE_S

PAGES = 110


def book(bomb_on: int = 0) -> bytes:
    """Pages of a few lines; the content of one may be far larger than the memory."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(PAGES))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, PAGES), FONT]
    for number in range(1, PAGES + 1):
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 600] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>"
        text = f"Chapter {number} tells of the gulls that were counted on morning {number} of the year."
        content = bomb(b"", 500) if number == bomb_on else stream(shown([text, "They were many, and the pier was long."]))
        objects += [page % (len(objects) + 2), content]
    return raw_pdf(*objects)


def test_a_book_read_in_ranges_is_the_same_as_one_read_at_once(pool: WorkerPool, tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(book())
    at_once = parse_pdf(str(path), limits=PaperLimits(), reading=ReadingSettings(ocr="off"), parser=pool.fingerprint)
    assert len(at_once.pages) == PAGES
    assert pool.parse(path) == at_once


def test_a_page_beyond_the_limits_costs_only_its_range(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(book(bomb_on=30))
    with WorkerPool(1, PaperLimits(memory_mb=400, timeout_s=PATIENCE_S), ReadingSettings(ocr="off")) as narrow:
        paper = narrow.parse(path)
    assert paper.status is PaperStatus.OK
    assert paper.unread == tuple(range(26, 51))
    assert "Chapter 25 tells" in paper.text
    assert "Chapter 51 tells" in paper.text
    assert "Chapter 30 tells" not in paper.text
