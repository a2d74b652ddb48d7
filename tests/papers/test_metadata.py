"""Title, authors, year and DOI from the first pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.papers.metadata.authors import split_names
from methodlens.papers.metadata.document import document_metadata
from methodlens.papers.metadata.entries import Metadata, find_doi
from methodlens.papers.metadata.title_page import tidy
from methodlens.papers.raw_page import RawLine, RawPage, RawWord


def line(text: str, size: float, top: float, *, left: float = 50, upright: bool = True, broken: bool = False) -> RawLine:
    """Every character half as wide as it is high."""
    words, at = [], left
    for word in text.split(" "):
        if word:
            words.append(RawWord(word, at, at + len(word) * size / 2))
        at += (len(word) + 1) * size / 2
    return RawLine(tuple(words), (left, top, words[-1].x1, top + size), size, broken, False, upright)


def page(*lines: RawLine, number: int = 1) -> RawPage:
    return RawPage(number, 600.0, 800.0, list(lines))


BODY = tuple(line("Snails move at night and are hard to count by hand in the field", 10, 320 + 12 * i) for i in range(12))
TITLE = (line("Counting garden snails at night", 18, 120), line("with a small neural network", 18, 140))
NAMES = (line("Ada Moss1,2, Bruno K. Fern1 and Chloé de Lichen*", 11, 175), line("1 Institute of Slow Things, Fernville", 8, 195))
ABSTRACT = (line("Abstract", 10, 300), *BODY)
WHOLE = "Counting garden snails at night with a small neural network"


def read(*lines: RawLine, text: str = "", **info: str) -> Metadata:
    return document_metadata([page(*lines)], info, text)


def test_the_title_is_the_largest_text_of_the_upper_page_over_all_its_lines() -> None:
    assert read(*TITLE, *NAMES, *ABSTRACT).title == WHOLE


def test_a_journals_masthead_is_not_the_title_although_it_is_larger_and_higher() -> None:
    masthead = (
        line("Contents lists available at ReadingRoom", 10, 30),
        line("Slow Animals and Their Habitats", 20, 45),
        line("journal homepage: www.example.org/snails", 8, 70),
        line("Slow Animals and Their Habitats 12 (2019) 100-109", 8, 15),
    )
    assert read(*masthead, *TITLE, *NAMES, *ABSTRACT).title == WHOLE


def test_an_article_label_and_a_rotated_stamp_are_not_titles() -> None:
    stamp = line("preprint:1901.00001v1 of the second of March", 30, 200, left=5, upright=False)
    assert read(stamp, line("Original Research Article", 20, 90), *TITLE, *NAMES, *ABSTRACT).title == WHOLE


def test_a_cover_sheet_is_skipped_for_the_page_that_agrees_with_it() -> None:
    cover = page(
        line("See discussions, stats, and author profiles for this publication at a site", 7, 50),
        line(WHOLE, 12, 90),
        line("Some Larger Words About The Site Itself", 26, 400),
    )
    found = document_metadata([cover, page(*TITLE, *NAMES, *ABSTRACT, number=2)], {}, "")
    assert found.title == WHOLE
    assert found.authors[0] == "Ada Moss"


@pytest.mark.parametrize("junk", ["Microsoft Word - snails_v7.doc", "untitled", "Template for Proceedings - WORD", "\uf020", ""])
def test_a_stated_title_is_ignored_unless_the_page_prints_it(junk: str) -> None:
    assert read(*TITLE, *NAMES, *ABSTRACT, Title=junk).title == WHOLE


def test_a_stated_title_that_the_page_prints_wins_over_larger_text_and_keeps_its_spelling() -> None:
    shout = line("A special issue about all animals that are slow", 21, 60)
    capitals = (line("COUNTING GARDEN SNAILS AT NIGHT", 18, 120), line("WITH A SMALL NEURAL NETWORK", 18, 140))
    assert read(shout, *capitals, *NAMES, *ABSTRACT, Title=WHOLE).title == WHOLE


def test_a_word_broken_in_the_title_is_joined_as_the_paper_writes_it() -> None:
    broken = (line("Counting garden snails with multi", 18, 120, broken=True), line("modal transfor", 18, 140, broken=True))
    title = read(*broken, line("mers", 18, 160), *ABSTRACT, text="We use transformers, multi-modal ones.").title
    assert title == "Counting garden snails with multi-modal transformers"


def test_a_page_without_text_has_no_metadata() -> None:
    assert document_metadata([], {}, "") == Metadata()
    assert document_metadata([page()], {"Title": "Anything at all here"}, "") == Metadata()


def test_authors_lose_their_marks_and_stop_before_the_address() -> None:
    assert read(*TITLE, *NAMES, *ABSTRACT).authors == ("Ada Moss", "Bruno K. Fern", "Chloé de Lichen")


@pytest.mark.parametrize(
    ("printed", "names"),
    [
        ("Ada Moss, PhD; Bruno Fern, M.D.", ("Ada Moss", "Bruno Fern")),
        ("Dr. Ada Moss & Bruno Fern, Jr.", ("Ada Moss", "Bruno Fern Jr.")),
        ("Ada Moss * 1 2 Bruno van der Fern 2", ("Ada Moss", "Bruno van der Fern")),
        ("Ada Moss1,†, ID , and A. Jean-Luc O’Fern‡", ("Ada Moss", "A. Jean-Luc O’Fern")),
        ("Ada Moss a,b,⁎, Bruno Fern c", ("Ada Moss", "Bruno Fern")),
        ("Ada Moss · Bruno Fern", ("Ada Moss", "Bruno Fern")),
        ("Department of Slow Things, Fernville", None),
        ("Received 3 May", None),
        ("We count snails and slugs", None),
        ("", None),
    ],
)
def test_a_list_of_names_is_split_completely_or_not_at_all(printed: str, names: tuple[str, ...] | None) -> None:
    assert split_names(printed) == names


def test_authors_in_several_columns_are_read_across_without_their_addresses() -> None:
    def columns(top: float, *texts: str) -> list[RawLine]:
        return [line(text, 10, top, left=50 + 200 * i) for i, text in enumerate(texts)]

    block = [
        *columns(175, "Ada Moss", "Bruno Fern"),
        *columns(186, "Slow Things", "Fast Things"),
        *columns(197, "a@x.org", "b@x.org"),
    ]
    assert read(*TITLE, *block, *columns(225, "Chloé Lichen"), *ABSTRACT).authors == ("Ada Moss", "Bruno Fern", "Chloé Lichen")


def test_names_separated_only_by_space_are_split() -> None:
    assert read(*TITLE, line("Ada Moss     Bruno Fern", 11, 175), *ABSTRACT).authors == ("Ada Moss", "Bruno Fern")


def test_authors_that_each_have_an_address_are_found() -> None:
    rows = (
        line("Ada Moss *, Institute of Slow Things, Fernville", 9, 175),
        line("Bruno Fern and Chloé Lichen, Division of Moss,", 9, 186),
        line("Green University, Fernville", 9, 197, left=70),
    )
    assert read(*TITLE, *rows, *ABSTRACT).authors == ("Ada Moss", "Bruno Fern", "Chloé Lichen")


def test_letters_that_refer_to_addresses_are_not_part_of_the_names() -> None:
    rows = (
        line("Ada Mossa, Bruno Fernb", 11, 175),
        line("a Institute of Slow Things", 8, 190),
        line("b Green University", 8, 200),
    )
    assert read(*TITLE, *rows, *ABSTRACT, text="Ada Mossa, Bruno Fernb. Moss and Fern wrote it.").authors == (
        "Ada Moss",
        "Bruno Fern",
    )


def test_a_row_below_the_title_that_may_not_be_names_gives_no_authors() -> None:
    assert read(*TITLE, line("A study of what moves after dark", 11, 175), *ABSTRACT).authors == ()


def test_stated_authors_count_only_when_the_page_prints_them_all() -> None:
    assert read(*TITLE, *NAMES, *ABSTRACT, Author="End User, Office Computer").authors[0] == "Ada Moss"
    apart = (line("Ada Mo¨ss 1 Bruno Fern 2", 11, 175),)
    assert read(*TITLE, *apart, *ABSTRACT, Author="Ada Möss, Bruno Fern").authors == ("Ada Möss", "Bruno Fern")


@pytest.mark.parametrize(
    ("drawn", "meant"),
    [("Bj¨orn", "Björn"), ("R´ıos", "Ríos"), ("Ha˚kan", "Håkan"), ("¸Celik", "Çelik"), ("Ostberg ¨", "Ostberg"), ("ﬁsh", "fish")],
)
def test_accents_drawn_separately_are_put_back_on_their_letters(drawn: str, meant: str) -> None:
    assert tidy(drawn) == meant


@pytest.mark.parametrize(
    ("printed", "doi"),
    [
        ("https://doi.org/10.5555/Snail.2019.1.", "10.5555/snail.2019.1"),
        ("doi:10.5555/s0140(20)30183-5).", "10.5555/s0140(20)30183-5"),
        ("10.5555/snail.7/full", "10.5555/snail.7"),
        ("10.5555/2020.02.03.200.this version posted", "10.5555/2020.02.03.200"),
        ("10.55/too-short", ""),
        ("no doi", ""),
    ],
)
def test_a_doi_is_cut_where_it_ends_and_is_in_lower_case(printed: str, doi: str) -> None:
    assert find_doi(printed) == doi


def test_the_papers_own_doi_is_found_and_not_that_of_its_data_or_its_references() -> None:
    foot = (
        line("The data are deposited at https://doi.org/10.5555/data.1", 10, 500),
        line("References", 10, 600),
        line("1. Fern B (2001) Slugs. https://doi.org/10.5555/slugs", 8, 620),
    )
    assert read(*TITLE, *ABSTRACT, *foot).doi == ""
    assert read(line("doi: 10.5555/snail.2019.1", 8, 20), *TITLE, *ABSTRACT, *foot).doi == "10.5555/snail.2019.1"


def test_only_a_doi_broken_after_its_slash_continues_on_the_next_line() -> None:
    assert read(*TITLE, line("https://doi.org/10.5555/", 8, 260), line("snail77", 8, 270), *ABSTRACT).doi == "10.5555/snail77"
    assert read(*TITLE, line("https://doi.org/10.5555/snail", 8, 260), line("77 pages", 8, 270), *ABSTRACT).doi == "10.5555/snail"


def test_the_doi_the_file_states_is_taken() -> None:
    assert read(*TITLE, *ABSTRACT, Subject="Slow Animals, 12 (2019). doi:10.5555/SNAIL.1").doi == "10.5555/snail.1"


@pytest.mark.parametrize(
    ("printed", "top", "year"),
    [
        ("Received: 3 May 2018 | Published: 7 June 2019", 250, 2019),
        ("Received: 3 May 2018; accepted 5 December 2018", 250, 2020),
        ("Slow Animals 2019, 12, 34. https://doi.org/10.5555/x1", 780, 2019),
        ("Slow Animals (2019) 12:34-40", 20, 2019),
        ("© The Authors 2019", 780, 2019),
        ("as Fern and Lichen (2003) have shown 12", 500, 2020),
        ("a grid of 1999 cells", 780, 2020),
    ],
)
def test_the_year_is_that_of_publication_else_of_the_file(printed: str, top: float, year: int) -> None:
    assert read(*TITLE, *ABSTRACT, line(printed, 8, top), CreationDate="D:20200101120000Z").year == year


def test_a_year_after_the_creation_of_the_file_is_ignored() -> None:
    assert read(*TITLE, *ABSTRACT, line("© The Authors 2091", 8, 780), CreationDate="D:20200101").year == 2020
    assert read(*TITLE, *ABSTRACT).year is None


def test_a_default_creation_date_is_ignored() -> None:
    assert read(*TITLE, *ABSTRACT, CreationDate="D:20000101000000+00'00'").year is None
    assert read(*TITLE, *ABSTRACT, line("© The Authors 2019", 8, 780), CreationDate="D:19700101000000Z").year == 2019


@given(st.lists(st.tuples(st.text(min_size=1), st.floats(1, 40), st.floats(-50, 900)), max_size=12), st.text(), st.text())
def test_metadata_of_any_page_raises_no_error(printed: list[tuple[str, float, float]], title: str, author: str) -> None:
    lines = [line(text, size, top) for text, size, top in printed if text.strip(" ")]
    document_metadata([page(*lines)], {"Title": title, "Author": author, "CreationDate": author, "Subject": title}, title)
