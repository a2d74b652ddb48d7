"""Footnotes and references of generated PDFs, tied to the sentences that cite them."""

from collections.abc import Sequence

import pytest

from methodlens.facts.urls import urls
from methodlens.papers import WorkerPool, split
from methodlens.questions.loading import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.embedded.citations import citations, cited_sentence, link_sentences, without_note_marks
from methodlens.readers.embedded.tidying import tidy
from methodlens.records import Answer, Hit, Paper, Section, SectionKind
from tests.papers.raw_pdf import FONT, raw_pdf, stream

FILLER = (
    "The ponds of the valley were visited every week from March to July, and the weather",
    "was written down by the same two people who also counted the newts at the shore.",
    "The water was cold in spring and warm in summer, as in most years before this one.",
)


def pdf(pages: Sequence[bytes]) -> bytes:
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        FONT,
    ]
    for number, content in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> >> /Contents %d 0 R >>"
            % (5 + 2 * number)
        )
        objects.append(stream(content))
    return raw_pdf(*objects)


def printed(text: str, y: float, *, size: float = 11.0, x: float = 50.0) -> bytes:
    """A line of text. `Word^1^` prints the 1 as a superscript, glued to the word."""
    parts = [b"BT /F %.1f Tf %.1f %.1f Td" % (size, x, y)]
    for index, part in enumerate(text.split("^")):
        raised = index % 2 == 1
        escaped = part.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("latin-1")
        parts.append(b"/F %.1f Tf %.1f Ts (%s) Tj" % (size * 0.65 if raised else size, size * 0.35 if raised else 0.0, escaped))
    return b" ".join([*parts, b"ET"])


def page(heading: str, lines: Sequence[str], notes: Sequence[str] = ()) -> bytes:
    body = [printed(heading, 740, size=15)]
    body += [printed(line, 710 - 14 * index) for index, line in enumerate([*FILLER, *lines, *FILLER, *FILLER])]
    body += [printed(note, 60 - 11 * index, size=8) for index, note in enumerate(notes)]
    return b"\n".join(body)


@pytest.fixture(scope="module")
def with_footnotes(pool: WorkerPool, tmp_path_factory: pytest.TempPathFactory) -> Paper:
    first = page(
        "2 Methods",
        [
            "The source code of our classifier is available online^1^. We trained it on recordings from",
            "the Pond Sound Archive^2^ and cut them with the editor Chirper^3^, which is free. The F1 score",
            "was computed on all of them.",
        ],
        [
            "^1^https://github.com/pond-lab/newt-net",
            "^2^The archive of the valley, https://sounds.ponds.example.org/",
            "^3^https://chirper.example.com/",
        ],
    )
    path = tmp_path_factory.mktemp("footnotes") / "paper.pdf"
    path.write_bytes(pdf([first]))
    return pool.parse(path)


@pytest.fixture(scope="module")
def with_references(pool: WorkerPool, tmp_path_factory: pytest.TempPathFactory) -> Paper:
    methods = page(
        "2 Methods",
        [
            "We trained the network on the PondNet dataset [2], which contains 4000 images of newts. The",
            "layers follow an earlier network [1], and the images were cut in half before training. They",
            "were labelled with the tool BoxDraw [3].",
        ],
    )
    references = page(
        "References",
        [
            "[1] A. Marsh and B. Reed. Deep nets for ponds. Journal of Ponds, 3, 2015. https://doi.org/10.9999/ponds.15",
            "[2] C. Brook. PondNet: images of newts. 2019. https://pondnet.example.org/images-2019",
            "[3] D. Fen. BoxDraw. 2018. https://github.com/fen/boxdraw",
        ],
    )
    path = tmp_path_factory.mktemp("references") / "paper.pdf"
    path.write_bytes(pdf([methods, references]))
    return pool.parse(path)


def ask(paper: Paper, question: str) -> Answer:
    asked = next(each for each in load("dl-methods").questions if each.id == question)
    return EmbeddedReader().read(asked, paper, [Hit(passage, 1.0) for passage in split(paper)])


def sentence(paper: Paper, part: str) -> str:
    at = paper.text.index(part)
    start = paper.text.rfind(". ", 0, at) + 2
    return cited_sentence(paper, start, paper.text.index(".", at + len(part)) + 1, citations(paper)).text


def test_a_footnote_is_tied_to_the_sentence_with_its_mark(with_footnotes: Paper) -> None:
    assert urls("code", sentence(with_footnotes, "source code")) == ["https://github.com/pond-lab/newt-net"]
    assert urls("data", sentence(with_footnotes, "recordings from")) == ["https://sounds.ponds.example.org/"]


def test_a_number_that_belongs_to_a_name_is_not_a_mark(with_footnotes: Paper) -> None:
    marked = [with_footnotes.text[: citation.start].split()[-1] for citation in citations(with_footnotes)]
    assert not any(word.endswith("F") for word in marked)
    assert len(marked) == 3


def test_the_number_of_a_footnote_is_no_part_of_an_answer(with_footnotes: Paper) -> None:
    start = with_footnotes.text.index("We trained it")
    end = with_footnotes.text.index(" The F1")
    assert tidy(without_note_marks(with_footnotes, start, end)) == (
        "We trained it on recordings from the Pond Sound Archive and cut them with the editor Chirper, which is free."
    )


def test_code_and_data_are_reported_with_the_links_of_their_footnotes(with_footnotes: Paper) -> None:
    code, data = ask(with_footnotes, "CQ10"), ask(with_footnotes, "CQ11")
    assert code.facts["code_urls"] == ["https://github.com/pond-lab/newt-net"]
    assert data.facts["data_urls"] == ["https://sounds.ponds.example.org/"]
    assert any("newt-net" in quote.quote for quote in code.evidence)
    assert any("sounds.ponds" in quote.quote for quote in data.evidence)


def test_a_reference_with_a_link_is_tied_to_the_data_set_that_cites_it(with_references: Paper) -> None:
    answer = ask(with_references, "CQ11")
    assert answer.facts["data_urls"] == ["https://pondnet.example.org/images-2019"]
    assert any("PondNet dataset" in quote.quote for quote in answer.evidence)


def test_articles_and_other_peoples_tools_in_the_references_are_neither_code_nor_data(with_references: Paper) -> None:
    links = {citation.link for citation in citations(with_references)}
    assert not any("10.9999" in link for link in links)
    code = ask(with_references, "CQ10")
    assert not code.facts.get("code_urls")
    assert code.p_reported is not None
    assert code.p_reported < 0.5


# --- text without pages -----------------------------------------------------------------------------------------------


def paper_of(methods: str, references: str = "", doi: str = "") -> Paper:
    text = f"{methods}\n{references}" if references else methods
    sections = [Section(SectionKind.METHODS, "Methods", 0, len(methods))]
    if references:
        sections.append(Section(SectionKind.REFERENCES, "References", len(methods) + 1, len(text)))
    return Paper(sha256="0" * 64, parser="test", text=text, sections=tuple(sections), doi=doi)


def read(kind: str, paper: Paper) -> list[str]:
    return [
        url
        for start, end, _ in link_sentences(paper)
        for url in urls(kind, cited_sentence(paper, start, end, citations(paper)).text)
    ]


ENTRIES = "Brook, C. (2019). PondNet images. https://pondnet.example.org/v1.\nReed, B. (2019). Nets. Ponds 3, 12. https://doi.org/10.9999/p.3."


@pytest.mark.parametrize(
    ("methods", "found"),
    [
        ("We used the PondNet data set (Brook, 2019).", ["https://pondnet.example.org/v1"]),
        ("We used the data set of Brook (2019).", ["https://pondnet.example.org/v1"]),
        ("We used the PondNet data set (Brook, 2018).", []),
        ("We used the PondNet data set (Reed, 2019).", []),
        ("The layers are those of Brook (2019).", []),
    ],
)
def test_references_by_author_and_year(methods: str, found: list[str]) -> None:
    assert read("data", paper_of(methods, ENTRIES)) == found


BULLETS = (
    "• Brook C (2019) PondNet. GitHub. URL: https://github.com/brook/pondnet • Brook C, Fen D (2019) Pond sounds. Zenodo. "
    "URL: https://zenodo.org/record/7 • Marsh A (2001) Ponds. Fens 3: 12-19."
)


@pytest.mark.parametrize(
    ("methods", "kind", "found"),
    [
        ("The source code of the newt net is available (Brook 2019).", "code", ["https://github.com/brook/pondnet"]),
        ("The data are available at Zenodo (Brook and Fen 2019).", "data", ["https://zenodo.org/record/7"]),
        ("The data are available at Zenodo (Brook et al. 2019).", "data", ["https://zenodo.org/record/7"]),
    ],
)
def test_works_of_an_author_and_a_year_are_told_apart_by_their_other_authors(methods: str, kind: str, found: list[str]) -> None:
    assert read(kind, paper_of(methods, BULLETS)) == found


@pytest.mark.parametrize(
    ("mark", "cited"),
    [("[2]", True), ("[2, 9]", True), ("[1-3]", True), ("[1]", False), ("[3-5]", False), ("[2000]", False)],
)
def test_numbered_references_in_lists_and_ranges(mark: str, cited: bool) -> None:
    entries = "[1] A. Marsh. Nets. 2015.\n[2] C. Brook. PondNet. https://pondnet.example.org/v1.\n[3] D. Fen. Ponds. 2001."
    found = read("data", paper_of(f"We trained on the PondNet data set {mark}.", entries))
    assert found == (["https://pondnet.example.org/v1"] if cited else [])


def test_authors_with_their_first_names_first() -> None:
    entries = "Dora Fen. Ponds, 2001.\nCleo B. Brook. PondNet, 2019. URL https://pondnet.example.org/v1."
    assert read("data", paper_of("We used the PondNet data set (Brook, 2019).", entries)) == ["https://pondnet.example.org/v1"]


RAISED = "Newts call.1 Frogs sing.2 Toads do not.3 Ponds are small.1 Rivers are long.2 Fens are wet.3 "


@pytest.mark.parametrize(
    ("methods", "found"),
    [
        ("We trained on the PondNet data set4.", ["https://pondnet.example.org/v1"]),
        ("We trained on the PondNet data set2,4.", ["https://pondnet.example.org/v1"]),
        ("We trained on the PondNet data set3.", []),
    ],
)
def test_citations_printed_as_superscripts(methods: str, found: list[str]) -> None:
    entries = (
        "1. Marsh, A. Nets. Ponds 3, 12 (2015).\n2. Reed, B. Songs https://doi.org/10.9999/p.3 "
        "3. Fen, D. Silence. Ponds 4, 5 (2001).\n"
        "4. Brook, C. PondNet. https://pondnet.example.org/v1 (2019)."
    )
    assert read("data", paper_of(RAISED + methods, entries)) == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Code and models: https://github.com/lab/newts", True),
        ("It is open source and available on GitHub (https://github.com/lab/newts).", True),
        ("1The code has been released at https://github.com/lab/newts.", True),
        ("Newts are listed at https://newts.example.org/all by Marsh.", False),
    ],
)
def test_links_of_an_introduction_are_read_if_it_says_that_something_is_released(sentence: str, found: bool) -> None:
    section = Section(SectionKind.INTRODUCTION, "Introduction", 0, len(sentence))
    assert bool(link_sentences(Paper(sha256="0" * 64, parser="test", text=sentence, sections=(section,)))) is found


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("We used the Pond corpus.1 It is large.\n1 https://ponds.example.org/c", True),
        ("We used the Pond corpus1, which is large.\n1https://ponds.example.org/c", True),
        ("We used the Pond corpus 1 .\n1. See https://ponds.example.org/c", True),
        ("We used the Pond corpus 1 [35], which is large.\n1https://ponds.example.org/c", True),
        ("We used the Pond dataset1 , which is large.\nIt rained.\nhttps://ponds.example.org/c\nIt stopped.", True),
        ("We used the Pond dataset1 , which is large.\nhttps://ponds.example.org/c\nhttps://lakes.example.org/c", False),
        ("We used the corpus in Table 1.\n1 https://ponds.example.org/c", False),
        ("We used the corpus of version 2.1 here.\n1 https://ponds.example.org/c", False),
        ("We used the corpus Newt-v1 here.\n1 https://ponds.example.org/c", False),
        ("We used the corpus v1.1 here.\n1 https://ponds.example.org/c", False),
        ("We used the Pond corpus.2 It is large.\n1 https://ponds.example.org/c", False),
    ],
)
def test_marks_of_footnotes(text: str, cited: bool) -> None:
    assert bool(read("data", paper_of(text))) is cited


def test_a_data_site_that_is_linked_once_counts_where_it_is_named() -> None:
    linked = "Amateurs share sounds on Xeno-canto (https://www.xeno-canto.org/). "
    assert "https://www.xeno-canto.org/" in read(
        "data", paper_of(linked + "We downloaded 900 recordings from Xeno-canto at random.")
    )
    named_only = paper_of("We downloaded 900 recordings from Xeno-canto at random.")
    assert read("data", named_only) == []


def test_the_papers_own_doi_is_no_data_link() -> None:
    text = "The data are available at https://doi.org/10.5281/zenodo.7."
    assert read("data", paper_of(text)) == ["https://doi.org/10.5281/zenodo.7"]
    assert read("data", paper_of(text, doi="10.5281/zenodo.7")) == []
