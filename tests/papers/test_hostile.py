"""P1 to P4 of the promised faults: broken, explosive, encrypted and empty files. Each gets a status, and the next paper is
read normally."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pikepdf
import pytest

from methodlens.papers import WorkerPool
from methodlens.records import Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings
from tests.conftest import EXAMPLES
from tests.papers.raw_pdf import WORDS, bomb, deflated, one_page, raw_pdf, shown, stream
from tests.waiting import PATIENCE_S

S = PaperStatus
CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
GAVE_UP = {S.TOO_BIG, S.TIMEOUT, S.CRASHED}
FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 600 600] /Resources << /Font << /F 4 0 R >> /XObject << /X %d 0 R >> >>"


@pytest.fixture(scope="module")
def narrow() -> Iterator[WorkerPool]:
    """Little memory, so that small bombs are enough."""
    with WorkerPool(1, PaperLimits(memory_mb=400, timeout_s=PATIENCE_S), ReadingSettings(ocr="off")) as pool:
        yield pool


def read(pool: WorkerPool, folder: Path, data: bytes) -> Paper:
    path = folder / "hostile.pdf"
    path.write_bytes(data)
    paper = pool.parse(path)
    assert paper.reason or paper.status is S.OK
    return paper


def assert_unharmed(pool: WorkerPool, folder: Path) -> None:
    assert WORDS in read(pool, folder, one_page(stream(shown()))).text


# --- P1: malformed, truncated, zero bytes, HTML ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["everything-reported.pdf", "rented-cpu.pdf"])
def test_a_truncated_paper_is_malformed_and_never_read_in_part(narrow: WorkerPool, tmp_path: Path, name: str) -> None:
    whole = (EXAMPLES / "papers" / name).read_bytes()
    for tenth in range(1, 20):
        assert read(narrow, tmp_path, whole[: len(whole) * tenth // 20]).status is S.MALFORMED
    assert read(narrow, tmp_path, whole).status is S.OK


def test_a_truncated_linearized_paper_is_malformed_although_its_first_page_is_whole(narrow: WorkerPool, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with pikepdf.open(EXAMPLES / "papers" / "everything-reported.pdf") as document:
        document.save(buffer, linearize=True)
    whole = buffer.getvalue()
    assert read(narrow, tmp_path, whole).status is S.OK
    for tenth in range(1, 10):
        assert read(narrow, tmp_path, whole[: len(whole) * tenth // 10]).status is S.MALFORMED


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 5000,
        b"<!DOCTYPE html><html><body>Please log in</body></html>",
        b"%PDF-1.7\n%%EOF",
        b"PK\x03\x04 a zip",
        b"%PDF",
    ],
    ids=["empty", "zeros", "html", "header only", "zip", "four bytes"],
)
def test_a_file_that_is_not_a_pdf_is_malformed(narrow: WorkerPool, tmp_path: Path, data: bytes) -> None:
    assert read(narrow, tmp_path, data).status is S.MALFORMED


def test_a_folder_and_a_deleted_file_are_malformed(narrow: WorkerPool, tmp_path: Path) -> None:
    (tmp_path / "folder.pdf").mkdir()
    for name in ("folder.pdf", "gone.pdf"):
        assert narrow.parse(tmp_path / name).status is S.MALFORMED


@pytest.mark.parametrize("wrong", [0, 9, 99_999_999])
def test_a_wrong_index_of_objects_is_rebuilt(narrow: WorkerPool, tmp_path: Path, wrong: int) -> None:
    good = one_page(stream(shown()))
    at = good.rindex(b"startxref\n") + 10
    assert WORDS in read(narrow, tmp_path, good[:at] + b"%d\n%%%%EOF\n" % wrong).text


def test_pages_that_cannot_be_opened_do_not_affect_the_others(narrow: WorkerPool, tmp_path: Path) -> None:
    paper = read(narrow, tmp_path, one_page(stream(shown())).replace(b"/Count 1", b"/Count 15"))
    assert WORDS in paper.text
    assert paper.unread == tuple(range(2, 16))


def test_a_pdf_without_a_page_that_can_be_opened_is_malformed_not_scanned(narrow: WorkerPool, tmp_path: Path) -> None:
    data = raw_pdf(CATALOGUE, b"<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>", b"(no page)")
    assert read(narrow, tmp_path, data).status is S.MALFORMED


# --- P2: bombs, loops, thousands of pages ---------------------------------------------------------------------------


def with_object_stream(objects: bytes, *, explosive: bool = False) -> bytes:
    """Objects 1 to 3 in the object stream 4, the index of objects in the stream 5; either may be a bomb."""
    out = bytearray(b"%PDF-1.7\n")
    first = len(out)
    out += b"4 0 obj\n%s\nendobj\n" % objects
    second = len(out)
    rows = [(0, 0, 65535), (2, 4, 0), (2, 4, 1), (2, 4, 2), (1, first, 0), (1, second, 0)]
    table = b"".join(kind.to_bytes(1, "big") + at.to_bytes(4, "big") + more.to_bytes(2, "big") for kind, at, more in rows)
    keys = b"/Type /XRef /Size 6 /W [1 4 2] /Root 1 0 R "
    body = bomb(table, 600, keys, filler=b"\0") if explosive else deflated(table, keys)
    out += b"5 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (body, second)
    return bytes(out)


def packed(page: bytes = b"/MediaBox [0 0 600 600]") -> tuple[bytes, bytes]:
    bodies = [CATALOGUE, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", b"<< /Type /Page /Parent 2 0 R %s >>" % page]
    offsets = [sum(len(body) + 1 for body in bodies[:number]) for number in range(3)]
    head = b" ".join(b"%d %d" % (number + 1, offset) for number, offset in enumerate(offsets)) + b" "
    return head + b" ".join(bodies) + b" ", b"/Type /ObjStm /N 3 /First %d " % len(head)


BOMBS = ("blanks", "text", "paths", "an object stream", "the index of objects", "an image over text", "a map", "entries of a map")


def bomb_in(name: str) -> bytes:
    objects, keys = packed()
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"
    cmap = b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
    match name:
        case "blanks":
            return one_page(bomb(shown() + b" ", 600))
        case "text":
            return one_page(bomb(b"BT /F 9 Tf 9 9 Td ", 100, filler=b"(aaaaaaaaaa)Tj  "))
        case "paths":
            return one_page(bomb(shown(), 100, filler=b" 0 0 m 9 9 l S  "))
        case "an object stream":
            return with_object_stream(bomb(objects, 600, keys))
        case "the index of objects":
            return with_object_stream(deflated(objects, keys), explosive=True)
        case "an image over text":
            gray = b"/Type /XObject /Subtype /Image /Width 30000 /Height 30000 /ColorSpace /DeviceGray /BitsPerComponent 8 "
            covered = stream(shown() + b" q 500 0 0 500 20 20 cm /I Do Q")
            return one_page(covered, bomb(b"", 900, gray, filler=b"\0"), resources=b"/XObject << /I 6 0 R >>")
        case "a map":
            return one_page(stream(shown()), bomb(cmap, 600), font=font)
        case _:
            return one_page(stream(shown()), bomb(cmap + b"100 beginbfchar ", 60, filler=b"<41> <0042>     "), font=font)


@pytest.mark.parametrize("name", BOMBS)
def test_a_deflate_bomb_affects_no_other_paper(narrow: WorkerPool, tmp_path: Path, name: str) -> None:
    data = bomb_in(name)
    assert len(data) < 100_000
    assert read(narrow, tmp_path, data).status in {*GAVE_UP, S.MALFORMED, S.NO_TEXT, S.OK}
    assert_unharmed(narrow, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the memory of a process")
@pytest.mark.parametrize("name", ["blanks", "text", "paths", "an object stream", "the index of objects", "a map"])
def test_a_bomb_that_fills_the_memory_is_too_big_and_not_a_crash_of_the_library(
    narrow: WorkerPool, tmp_path: Path, name: str
) -> None:
    paper = read(narrow, tmp_path, bomb_in(name))
    assert paper.status is S.TOO_BIG
    assert "papers.memory_mb" in paper.reason


@pytest.mark.parametrize(
    "pages",
    [
        [b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"],
        [b"<< /Type /Pages /Kids [2 0 R 2 0 R] >>"],
        [b"<< /Type /Pages /Kids [3 0 R] /Count 2 >>", b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Parent 2 0 R /Count 2 >>"],
        [b"<< /Type /Pages /Kids [3 0 R 3 0 R] >>", b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 3 0 R 2 0 R] >>"],
    ],
    ids=["itself", "itself twice", "two in a ring", "two in a ring, uncounted"],
)
def test_a_page_tree_that_contains_itself_is_malformed(narrow: WorkerPool, tmp_path: Path, pages: list[bytes]) -> None:
    assert read(narrow, tmp_path, raw_pdf(CATALOGUE, *pages)).status is S.MALFORMED


@pytest.mark.parametrize(
    "data",
    [
        one_page(stream(shown()), page=b"").replace(b"/Parent 2 0 R", b"/Parent 3 0 R"),
        one_page(stream(shown())).replace(b"/Contents 5 0 R", b"/Contents [3 0 R 5 0 R]"),
        one_page(b"<< /Length 5 0 R >>\nstream\n" + shown() + b"\nendstream"),
        one_page(stream(shown()), font=b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 4 0 R >>"),
        one_page(stream(shown()), trailer=b"/Prev 9"),
        one_page(stream(b"q " * 50_000 + shown())),
    ],
    ids=["a page its own parent", "contents", "a length", "a font its own map", "an index its own past", "50,000 states deep"],
)
def test_an_object_that_refers_to_itself_is_read_once(narrow: WorkerPool, tmp_path: Path, data: bytes) -> None:
    assert WORDS in read(narrow, tmp_path, data).text


@pytest.mark.parametrize(
    "data",
    [
        one_page(stream(shown()), font=b"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [4 0 R] >>"),
        one_page(stream(b"/X Do " + shown()), stream(b"/X Do /X Do", FORM % 6), resources=b"/XObject << /X 6 0 R >>"),
        one_page(
            stream(b"/X Do " + shown()),
            *(stream(b"/X Do " * 10, FORM % number) for number in range(7, 19)),
            stream(shown(), FORM % 6),
            resources=b"/XObject << /X 6 0 R >>",
        ),
        one_page(stream(b"[" * 100_000 + shown())),
        one_page(stream(b"BT /F 1 Tf " + b"(a) Tj 1 0 Td " * 50_000 + b"ET")),
        one_page(stream(b"1 g " + b"BT /F 9 Tf 9 9 Td (ab) Tj ET " * 3900)),
        one_page(stream(b"0 0 500 500 re f " * 2000 + b"BT /F 9 Tf 9 9 Td (ab) Tj ET " * 1900)),
    ],
    ids=[
        "a font",
        "a form",
        "forms by forms",
        "arrays",
        "50,000 letters apart",
        "thousands in one place",
        "thousands of overlaps",
    ],
)
def test_content_that_multiplies_has_a_status_and_affects_no_other_paper(narrow: WorkerPool, tmp_path: Path, data: bytes) -> None:
    read(narrow, tmp_path, data)
    assert_unharmed(narrow, tmp_path)


def test_five_thousand_pages_are_too_big_and_as_many_as_the_limit_are_not(narrow: WorkerPool, tmp_path: Path) -> None:
    def pages(count: int) -> bytes:
        kids = b"<< /Type /Pages /MediaBox [0 0 99 99] /Kids [%s] /Count %d >>" % (b"3 0 R " * count, count)
        return raw_pdf(CATALOGUE, kids, b"<< /Type /Page /Parent 2 0 R >>")

    assert read(narrow, tmp_path, pages(5000)).status is S.TOO_BIG
    assert read(narrow, tmp_path, pages(narrow.limits.max_pages)).status is S.NO_TEXT


# --- invalid boxes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "box",
    [b"", b"[0 0 0 0]", b"[nan nan inf inf]", b"[600 600 0 0]", b"[0 0 200000 200000]", b"[0 0 1]", b"(text)", b"[0 0 1e9 1e9]"],
)
def test_text_is_read_whatever_the_stated_page_size(narrow: WorkerPool, tmp_path: Path, box: bytes) -> None:
    paper = read(narrow, tmp_path, one_page(stream(shown()), page=b"/MediaBox " + box if box else b""))
    assert WORDS in paper.text


@pytest.mark.parametrize("box", [b"[0 0 3000000000 3000000000]", b"[-600 -600 -1 -1]", b"[0 0 0.001 0.001]"])
def test_a_page_that_cannot_be_seen_has_a_status(narrow: WorkerPool, tmp_path: Path, box: bytes) -> None:
    paper = read(narrow, tmp_path, one_page(stream(shown()), page=b"/MediaBox " + box))
    assert paper.status in {S.OK, S.NO_TEXT, S.MALFORMED}


@pytest.mark.parametrize(
    "before",
    [
        b"1e38 0 0 1e38 1e38 1e38 cm 1e38 0 0 1e38 0 0 cm",
        b"0 0 0 0 0 0 cm",
        b"99999999999 0 0 99999999999 0 0 cm",
        b"-1 0 0 -1 0 0 cm",
    ],
)
def test_text_at_absurd_places_is_not_evidence(narrow: WorkerPool, tmp_path: Path, before: bytes) -> None:
    paper = read(narrow, tmp_path, one_page(stream(before + b" " + shown())))
    assert paper.status is S.NO_TEXT


# --- P3: encrypted; P4: scanned and empty ---------------------------------------------------------------------------


@pytest.mark.parametrize("revision", [2, 3, 4, 6], ids=["RC4, 40 bits", "RC4", "AES-128", "AES-256"])
def test_a_password_is_needed_only_where_the_empty_one_does_not_open_it(
    narrow: WorkerPool, tmp_path: Path, revision: Literal[2, 3, 4, 6]
) -> None:
    for user, expected in (("secret", S.ENCRYPTED), ("", S.OK)):
        buffer = io.BytesIO()
        with pikepdf.open(io.BytesIO(one_page(stream(shown())))) as document:
            lock = pikepdf.Encryption(owner="owner", user=user, R=revision, aes=revision >= 4, metadata=revision >= 4)
            document.save(buffer, encryption=lock)
        paper = read(narrow, tmp_path, buffer.getvalue())
        assert paper.status is expected
        assert expected is S.ENCRYPTED or WORDS in paper.text


def test_an_unknown_encryption_has_a_status(narrow: WorkerPool, tmp_path: Path) -> None:
    lock = b"/Encrypt << /Filter /Unknown /V 9 /R 9 /O (x) /U (y) /P 0 >> /ID [(a) (b)]"
    paper = read(narrow, tmp_path, one_page(stream(shown()), trailer=lock))
    assert paper.status in {S.MALFORMED, S.ENCRYPTED}


@pytest.mark.parametrize(
    "content", [b"", b"0 0 300 300 re f", b"BT /F 11 Tf 40 500 Td (7) Tj ET"], ids=["empty", "drawn", "a number"]
)
def test_pages_without_text_have_the_status_no_text(narrow: WorkerPool, tmp_path: Path, content: bytes) -> None:
    paper = read(narrow, tmp_path, one_page(stream(content)))
    assert paper.status is S.NO_TEXT
    assert paper.unread == ((1,) if content.endswith(b"f") else ())  # there is nothing to read on a blank page


def test_a_malformed_file_is_not_called_encrypted_because_of_the_file_before_it(narrow: WorkerPool, tmp_path: Path) -> None:
    whole, locked = one_page(stream(shown())), io.BytesIO()
    with pikepdf.open(io.BytesIO(whole)) as document:
        document.save(locked, encryption=pikepdf.Encryption(owner="owner", user="secret"))
    assert read(narrow, tmp_path, locked.getvalue()).status is S.ENCRYPTED
    without_pages = whole.replace(b"/Pages 2 0 R", b"/Wages 2 0 R")  # PDFium refuses it and sets no error
    assert read(narrow, tmp_path, without_pages).status is S.MALFORMED
