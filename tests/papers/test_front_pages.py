"""Authors on front pages in the layouts of many journals, typeset and read back."""

from pathlib import Path

import pytest

from methodlens.papers import WorkerPool
from tests.papers.typeset import columns, front_page

ADDRESS = "<super>1</super>Institute of Slow Things, Fernville, Norway"
SECOND = "<super>2</super>Department of Shells, University of Mossburg, Germany"
THREE = ("Ada Moss", "Bruno K. Fern", "Chloé de Lichen")
A1, B1, B2 = "Ada Moss<super>1</super>", "Bruno K. Fern<super>1</super>", "Bruno K. Fern<super>2</super>"
C1, C2 = "Chloé de Lichen<super>1</super>", "Chloé de Lichen<super>2</super>"

LAYOUTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "superscript numbers": (
        (f"Ada Moss<super>1,2</super>, {B1} and Chloé de Lichen<super>2,*</super>", ADDRESS, SECOND),
        THREE,
    ),
    "superscript letters": (
        (
            "Ada Moss<super>a,b</super>, Bruno K. Fern<super>a</super>, Chloé de Lichen<super>b,*</super>",
            "<super>a</super>Institute of Slow Things, Fernville",
            "<super>b</super>University of Mossburg",
        ),
        THREE,
    ),
    "ampersand and daggers": ((f"Ada Moss<super>1†</super>, Bruno K. Fern<super>1†</super> &amp; {C2}", ADDRESS), THREE),
    "bars": ((f"<b>{A1} | {B2} | {C1}</b>", ADDRESS), THREE),
    "degrees": ((f"{A1}, BSc, PhD; {B2}, MD; {C1}, MSc, PhD", ADDRESS), THREE),
    "by": (("By Ada Moss, Bruno K. Fern, and Chloé de Lichen", "Institute of Slow Things, Fernville"), THREE),
    "identifiers": (
        (
            "Ada Moss [ORCID: 0000-0001-2345-6789], Bruno K. Fern [ORCID: 0000-0001-2345-678X], Chloé de Lichen",
            "Institute of Slow Things, Fernville",
        ),
        THREE,
    ),
    "capitals": (
        ("ADA MOSS, BRUNO K. FERN AND CHLOÉ DE LICHEN", "<i>Institute of Slow Things, Fernville</i>"),
        ("ADA MOSS", "BRUNO K. FERN", "CHLOÉ DE LICHEN"),
    ),
    "initials": (
        ("A. B. Moss, B.K. Fern, C.-D. van der Lichen", "Institute of Slow Things, Fernville"),
        ("A. B. Moss", "B.K. Fern", "C.-D. van der Lichen"),
    ),
    "one per line": ((f"{A1}", f"{B2}", f"{C1}", ADDRESS), THREE),
    "name above address": (
        (
            "<b>Ada Moss</b>",
            "<i>Institute of Slow Things, Fernville</i>",
            "ada@example.org",
            "<b>Bruno K. Fern</b>",
            "<i>University of Mossburg</i>",
            "bruno@example.org",
            "<b>Chloé de Lichen</b>",
            "<i>University of Mossburg</i>",
            "chloe@example.org",
        ),
        THREE,
    ),
    "e-mail on the line": (
        (
            "Ada Moss ada@example.org",
            "Bruno K. Fern bruno@example.org",
            "Chloé de Lichen chloe@example.org",
            "Institute of Slow Things",
        ),
        THREE,
    ),
    "a label above": (
        ("RESEARCH ARTICLE", "Ada Moss, Bruno K. Fern, Chloé de Lichen", "Institute of Slow Things, Fernville"),
        THREE,
    ),
    "a consortium": ((f"{A1}, {B2}, {C2} on behalf of the Snail Consortium", ADDRESS), THREE),
    "a name of one word": (
        (f"{A1}, {B1}, Suparman<super>2</super>, {C2}, Dag Østby<super>1</super>", ADDRESS),
        ("Ada Moss", "Bruno K. Fern", "Chloé de Lichen", "Dag Østby"),
    ),
    "particles and apostrophes": (
        (
            "Jan van 't Hof<super>1</super>, Siv O’Dell<super>2</super>, Marie d’Aubier<super>1</super>, Ian Le<super>2</super>",
            ADDRESS,
        ),
        ("Jan van 't Hof", "Siv O’Dell", "Marie d’Aubier", "Ian Le"),
    ),
}


@pytest.mark.parametrize("centred", [False, True], ids=["left", "centred"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_authors_of_a_front_page_are_all_found(pool: WorkerPool, tmp_path: Path, layout: str, centred: bool) -> None:
    printed, names = LAYOUTS[layout]
    assert pool.parse(front_page(tmp_path / "a.pdf", *printed, centred=centred)).authors == names


@pytest.mark.parametrize("centred", [False, True], ids=["left", "centred"])
def test_a_list_over_several_lines_keeps_names_that_are_broken_between_them(
    pool: WorkerPool, tmp_path: Path, centred: bool
) -> None:
    names = [
        f"{first} {last}" for first in ("Ada", "Bruno Karl", "Chloé") for last in ("Moss", "van der Fern", "Lichen-Reed", "Østby")
    ]
    printed = ", ".join(f"{name}<super>{number % 3 + 1}</super>" for number, name in enumerate(names))
    assert pool.parse(front_page(tmp_path / "a.pdf", printed, ADDRESS, SECOND, centred=centred)).authors == tuple(names)


def test_authors_in_columns_over_two_rows_are_read_without_their_addresses(pool: WorkerPool, tmp_path: Path) -> None:
    block = "{}\n<i>Dept. of Shells</i>\n<i>University of Mossburg</i>\nMossburg, Germany\n{}@example.org"
    first = [block.format(name, name.split()[0].lower()) for name in THREE]
    second = [block.format(name, name.split()[0].lower()) for name in ("Dag Østby", "Eva Reed", "Finn A. Sedge")]
    paper = pool.parse(front_page(tmp_path / "a.pdf", columns([first, second])))
    assert paper.authors == (*THREE, "Dag Østby", "Eva Reed", "Finn A. Sedge")


def test_an_address_below_the_title_is_never_a_name(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(
        front_page(tmp_path / "a.pdf", "Institute of Slow Things, Fernville, Norway", "New Street 5, 1234 Fernville")
    )
    assert paper.authors == ()
