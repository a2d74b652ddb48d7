"""From printed lines to clean text."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from methodlens.papers import WorkerPool, from_text, split
from methodlens.papers.layout.flow import flow
from methodlens.papers.layout.headings import is_heading, kind_of, sections
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import Paper, SectionKind
from methodlens.text import places
from tests.conftest import EXAMPLES


def line(text: str, x: float = 40.0, top: float = 100.0, *, size: float = 11.0, step: float = 5.0, **more: Any) -> RawLine:
    """A line in a font whose characters are all five points wide."""
    words, at = [], x
    for word in text.split():
        words.append(RawWord(word, at, at + step * len(word)))
        at += step * (len(word) + 1)
    return RawLine(tuple(words), (x, top, at - step, top + size), size, **more)


def page(*lines: str, number: int = 1, top: float = 100.0) -> RawPage:
    return RawPage(number, 300.0, 800.0, [line(text, top=top + 12 * index) for index, text in enumerate(lines)])


def test_words_broken_over_lines_are_joined_and_real_hyphens_stay() -> None:
    text = flow(
        [page("The anno-", "tation used a pre-", "trained ResNet-", "50 network; pre-trained means", "trained before.")]
    ).text
    assert "annotation" in text
    assert "pre-trained ResNet-50 network" in text


def test_running_heads_and_page_numbers_are_not_in_the_text() -> None:
    pages = []
    for number in (1, 2, 3):
        body = page(f"Sentence number {number} of the paper stands here.", number=number)
        head = line("Journal of Imaginary Results 12", top=20.0)
        foot = line(str(number), 150.0, 780.0)
        pages.append(body._replace(lines=[head, *body.lines, foot]))
    assert flow(pages).text == " ".join(f"Sentence number {n} of the paper stands here." for n in (1, 2, 3))


def test_headings_are_distinguished_from_sentences_and_rows_of_numbers() -> None:
    assert is_heading("2.3. Model training", larger=False)
    assert is_heading("REFERENCES", larger=False)
    assert is_heading("Data availability", larger=False)
    assert not is_heading("3 12.5 44.1 0.98", larger=False)
    assert not is_heading("future work.", larger=False)
    assert not is_heading("We trained the model on images from the harbour", larger=True)


def test_titles_in_the_reference_list_do_not_end_it() -> None:
    text = "References\nA. Deep learning for gulls\nData Availability\nAll on request."
    spans = [(0, 10), (11, 37), (38, 55)]
    kinds = [section.kind for section in sections(text, spans)]
    assert kinds == [SectionKind.REFERENCES, SectionKind.REFERENCES, SectionKind.AVAILABILITY]
    assert kind_of("5. Acknowledgments") is SectionKind.ACKNOWLEDGEMENTS


def test_the_columns_of_an_example_paper_are_not_interleaved_and_its_references_give_no_passages(pool: WorkerPool) -> None:
    paper = pool.parse(EXAMPLES / "papers" / "silent-on-hardware.pdf")
    kinds = {section.kind for section in paper.sections}
    assert {SectionKind.ABSTRACT, SectionKind.INTRODUCTION, SectionKind.REFERENCES} <= kinds
    passages = split(paper)
    assert all(passage.text == paper.text[passage.start : passage.end] for passage in passages)
    assert not any(passage.section == SectionKind.REFERENCES for passage in passages)
    assert "Okafor et al. (2021) trained their detector on eight NVIDIA V100 GPUs for three days" in paper.text


def test_a_span_gives_a_box_for_each_line_it_touches() -> None:
    clean = flow([page("The first line of a sentence goes", "on here.")])
    paper = Paper(sha256="", parser="test", text=clean.text, pages=clean.pages, lines=clean.lines)
    (place,) = places(paper, clean.text.index("goes"), clean.text.index("here"))
    assert place.page == 1
    first, second = place.boxes
    assert first == (40.0 + 5 * 29, 100.0, 40.0 + 5 * 33, 111.0)
    assert second == (40.0, 112.0, 40.0 + 5 * 2, 123.0)


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=12), st.integers(50, 500))
def test_passages_are_always_spans_of_the_text(blocks: list[str], size: int) -> None:
    paper = from_text(blocks)
    for passage in split(paper, size=size):
        assert passage.text == paper.text[passage.start : passage.end]
        assert len(passage.text) <= 2 * size + 1


def test_a_caption_in_the_middle_of_a_sentence_comes_after_its_paragraph() -> None:
    first = page("The nets were hung on the pier and", number=1)
    caption = line("Figure 2. A net on the pier of the harbour.", top=90.0, size=8.0)
    second = page("dried in the sun for nine days.", number=2, top=300.0)
    text = flow([first, second._replace(lines=[caption, *second.lines])]).text
    assert "hung on the pier and dried in the sun for nine days." in text
    assert text.endswith("Figure 2. A net on the pier of the harbour.")


def test_a_sentence_that_begins_with_figure_stays_where_it_is() -> None:
    text = flow(
        [page("We hung the nets on the pier. See what", "Figure 2 shows about the pier and the", "harbour in spring.")]
    ).text
    assert text == "We hung the nets on the pier. See what Figure 2 shows about the pier and the harbour in spring."


def test_columns_drawn_line_by_line_across_the_page_are_put_in_reading_order() -> None:
    lines = []
    for row in range(12):
        lines.append(line(f"left row {row} of the long text", 40.0, 100.0 + 12 * row))
        lines.append(line(f"right row {row} of the long text", 340.0, 100.0 + 12 * row))
    text = flow([RawPage(1, 600.0, 800.0, lines)]).text
    assert text.index("left row 11") < text.index("right row 0 ")


def test_columns_drawn_as_one_line_are_split_at_the_gutter() -> None:
    lines = []
    for row in range(12):
        left, right = line(f"left row {row} of the long text", 40.0), line(f"right row {row} of the long text", 340.0)
        top = 100.0 + 12 * row
        lines.append(RawLine(left.words + right.words, (40.0, top, right.box[2], top + 11), 11.0))
    text = flow([RawPage(1, 600.0, 800.0, lines)]).text
    assert text.index("left row 11") < text.index("right row 0 ")


def test_the_cells_of_a_row_stay_together() -> None:
    cells = [line("Net", 40.0, 100.0), line("12.5", 140.0, 100.0), line("0.9", 200.0, 100.0)]
    more = [line("Hook", 40.0, 112.0), line("7.1", 140.0, 112.0), line("0.4", 200.0, 112.0)]
    caption = line("Table 1. What was caught, in kg.", top=80.0)
    text = flow([RawPage(1, 300.0, 800.0, [caption, *cells, *more])]).text
    assert "Net 12.5 0.9\nHook 7.1 0.4" in text


def test_line_numbers_of_a_manuscript_are_dropped_and_numbers_in_the_text_are_not() -> None:
    lines = []
    for row in range(10):
        lines.append(line(str(row + 1), 10.0, 100.0 + 12 * row))
        lines.append(line(f"In line {row + 30} we saw 5 gulls and", 40.0, 100.0 + 12 * row))
    text = flow([RawPage(1, 300.0, 800.0, lines)]).text
    assert text.startswith("In line 30 we saw 5 gulls and In line 31")


def test_rotated_stamps_and_banners_on_every_page_are_dropped() -> None:
    pages = []
    for number in range(1, 5):
        body = page(f"This is what page {number} has to say about it.", number=number)
        stamp = line("arXiv:0000.00000v1 [cs.XX] 1 Jan 2020", 5.0, 400.0, upright=False)
        banner = line("DRAFT COPY", 100.0, 420.0, size=30.0)
        pages.append(body._replace(lines=[stamp, *body.lines, banner]))
    text = flow(pages).text
    assert "arXiv" not in text
    assert "DRAFT" not in text


def test_links_broken_over_lines_are_joined_and_sentences_after_links_are_not() -> None:
    assert "https://example.org/nets/data_v2.zip" in flow([page("See https://example.org/nets/", "data_v2.zip for all.")]).text
    assert "10.5281/zenodo.0000000" in flow([page("It is at doi:10.5281/", "zenodo.0000000.")]).text
    assert "https://example.org/gull-nets" in flow([page("See https://example.org/gull-", "nets for all.")]).text
    assert "https://example.org/nets. The" in flow([page("See https://example.org/nets.", "The nets are there.")]).text


def test_a_link_in_another_font_stays_in_its_sentence_and_a_label_of_a_figure_does_not() -> None:
    body = [line("The nets were dried on the beach for many days, and the rest is at", top=100 + 14 * n) for n in range(8)]
    link = line("The code of the nets is on https://example.org/lab/", top=212)
    rest, label = line("Gull-Nets.", top=226, size=9.5), line("Gulls", top=226, size=9.5)
    assert "https://example.org/lab/Gull-Nets." in flow([RawPage(1, 600, 800, [*body, link, rest])]).text
    plain = line("The code of the nets is on the web", top=212)
    assert "the web\nGulls" in flow([RawPage(1, 600, 800, [*body, plain, label])]).text


def test_a_footnote_with_a_dot_after_its_number_does_not_swallow_the_next_paragraph() -> None:
    body = [line("The nets were dried on the beach for many days before they were sold", top=100 + 14 * n) for n in range(8)]
    note = line("1. Code at https://example.org/nets", top=600, size=8.0)
    more = line("and mended in winter.", x=320, top=100)
    assert flow([RawPage(1, 600, 800, [*body, note, more])]).text.endswith("\n1. Code at https://example.org/nets")


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=40), min_size=1, max_size=30), st.data())
def test_every_character_of_the_text_maps_to_a_word_on_its_page(texts: list[str], data: st.DataObject) -> None:
    lines = [line(text, top=100.0 + 12 * index) for index, text in enumerate(texts) if text.split()]
    clean = flow([RawPage(1, 2000.0, 8000.0, lines)])
    paper = Paper(sha256="", parser="test", text=clean.text, pages=clean.pages, lines=clean.lines)
    for one in clean.lines:
        printed = clean.text[one.start : one.end]
        assert " ".join(printed[word.start : word.end] for word in one.words) == printed
    if clean.text.strip():
        at = data.draw(st.integers(0, len(clean.text) - 1))
        if not clean.text[at].isspace() and any(one.start <= at < one.end for one in clean.lines):
            (place,) = places(paper, at, at + 1)
            (box,) = place.boxes
            assert box[0] <= box[2]
            assert 100.0 <= box[1] < box[3]


def test_small_print_in_the_middle_of_a_sentence_comes_after_its_paragraph() -> None:
    first = page("The nets were hung on the long pier and then", "they were dried, as all of them", "have always been func-")
    licence = line("2022 The harbour board of the north", top=700.0, size=7.0)
    labels = [line("mesh in mm", 60.0, 40.0, size=8.0), line("red net", 200.0, 60.0, size=8.0)]
    second = page("tional in the sun for nine days.", number=2, top=300.0)
    text = flow([first._replace(lines=[*first.lines, licence]), second._replace(lines=[*labels, *second.lines])]).text
    assert "have always been functional in the sun for nine days." in text
    assert {"2022 The harbour board of the north", "mesh in mm", "red net"} <= set(text.split("\n"))


def test_a_line_that_looks_small_because_of_a_formula_stays_in_its_paragraph() -> None:
    lines = [line("The nets were hung and the loss of all", top=100.0), line("a + b was seen", top=112.0, size=9.0)]
    lines += [line("in the sun for nine days of the year", top=124.0), line("and nights.", top=136.0)]
    text = flow([RawPage(1, 300.0, 800.0, lines)]).text
    assert text == "The nets were hung and the loss of all a + b was seen in the sun for nine days of the year and nights."


def test_the_labels_of_tables_at_the_top_of_many_pages_are_not_running_heads() -> None:
    pages = []
    for number in (1, 2, 3):
        body = page(f"Sentence number {number} of the paper stands here.", number=number)
        pages.append(body._replace(lines=[line(f"Table {number}", top=20.0, size=9.0), *body.lines]))
    assert all(f"Table {number}" in flow(pages).text for number in (1, 2, 3))
