"""Networks that the whole paper says are its own. All papers are fictional."""

from collections.abc import Sequence

import pytest

from methodlens.facts.architectures import architectures_of
from methodlens.records import Paper, Section, SectionKind

INTRODUCTION = "Frogs were counted with AlexNet before. We call our network PondSeg."
METHODS = (
    "PondSeg consists of three blocks. We train PondSeg on frogs. PondSeg outperforms all others. "
    "We also trained ResNet-50 on the same frogs. The ResNet-50 model has 50 layers. The ResNet-50 sees every frog."
)


def _paper(title: str = "Counting frogs", introduction: str = INTRODUCTION, methods: str = METHODS) -> Paper:
    text = f"{title}\n{introduction}\n{methods}"
    start = len(title) + 1
    middle = start + len(introduction) + 1
    sections = (
        Section(SectionKind.FRONT, "", 0, start),
        Section(SectionKind.INTRODUCTION, "", start, middle),
        Section(SectionKind.METHODS, "", middle, len(text)),
    )
    return Paper("", "test", text=text, title=title, sections=sections)


def _names(paper: Paper, *quotes: str) -> list[object]:
    return [fact.value for fact in architectures_of(paper).extract(quotes)]


def test_a_quote_that_only_names_the_papers_networks_counts() -> None:
    assert _names(_paper(), "Table 2: PondSeg, ResNet-50 and human observers.") == ["PondSeg", "ResNet-50"]


def test_a_name_that_no_quote_has_is_no_fact() -> None:
    assert _names(_paper(), "We train PondSeg on frogs.") == ["PondSeg"]


def test_a_network_that_only_the_introduction_names_does_not_count() -> None:
    assert _names(_paper(), "Frogs were counted with AlexNet before.", "We train PondSeg on frogs.") == ["PondSeg"]


@pytest.mark.parametrize(
    "methods",
    [
        "Newts score well. We measure NPS twice. The NPS metric is high. Our NPS score is low. NPS dataset.",
        "We train PondSeg once.",
    ],
)
def test_metrics_and_names_that_are_used_once_are_no_networks_of_the_paper(methods: str) -> None:
    paper = _paper(introduction="We propose the newt pond score (NPS).", methods=methods)
    assert _names(paper, "NPS and PondSeg are listed.") == []


def test_the_abbreviation_of_the_title_is_what_the_paper_proposes() -> None:
    methods = "The gated reed quantization (GRQ) is new. GRQ achieves more. GRQ outperforms newts. We train GRQ models."
    paper = _paper("Gated Reed Quantization for Newts", "Newts sleep.", methods)
    assert _names(paper, "Figure 3 shows GRQ at night.") == ["GRQ"]


def test_the_family_is_named_next_to_the_authors_own_network() -> None:
    methods = METHODS + " Our CNN has ten layers. The CNN sees frogs. We train the CNN at night."
    assert _names(_paper(methods=methods), "PondSeg is a CNN that we trained.") == ["PondSeg", "CNN"]


def test_the_family_is_not_named_next_to_a_published_network() -> None:
    methods = "We trained ResNet-50 on frogs. The ResNet-50 model sees frogs. Our CNN is deep. The CNN sees. We train the CNN."
    assert _names(_paper(introduction="Frogs sleep.", methods=methods), "We trained ResNet-50, a CNN.") == ["ResNet-50"]


def test_a_variant_of_the_papers_network_counts_and_its_versions_are_one() -> None:
    methods = METHODS + " PondSeg-v2 is larger. We train PondSeg-v2. Our PondSeg-v2 model wins."
    assert _names(_paper(methods=methods), "We release PondSeg and PondSeg-v2.") == ["PondSeg"]


def test_the_places_are_sentences_that_name_many_networks() -> None:
    paper = _paper(methods=f"{METHODS} We compare PondSeg and ResNet-50.")
    places = architectures_of(paper).places
    assert _texts(paper, places)[0] == "We compare PondSeg and ResNet-50."
    assert all("PondSeg" in text or "ResNet-50" in text for text in _texts(paper, places))


def _texts(paper: Paper, places: Sequence[tuple[int, int, str]]) -> list[str]:
    return [paper.text[start:end] for start, end, _ in places]


def test_a_paper_without_sections_is_read_as_a_whole() -> None:
    assert _names(Paper("", "test", text=METHODS), "ResNet-50 is in Table 2.") == ["ResNet-50"]
    assert architectures_of(Paper("", "test")).places == ()


def test_a_variant_in_a_table_counts_where_the_paper_trains_its_siblings() -> None:
    paper = _paper(methods=f"{METHODS} ResNet-18 [3] 70.1 ResNet-34 [3] 72.4 frogs. VGG-16 [4] 71.0 frogs.")
    assert _names(paper, "ResNet-18, ResNet-34, ResNet-50, VGG-16.") == ["ResNet-18", "ResNet-34", "ResNet-50"]


def test_the_kind_at_the_end_of_an_own_name_is_a_part_of_it() -> None:
    paper = _paper(methods="We train the NGP-RNN on newts. " + "The NGP-RNN classifier sees every newt. " * 5)
    assert _names(paper, "The NGP-RNN was better.") == ["NGP-RNN"]


def test_an_own_name_with_small_words_between_its_capitals_counts() -> None:
    methods = "We propose a Pond-based search using Differentiable Newt Samplers (PDNS) to train networks. "
    paper = _paper(methods=methods + "We train PDNS on newts. The proposed PDNS is small. PDNS outperforms all others.")
    assert _names(paper, "Table 3: PDNS and others.") == ["PDNS"]


def test_the_longer_of_two_own_names_counts() -> None:
    methods = "We call our networks PondNet1 and propose PondNet. We propose PondNet2 as well. "
    paper = _paper(methods=methods + "Our PondNet1 and our PondNet2 are each a PondNet. " * 5)
    assert _names(paper, "Table 3: PondNet1 and PondNet2.") == ["PondNet1", "PondNet2"]
