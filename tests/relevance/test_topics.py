"""The list of topics: what questions ask for, and the other words in which papers answer."""

import re
import tomllib
from importlib import resources

import numpy as np
import pytest

from methodlens.papers import from_text, split
from methodlens.records import Question
from methodlens.relevance.features import NAMES
from methodlens.relevance.model import Relevance, load_model
from methodlens.relevance.paper_kind import KINDS
from methodlens.relevance.sentence_table import Chunk, SentenceTable
from methodlens.relevance.topics import topics_of
from methodlens.text import words
from training.topic_rates import TO, further, rated, read_topics, written

OTHERS = (
    "Newts are slow.",
    "The water was cold in the morning.",
    "Nets were emptied twice a day by two divers.",
    "The survey began at the northern shore of the pond.",
    "All authors visited the pond with the treatment team in spring.",
    "Images of the pond show reeds on each side.",
)
_ENTRY = re.compile(r"(\w+) = \{ asked = \"([^\"]*)\", said = \"([^\"]*)\", ml = ")


def score(text: str, *sentences: str) -> Relevance:
    model = load_model()
    table = SentenceTable([Chunk(0, "methods", sentence) for sentence in sentences], model.encoder)
    return model.score(Question("mine", text), table)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do the authors have competing interests?", "NB has received honoraria from a maker of nets and traps."),
        ("How was adherence measured?", "The divers kept a diary and returned unused tablets."),
        ("Which licence applies?", "The photographs may be shared under Creative Commons terms."),
        ("Who annotated the images?", "Three experts drew a bounding box around every newt."),
    ],
)
def test_an_answer_without_a_word_of_the_question_is_the_best_sentence(question: str, answer: str) -> None:
    scores = score(question, *OTHERS, answer).scores
    assert int(np.argmax(scores)) == len(OTHERS)


def test_a_word_of_a_longer_term_does_not_name_a_topic_alone() -> None:
    assert [topic.name for topic in topics_of(("learning", "rate"))] == ["learning_rate"]
    assert "prevalence" in [topic.name for topic in topics_of(("rate",))]


def test_a_question_on_no_listed_topic_has_no_signs_of_any() -> None:
    relevance = score("Which newts sing?", "Some newts sing at night.", "The pond was supported by a grant.")
    columns = [number for number, name in enumerate(NAMES) if name.startswith("topic_")]
    assert columns
    assert not relevance.asked.topics
    assert not relevance.rows[:, columns].any()


def test_examples_name_topics_only_if_the_question_itself_names_none() -> None:
    def names(text: str) -> list[str]:
        return [topic.name for topic in load_model().asked(Question("mine", text)).topics]

    assert names("Which things, such as sealed envelopes, helped?") == ["concealment"]
    assert names("Who funded it (e.g. sealed envelopes)?") == ["funding"]


def test_every_topic_says_how_often_papers_of_each_kind_report_it() -> None:
    tree = tomllib.loads((resources.files("methodlens.relevance") / "data" / "topics.toml").read_text(encoding="utf-8"))
    names = [name for group in tree.values() for name in group]
    assert len(names) == len(set(names))
    for group in tree.values():
        for name, lists in group.items():
            assert set(lists) == {"asked", "said", *KINDS}, name
            assert all(0.5 <= lists[kind] <= 99.5 for kind in KINDS), name


def test_the_rates_are_those_of_the_raters_and_of_nobody_else() -> None:
    text = TO.read_text(encoding="utf-8")
    general = rated(read_topics(tomllib.loads(text)))
    header = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    assert {len(topic.rates) for topic in general} == {3}
    assert written(header, [*general, *further(general)]) == text


def test_a_topic_of_a_further_field_leaves_the_words_of_the_general_list_alone() -> None:
    assert [topic.name for topic in topics_of(("control",))] == ["control"]
    assert [topic.name for topic in topics_of(("redshift",))] == ["source_selection_sky"]


def test_every_entry_of_the_list_has_one_or_two_words_that_can_match() -> None:
    text = (resources.files("methodlens.relevance") / "data" / "topics.toml").read_text(encoding="utf-8")
    entries = _ENTRY.findall(text)
    assert len(entries) == text.count("asked =")
    for name, asked, said in entries:
        for term in f"{asked}, {said}".split(", "):
            usable = [part for part in term.split() if words(part)]
            assert len(usable) == min(2, len(term.split())), f"{name}: {term!r} has a word that is left out of every text"


def test_topics_do_not_depend_on_the_order_of_passages() -> None:
    paper = from_text(("Methods", "Newts were counted.", "The work was supported by a grant.", "Nets were blue."))
    chunks = [Chunk(passage.start, passage.section, passage.text) for passage in split(paper)]
    table = SentenceTable(chunks, load_model().encoder)
    assert [table.rows[number].text for number in table.with_term(("grant",))] == ["The work was supported by a grant."]
    assert table.with_term(("support", "grant")) == table.with_term(("grant", "support"))
