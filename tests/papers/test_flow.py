"""From printed lines to clean text."""

from hypothesis import given
from hypothesis import strategies as st

from methodlens.papers import WorkerPool, from_text, split
from methodlens.papers.extract import RawLine, RawPage
from methodlens.papers.flow import flow
from methodlens.papers.headings import is_heading, kind_of, sections
from methodlens.records import Paper, SectionKind
from methodlens.text import places
from tests.conftest import EXAMPLES


def page(*lines: str, number: int = 1, top: float = 100.0) -> RawPage:
    made = [RawLine(line, (40.0, top + 12 * i, 240.0, top + 12 * i + 11), 11.0, broken=False) for i, line in enumerate(lines)]
    return RawPage(number, 300.0, 800.0, made)


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
        head = RawLine("Journal of Imaginary Results 12", (40.0, 20.0, 240.0, 31.0), 11.0, broken=False)
        foot = RawLine(str(number), (150.0, 780.0, 155.0, 791.0), 11.0, broken=False)
        pages.append(body._replace(lines=[head, *body.lines, foot]))
    assert flow(pages).text == " ".join(f"Sentence number {n} of the paper stands here." for n in (1, 2, 3))


def test_headings_are_told_from_sentences_and_rows_of_numbers() -> None:
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


def test_the_columns_of_an_example_paper_are_not_interleaved_and_its_references_are_no_passages(pool: WorkerPool) -> None:
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
    assert first[0] > 200
    assert second[0] == 40.0


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=12), st.integers(50, 500))
def test_passages_are_always_spans_of_the_text(blocks: list[str], size: int) -> None:
    paper = from_text(blocks)
    for passage in split(paper, size=size):
        assert passage.text == paper.text[passage.start : passage.end]
        assert len(passage.text) <= 2 * size + 1
