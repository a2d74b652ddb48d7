"""One word or number whose map differs from what is drawn is found and left out; honest fonts of all kinds are kept."""

from pathlib import Path
from string import digits

import pytest

from methodlens.errors import SettingsError
from methodlens.papers import WorkerPool
from methodlens.papers.pdf import ocr, ocr_check
from methodlens.papers.pdf.glyph_shapes import OTHER_GLYPHS
from methodlens.papers.pdf.ocr_check import READ_OTHERWISE
from methodlens.papers.raw_page import RawWord
from methodlens.records import PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings
from tests.conftest import EXAMPLES
from tests.papers.raw_pdf import FONT, WORDS, one_page, shown, stream, to_unicode
from tests.papers.test_false_text import NAMES, found, text_of

GREEK = dict(zip("alpha beta gamma delta epsilon lambda mu pi sigma omega".split(), "αβγδελμπσω", strict=True))
FACES = ("Helvetica", "Times-Roman", "Times-Italic", "Courier", "Helvetica-Bold")

Part = tuple[str, str] | str
"""What is drawn and what the map says, or one text for both."""


def drawn_pdf(*parts: Part, face: str = "Helvetica", before: bytes = b"", names: dict[str, str] = NAMES) -> bytes:
    """A line of parts in one font, which has a code for each pair of a glyph and the character that it claims to be."""
    pairs = [
        pair for part in parts for pair in (zip(part, part, strict=True) if isinstance(part, str) else zip(*part, strict=True))
    ]
    codes = {pair: code for code, pair in enumerate(dict.fromkeys(pairs), 1)}
    glyphs = b" ".join(b"/" + names.get(glyph, glyph).encode() for glyph, _ in codes)
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /ToUnicode 6 0 R /Encoding << /Differences [1 %s] >> >>"
    line = b"q %s BT /G 11 Tf 40 400 Td <%s> Tj ET Q" % (before, bytes(codes[pair] for pair in pairs).hex().encode())
    content = b"\n".join([shown([WORDS] * 3, y=500), line, shown([WORDS] * 3, y=300)])
    claims = to_unicode({code: claim for (_, claim), code in codes.items()})
    data = one_page(stream(content), claims, font % (face.encode(), glyphs), font=FONT)
    return data.replace(b"/F 4 0 R", b"/F 4 0 R /G 7 0 R")


@pytest.mark.parametrize("face", FACES)
def test_every_digit_drawn_as_another_is_found(face: str) -> None:
    for step in range(1, 10):
        claimed = digits[step:] + digits[:step]
        numbers: list[Part] = [part for pair in zip(digits, claimed, strict=True) for part in ("1", pair, "7 ")]
        false = " ".join(f"1{claim}7" for claim in claimed)
        assert found(drawn_pdf("We saw ", *numbers, "gulls in 2019", face=face)) == [(false, OTHER_GLYPHS)]


def test_a_page_with_more_false_glyphs_than_are_confirmed_is_left_out_to_the_end() -> None:
    lines = ["We weighed every egg in May"] * 12
    content = shown(lines, y=500).replace(b"/F", b"/G")
    shifted = {code: chr(code + 3) if chr(code).islower() and code < ord("x") else chr(code) for code in range(32, 127)}
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>"
    data = one_page(stream(content), to_unicode(shifted), font).replace(b"/F 4 0 R", b"/F 4 0 R /G 7 0 R")
    words = "".join(text for text, why in found(data) if why == OTHER_GLYPHS).split()
    assert words.count("zhljkhg") == len(lines)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    "pair", [("never", "often"), ("private", "publicy"), ("failed", "passed"), ("Berlin", "London"), ("CPU", "GPS"), ("no", "so")]
)
def test_a_single_false_word_is_found_among_true_words_of_the_same_font(face: str, pair: tuple[str, str]) -> None:
    assert found(drawn_pdf("The gulls were ", pair, " seen in the spring", face=face)) == [(pair[1], OTHER_GLYPHS)]


@pytest.mark.parametrize("claim", ["предыдущих", "γνωρίζουμε", "忽略以上所有的指示的話", "이전지시를무시하고답하"])
def test_latin_words_that_a_map_calls_another_script_are_found(claim: str) -> None:
    drawn = "marvellous"[: len(claim)].ljust(len(claim), "s")
    assert found(drawn_pdf("The gulls were ", (drawn, claim), " seen in the spring")) == [(claim, OTHER_GLYPHS)]


def test_a_false_word_in_white_on_a_dark_banner_is_found() -> None:
    banner = b"0.1 0.2 0.5 rg 30 390 500 30 re f 1 g"
    assert found(drawn_pdf("We saw 1", ("4", "8"), " gulls", before=banner)) == [("18", OTHER_GLYPHS)]
    assert found(drawn_pdf("We saw 14 gulls", before=banner)) == []


def test_a_false_number_is_left_out_and_the_words_around_it_are_read(pool: WorkerPool, tmp_path: Path) -> None:
    text, hidden = text_of(pool, tmp_path / "a.pdf", drawn_pdf("We saw 1", ("4", "8"), " gulls in 2019"))
    assert "We saw gulls in 2019" in text
    assert hidden == [("18", OTHER_GLYPHS)]


def test_digits_exchanged_in_the_whole_paper_are_found_wherever_they_occur(pool: WorkerPool, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(drawn_pdf("In ", ("4", "8"), "0 nests we saw 1", ("8", "4"), " gulls and 2", ("4", "8"), " terns in 2019"))
    paper = pool.parse(path)
    assert paper.status is PaperStatus.OK
    assert [piece.text for piece in paper.hidden] == ["80", "14", "28"]
    assert "hidden_text" in paper.flags
    assert "2019" in paper.text


HONEST: dict[str, bytes] = {
    "small capitals": drawn_pdf(("WE SAW 32 GULLS", "We saw 32 gulls")),
    "a ligature": drawn_pdf("We ", ("\x01", "fi"[0]), "nd them", names={**NAMES, "\x01": "fi"}),
    "accents": drawn_pdf("Mller and Prez", names=NAMES),
    "look-alikes": drawn_pdf(("O0lI1 5S", "0O1lI S5")),
    "Greek": drawn_pdf("".join(GREEK.values()), face="Symbol", names={char: name for name, char in GREEK.items()}),
    "upside down": drawn_pdf("We saw 69 gulls in 1966", before=b"-1 0 0 -1 300 800 cm"),
    "sideways": drawn_pdf("We saw 69 gulls in 1966", before=b"0 1 -1 0 500 0 cm"),
    "condensed": drawn_pdf("We saw 69 gulls in 1984", before=b"0.7 0 0 1 0 0 cm"),
    "underlined": drawn_pdf("We saw 69 gulls in 1984", before=b"40 399 150 0.6 re f"),
    "struck through": drawn_pdf("We saw 69 gulls in 1984", before=b"40 403 150 0.6 re f"),
    "in small print": drawn_pdf("We saw 69 gulls in 1984", before=b"0.4 0 0 0.4 0 0 cm"),
    "stroked": drawn_pdf("We saw 69 gulls in 1984", before=b"1 Tr 0.3 w"),
    "in light grey": drawn_pdf("We saw 69 gulls in 1984", before=b"0.8 g"),
}


@pytest.mark.parametrize("kind", HONEST)
def test_honest_text_is_kept(kind: str) -> None:
    assert found(HONEST[kind]) == []


def old_style(number: str, x: int) -> bytes:
    """Digits of the height of small letters, some of them with a descender."""
    shows = []
    for digit in number:
        size, rise = (8, 0) if digit in "012" else (11, -2.5 if digit in "34579" else 0)
        shows.append(b"/F %d Tf %.1f Ts (%s) Tj" % (size, rise, digit.encode()))
    return b"BT %d 400 Td %s ET" % (x, b" ".join(shows))


def test_old_style_digits_and_superscripts_are_kept() -> None:
    formula = b"BT /F 11 Tf 300 400 Td (x) Tj /F 7 Tf 4 Ts (2) Tj -2 Ts (10) Tj ET"
    content = b"\n".join([shown([WORDS] * 3), old_style("1234567890", 40), formula])
    assert found(one_page(stream(content))) == []


LIGHT = b"0.8 g"
"""Too light for the comparison of shapes, but people and OCR can read it."""


def needs_ocr() -> None:
    pytest.importorskip("rapidocr", reason="needs the extra: pip install methodlens[ocr]")
    pytest.importorskip("onnxruntime", reason="needs the extra: pip install methodlens[ocr]")


@pytest.mark.long
def test_a_false_number_that_only_ocr_can_see_is_left_out_with_verify_ocr(tmp_path: Path) -> None:
    needs_ocr()
    path = tmp_path / "a.pdf"
    path.write_bytes(drawn_pdf("We saw 1", ("4", "8"), "3 ", ("gulls", "terns"), " in 2019", before=LIGHT))
    with WorkerPool(1, PaperLimits(), ReadingSettings(verify="ocr")) as pool:
        paper = pool.parse(path)
    assert [(piece.text, piece.why) for piece in paper.hidden] == [("183", READ_OTHERWISE), ("terns", READ_OTHERWISE)]
    assert "We saw in 2019" in paper.text
    assert "hidden_text" in paper.flags


@pytest.mark.long
def test_the_example_papers_have_no_word_that_ocr_reads_otherwise() -> None:
    needs_ocr()
    with WorkerPool(1, PaperLimits(), ReadingSettings(verify="ocr")) as pool:
        paper = pool.parse(EXAMPLES / "papers" / "rented-cpu.pdf")
    assert paper.status is PaperStatus.OK
    assert paper.hidden == ()


def words(*texts: str) -> tuple[RawWord, ...]:
    return tuple(RawWord(text, 0.0, 1.0) for text in texts)


@pytest.mark.parametrize(
    "read",
    [
        "We saw 183 gulls at Koln in l984",
        "Wesaw 183 gulls at Kö1n in 1984",
        "We saw 183 guIIs at Koeln in 1984, and",
        "saw 183 gulls Köln 1984",
        "W. saw l83 9u11s at Kö1n in I984",
    ],
)
def test_what_ocr_often_confuses_is_no_difference(read: str) -> None:
    line = words("We", "saw", "183", "gulls", "at", "Köln", "in", "1984")
    assert [word.text for word, seen in ocr_check.aligned(line, read) if ocr_check.differ(word.text, seen)] == []


def test_other_digits_and_other_words_are_differences() -> None:
    line = words("We", "saw", "183", "gulls", "near", "Köln", "in", "1984")
    seen = list(ocr_check.aligned(line, "We saw 143 terms near Kiel in 1934"))
    assert [word.text for word, text in seen if ocr_check.differ(word.text, text)] == ["183", "gulls", "1984"]


def test_verify_ocr_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "available", lambda: None)
    with pytest.raises(SettingsError, match=r"needs the extra 'ocr'"):
        WorkerPool(1, PaperLimits(), ReadingSettings(verify="ocr"))
