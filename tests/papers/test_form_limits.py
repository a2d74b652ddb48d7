"""Hostile files in other forms get a status and a reason: never a traceback, never another file's content."""

import io
import zipfile
from pathlib import Path
from random import Random

import pytest

from methodlens.papers.forms.reading import form_fingerprint, parse_form
from methodlens.papers.forms.suffixes import FORM_SUFFIXES
from methodlens.records import Paper, PaperStatus
from methodlens.settings import PaperLimits

EXAMPLES = Path(__file__).parents[2] / "examples" / "formats"
LAUGHS = (
    '<!DOCTYPE article [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]><article><front/><body><p>&j;</p></body></article>"
)
OUTSIDE = '<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/hostname">]><article><front/><body><p>&x;</p></body></article>'


def read(path: Path, data: bytes) -> Paper:
    path.write_bytes(data)
    return parse_form(str(path), limits=PaperLimits(), parser="test")


@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        ("laughs.xml", LAUGHS.encode(), PaperStatus.MALFORMED),
        ("outside.xml", OUTSIDE.encode(), PaperStatus.MALFORMED),
        ("deep.xml", b"<article><front/><body>" + b"<sec>" * 100_000, PaperStatus.TOO_BIG),
        ("docbook.xml", b"<article><info/><para>Text</para></article>", PaperStatus.MALFORMED),
        ("other.xml", b"<settings><a/></settings>", PaperStatus.MALFORMED),
        ("empty.xml", b"", PaperStatus.MALFORMED),
        ("deep.html", b"<div>" * 200_000 + b"x", PaperStatus.TOO_BIG),
        ("empty.html", b"", PaperStatus.NO_TEXT),
        ("part.tex", b"\\section{Only a part}", PaperStatus.MALFORMED),
        ("loop.tex", b"\\begin{document}\\input{loop}\\end{document}", PaperStatus.NO_TEXT),
        ("nothing.docx", b"PK\x05\x06" + bytes(18), PaperStatus.MALFORMED),
        ("not.docx", b"words", PaperStatus.MALFORMED),
        ("empty.md", b"", PaperStatus.NO_TEXT),
        ("bytes.txt", bytes(range(256)) * 50, PaperStatus.GARBLED),
    ],
)
def test_a_hostile_or_broken_file_gets_a_status_and_a_reason(name: str, data: bytes, status: PaperStatus, tmp_path: Path) -> None:
    paper = read(tmp_path / name, data)
    assert paper.status is status
    assert paper.reason
    assert not paper.text


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as file,
    ):
        for _ in range(70):
            file.write(bytes(1 << 20))
    paper = read(tmp_path / "bomb.docx", packed.getvalue())
    assert (paper.status, "larger than 64 MB" in paper.reason) == (PaperStatus.TOO_BIG, True)


def test_an_archive_with_paths_that_lead_out_of_it_reads_nothing_from_outside(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("outside")
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("../evil.tex", r"\documentclass{article}\begin{document}evil\end{document}")
        body = "The marsh was surveyed in spring, and the calls of all frogs were counted."
        archive.writestr(
            "src/main.tex", rf"\documentclass{{article}}\begin{{document}}{body} \input{{../../secret}}\end{{document}}"
        )
    paper = parse_form(str(tmp_path / "p.zip"), limits=PaperLimits(), parser="test")
    assert paper.status is PaperStatus.OK
    assert "surveyed in spring" in paper.text
    assert "outside" not in paper.text
    assert not (tmp_path / "evil.tex").exists()


def mutated(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 12)):
        at = random.randrange(len(changed) or 1)
        match random.randrange(4):
            case 0:
                changed[at : at + random.randrange(40)] = b""
            case 1:
                changed[at:at] = random.choice(
                    [b"<", b"</p>", b"&x;", b"{", b"\\begin{table}", b"|", b"\0", b"\xff\xfe", b"```", b"<math>"]
                )
            case 2:
                changed[at : at + 1] = bytes([random.randrange(256)])
            case _:
                changed[at:at] = changed[at : at + random.randrange(200)] * random.randrange(4)
    return bytes(changed)


@pytest.mark.parametrize("suffix", [".xml", ".html", ".tex", ".docx", ".md"])
def test_mutations_of_every_form_give_a_status(suffix: str, tmp_path: Path) -> None:
    random, data = Random(f"mutations {suffix}"), (EXAMPLES / f"rented-cpu{suffix}").read_bytes()
    for number in range(6):
        paper = read(tmp_path / f"{number}{suffix}", mutated(data, random))
        assert paper.status is not PaperStatus.CRASHED, paper.reason


def test_every_suffix_has_a_fingerprint_that_fits_the_ledger() -> None:
    assert all(len(form_fingerprint(suffix)) < 60 for suffix in FORM_SUFFIXES)
