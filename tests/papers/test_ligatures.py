"""Ligatures without a character, spaces inside words, words broken at the end of a line, and maps of the wrong script."""

from collections import Counter
from pathlib import Path

import pytest

from methodlens.papers import WorkerPool
from methodlens.papers.layout.joining import continues_word, hyphen_between
from methodlens.papers.layout.ligatures import with_ligatures
from methodlens.papers.pdf.text_quality import check_text
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import PaperStatus
from tests.papers.raw_pdf import WORDS, one_page, shown, stream


def repaired(*lines: str) -> str:
    words = [tuple(RawWord(word, 10.0 * at, 10.0 * at + 8) for at, word in enumerate(line.split(" "))) for line in lines]
    printed = [RawLine(row, (0.0, 12.0 * at, 500.0, 12.0 * at + 10), 10.0) for at, row in enumerate(words)]
    return "\n".join(line.text for line in with_ligatures([RawPage(1, 600.0, 800.0, printed)])[0].lines)


@pytest.mark.parametrize("code", ["\x8b", "\x1f", "\ue103", "\ufffd"])
def test_a_code_that_stands_for_th_is_read_as_its_letters(code: str) -> None:
    assert repaired(f"{code}e snails sleep. {code}is is so.", f"{code}ese are the shells.") == (
        "The snails sleep. This is so.\nThese are the shells."
    )


def test_codes_of_several_ligatures_are_told_apart_by_their_words() -> None:
    printed = "\x1ce e\x1dcient \x1erst snail \x1cen has a coe\x1dcient, a \x1eeld and a di\x1fcult di\x1ference".replace(
        "di\x1fcult", "di\x1dcult"
    )
    assert repaired(printed) == "The efficient first snail Then has a coefficient, a field and a difficult difference".replace(
        "difference",
        "di\x1ference",  # one word is too little to tell
    )


def test_a_symbol_without_a_character_is_not_taken_for_letters() -> None:
    assert repaired("\x01\x03\x01\x05 the 5th", "\x03\x01 th") == "\x01\x03\x01\x05 the 5th\n\x03\x01 th"
    assert repaired("\ue001 snails \ue001 shells \ue001 gardens") == "\ue001 snails \ue001 shells \ue001 gardens"


def test_spaces_inside_words_after_a_ligature_are_removed() -> None:
    rest = "\nthe snails and the shells"
    assert repaired("the fi rst speci fi c snail was modi fi ed, e ffi cient and \ufb01 nal", rest.strip()) == (
        "the first specific snail was modified, efficient and \ufb01nal" + rest
    )


def test_a_word_before_a_ligature_stays_apart_when_the_paper_writes_it_alone() -> None:
    assert repaired("snails of the garden", "a snail of fi ve colours") == "snails of the garden\na snail of five colours"


def pdf_with_glyph_names(codes: dict[str, str], text: str) -> bytes:
    """A page in a font without a map, whose glyphs for these characters have names that say nothing or name a ligature."""
    names = b" ".join(b"%d /%s" % (ord(char), name.encode()) for char, name in codes.items())
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [%s] >> >>" % names
    return one_page(stream(shown([text, WORDS, WORDS])), font=font)


def text_of(data: bytes, pool: WorkerPool, path: Path) -> str:
    path.write_bytes(data)
    return pool.parse(path).text


def test_glyph_names_of_ligatures_are_read_as_their_letters_whatever_their_code(pool: WorkerPool, tmp_path: Path) -> None:
    printed = "$is is the %rst snail. $ese are speci%c. $en we saw a %eld in@uence the @ow"
    data = pdf_with_glyph_names({"$": "T_h", "%": "f_i", "@": "g23"}, printed)
    text = text_of(data, pool, tmp_path / "a.pdf")
    assert text.startswith("This is the first snail. These are specific. Then we saw a field influence the flow")


def test_glyph_names_that_say_nothing_keep_their_code_if_it_reads_well(pool: WorkerPool, tmp_path: Path) -> None:
    printed = "Snails cost 5$ each. Three Snails cost 15$. The Tall Snails cost 20%"
    data = pdf_with_glyph_names({"$": "g36", "%": "g37", "S": "g83", "T": "g84"}, printed)
    assert text_of(data, pool, tmp_path / "a.pdf").startswith(printed)


@pytest.mark.parametrize(
    ("before", "after", "paper", "between"),
    [
        ("the phos", "phorylation of", "", ""),
        ("a so", "called snail", "so they called it so and called", "-"),
        ("a so", "called snail", "so so called called so-called", "-"),
        ("the cross", "entropy of", "cross-validation entropy", "-"),
        ("they per", "form well", "per form per form", ""),
        ("state", "of-the-art snails", "", "-"),
        ("state-of-the", "art snails", "art", "-"),
        ("the cross-vali", "dation of", "validation", ""),
        ("the work", "flow of", "work flow work flow workflow", ""),
        ("a Mo", "bileNet of", "mobilenet", ""),
        ("a Mo", "bileNet of", "", ""),
        ("a Mo", "bileNet of", "mo-bilenet mo", "-"),
        ("a pre", "mRNA of", "", "-"),
        ("a Mobile", "Net of", "mobilenet", ""),
        ("a Mobile", "Net of", "", "-"),
        ("a U", "Net of", "u-net u-net unet", "-"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_is_kept_as_the_paper_writes(before: str, after: str, paper: str, between: str) -> None:
    words = Counter(paper.split())
    words.update([f"{word.partition('-')[0]}-" for word in words if "-" in word])
    assert hyphen_between(before, after, words) == between


def test_a_word_broken_without_a_hyphen_is_joined_only_if_the_paper_has_it_whole() -> None:
    words = Counter("the phos phorylation phosphorylation of a snail snail snail".split())
    assert continues_word("the phos", "phorylation of", words)
    assert not continues_word("a snail", "phorylation of", words)
    assert not continues_word("the phos", "shells", words)


def test_a_map_that_reads_one_script_as_another_makes_the_paper_garbled() -> None:
    korean = "달팽이는 밤에 정원을 지나가고 우리는 그 수를 세어 본다. 이 논문에서는 달팽이를 찾는 방법을 제안하고 실험한다. " * 8
    russian = "Улитки пересекают сад ночью, и никто их не считает. Мы предлагаем сеть, которая находит улиток. " * 5
    shifted = "".join(chr(0xAC00 + 7 * ord(char) % 11000) if char.isalpha() else char for char in russian)
    assert check_text(korean, pages=1)[0] is PaperStatus.OK
    assert check_text(russian, pages=1)[0] is PaperStatus.OK
    assert check_text(shifted, pages=1)[0] is PaperStatus.GARBLED
