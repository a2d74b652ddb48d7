"""OCR of page images. Tests that need the engine are skipped without the extra `ocr`; those of the reading order are not."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

import pypdfium2 as pdfium
import pytest

from methodlens.papers import WorkerPool
from methodlens.papers.pdf import ocr
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import PaperStatus
from methodlens.settings import PaperLimits
from methodlens.text import locate, places
from tests.conftest import EXAMPLES

PROSE = "four words of prose"


def line(text: str, x0: float, top: float, x1: float) -> RawLine:
    return RawLine(tuple(RawWord(word, x0, x1) for word in text.split()), (x0, top, x1, top + 10), 10.0)


def texts(lines: Sequence[RawLine]) -> list[str]:
    return [line.text for line in lines]


def test_one_column_is_read_from_the_top_and_rows_from_the_left() -> None:
    table = [line("cell b", 200, 301, 240), line("cell a", 50, 300, 90)]
    prose = [line(f"{PROSE} {i}", 50, 20 * i, 350) for i in range(10)]
    assert texts(ocr.in_order([*table, *reversed(prose)])) == [*texts(prose), "cell a", "cell b"]


def test_the_left_column_comes_first_between_full_width_lines() -> None:
    left = [line(f"{PROSE} left {i}", 50, 100 + 12 * i, 190) for i in range(8)]
    right = [line(f"{PROSE} right {i}", 210, 100 + 12 * i, 350) for i in range(8)]
    title, caption = line("A title over both columns", 50, 20, 350), line("A caption over both columns", 50, 300, 350)
    below = [line("below left", 50, 320, 190), line("below right", 210, 320, 350)]
    mixed = [*below, caption, *(one for pair in zip(left, right, strict=True) for one in pair), title]
    assert texts(ocr.in_order(mixed)) == texts([title, *left, *right, caption, *below])


def test_short_lines_and_table_cells_do_not_make_a_second_column() -> None:
    prose = [line(f"{PROSE} {i}", 50, 20 * i, 350) for i in range(8)]
    cells = [line("0.84", x, 200 + 12 * i, x + 30) for i in range(12) for x in (60, 300)]
    assert ocr.find_gutter([*prose, *cells]) is None


def test_checking_whether_ocr_is_available_loads_nothing_heavy() -> None:
    code = (
        "import sys; from methodlens.papers.pdf import ocr; print(ocr.available());"
        "print([m for m in ('rapidocr', 'onnxruntime', 'cv2', 'pypdfium2') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert re.fullmatch(r"None|rapidocr-\d+\.\d+\S*", out[0])
    assert out[1] == "[]"


@pytest.fixture(scope="module")
def known() -> tuple[RawPage, str]:
    """A page with a text layer, recognised from its image, and that text."""
    pytest.importorskip("rapidocr", reason="needs the extra: pip install methodlens[ocr]")
    pytest.importorskip("onnxruntime", reason="needs the extra: pip install methodlens[ocr]")
    with pdfium.PdfDocument(EXAMPLES / "papers" / "rented-cpu.pdf") as document:
        page = document[0]
        return ocr.read_page(page, 1), re.sub(r"[\ufffe\x02]", "- ", page.get_textpage().get_text_range())


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w%]+", text.lower()))


@pytest.mark.long
def test_ocr_finds_nearly_every_word_with_the_spaces_between(known: tuple[RawPage, str]) -> None:
    page, text = known
    printed = words(text)
    missed = printed - words(" ".join(texts(page.lines)))
    assert 1 - missed.total() / printed.total() >= 0.95, missed


@pytest.mark.long
def test_ocr_puts_two_columns_in_reading_order(known: tuple[RawPage, str]) -> None:
    page, text = known
    printed = [line.strip(" -") for line in re.split(r"[\r\n]+|- ", text)]
    seen = [printed.index(found) for one in page.lines if (found := one.text.rstrip("-")) in printed]
    assert len(seen) > 50
    assert seen == sorted(seen)


@pytest.mark.long
def test_ocr_places_words_inside_their_lines_and_lines_on_the_page(known: tuple[RawPage, str]) -> None:
    page, _ = known
    assert page.number == 1
    for one in page.lines:
        x0, top, x1, bottom = one.box
        assert 0 <= x0 < x1 <= page.width
        assert 0 <= top < bottom <= page.height
        assert all(x0 <= word.x0 < word.x1 <= x1 for word in one.words)
        assert [word.x0 for word in one.words] == sorted(word.x0 for word in one.words)


@pytest.mark.long
def test_ocr_gives_the_lines_of_a_title_one_size_and_those_of_the_body_another(known: tuple[RawPage, str]) -> None:
    page, _ = known
    size = {one.text: one.size for one in page.lines}
    title = size["Grading hand tremor from wrist-worn accelerometers"]
    assert size["with a small convolutional network"] == title
    body, count = Counter(size.values()).most_common(1)[0]
    assert title > 1.3 * body
    assert count > 0.8 * len(page.lines)


@pytest.mark.long
def test_ocr_reads_the_scanned_example() -> None:
    pytest.importorskip("rapidocr", reason="needs the extra: pip install methodlens[ocr]")
    with pdfium.PdfDocument(EXAMPLES / "papers" / "scanned.pdf") as document:
        found = " ".join(texts(ocr.read_page(document[0], 1).lines))
    assert "The network is a ResNet-18. It was implemented in PyTorch 1.1" in found


@pytest.mark.long
@pytest.mark.parametrize("size", [(400, 600), (14400, 14400), (20, 14000), (1, 1)])
def test_ocr_of_an_empty_page_of_any_size_has_no_lines(size: tuple[int, int]) -> None:
    pytest.importorskip("rapidocr", reason="needs the extra: pip install methodlens[ocr]")
    page = ocr.read_page(pdfium.PdfDocument.new().new_page(*size), 3)
    assert (page.number, page.lines) == (3, [])


@pytest.mark.long
def test_a_scanned_paper_is_recognised_in_a_worker_and_flagged() -> None:
    pytest.importorskip("rapidocr", reason="needs the extra: pip install methodlens[ocr]")
    with WorkerPool(1, PaperLimits()) as pool:
        paper = pool.parse(EXAMPLES / "papers" / "scanned.pdf")
        assert paper.status is PaperStatus.OK
        assert paper.flags == ("ocr",)
        assert "NVIDIA GeForce RTX 2070" in paper.text
        located = locate("Training was carried out on a desktop computer", paper.text)
        assert places(paper, located.start, located.end)
        assert pool.parse(EXAMPLES / "papers" / "rented-cpu.pdf").flags == ()
