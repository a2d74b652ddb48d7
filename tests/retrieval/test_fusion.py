"""The ranking over all signals: what it finds, what it leaves out, and whose weights it takes."""

import numpy as np
import pytest
from msgspec.structs import replace

from methodlens.errors import RetrievalError
from methodlens.questions import load
from methodlens.records import Passage, Question
from methodlens.retrieval import LexicalRetriever, create
from methodlens.retrieval.fusion import repetitions, spread
from methodlens.retrieval.ranking import load_ranking
from methodlens.retrieval.signals import NAMES
from methodlens.settings import RetrievalSettings
from methodlens.text.vectors import load_vectors

TEXTS = (
    "The harbour opens at dawn and closes at dusk.",
    "We fitted the network on two graphics cards for nine hours.",
    "Gulls were counted by hand from the pier.",
    "All scripts are at https://github.com/gulls/pier under an open licence.",
    "Of the pictures, 80% were kept for training and 20% for testing.",
)


def passages(texts: tuple[str, ...] = TEXTS, section: str = "methods") -> tuple[Passage, ...]:
    return tuple(Passage(100 * i, 100 * i + len(text), 1, section, text) for i, text in enumerate(texts))


def rank(question: Question, given: tuple[Passage, ...] | None = None, ranking: str = "learned") -> list[str]:
    settings = RetrievalSettings(ranking=ranking)
    hits = create(settings, {}).index(passages() if given is None else given).rank(question)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.passage.text for hit in hits]


def test_vectors_find_passages_that_share_no_word_with_the_question() -> None:
    assert rank(Question("Q1", "Which GPU hardware?"), ranking="plain")[0] == TEXTS[1]
    assert TEXTS[1] in rank(Question("Q1", "Which GPU hardware?"))[:2]


def test_a_code_question_finds_links() -> None:
    assert rank(load("dl-methods").questions[9])[0] == TEXTS[3]


def test_a_split_question_finds_percentages_next_to_training() -> None:
    assert rank(load("dl-methods").questions[6])[0] == TEXTS[4]


def test_passages_that_share_nothing_with_the_question_are_left_out() -> None:
    assert TEXTS[0] not in rank(Question("Q1", "Which optimiser minimised the loss?"))


def test_an_empty_paper_and_an_empty_question_give_no_hits() -> None:
    assert rank(Question("Q1", "gulls"), ()) == []
    assert rank(Question("Q1", "?")) == []
    assert rank(Question("Q1", "🜁🜂")) == []
    assert rank(Question("Q1", "gulls"), passages(TEXTS[2:3])) == [TEXTS[2]]
    assert rank(Question("Q1", "gulls"), passages(("", " ", "...")), "plain") == []


def test_the_first_hits_do_not_repeat_one_paragraph() -> None:
    gull = "Gulls were counted by hand from the pier."
    given = passages((gull, gull, gull + " ", "Gulls at sea were counted from a boat with binoculars by two of us."))
    first, second, *_ = rank(Question("Q1", "How were gulls counted?"), given)
    assert {first[:12], second[:12]} == {"Gulls were c", "Gulls at sea"}


def test_ranking_duplicates_lower_keeps_every_passage() -> None:
    vectors = np.ones((4, 1), np.float32)
    order = spread(np.array([4, 3, 2, -np.inf], np.float32), repetitions(vectors, alike=0.85, damping=1.0))
    assert sorted(index for index, _ in order) == [0, 1, 2]


def test_learned_weights_do_not_apply_to_a_changed_question_with_the_same_id() -> None:
    ranking = load_ranking()
    question = load("dl-methods").questions[19]
    assert ranking.learned_for(question)
    assert ranking.weights_for(question) is ranking.learned.signals
    assert ranking.learned_for(Question("CQ20", "How many gulls?")) is None
    assert ranking.weights_for(Question("CQ20", "How many gulls?")) is ranking.bare


def test_every_shipped_question_has_learned_weights_for_its_current_wording() -> None:
    stale = [question.id for question in load("dl-methods").questions if not load_ranking().learned_for(question)]
    assert not stale, "run training/ranking.py again: these questions have changed"


def test_every_weight_belongs_to_a_signal_and_every_term_is_a_plain_word() -> None:
    ranking = load_ranking()
    for weights in (ranking.plain, ranking.bare, ranking.learned.signals):
        assert set(weights) <= set(NAMES)
    terms = {term for learned in ranking.learned.questions.values() for term in learned.terms}
    assert terms
    assert all(term.replace("-", "").isalpha() and term.islower() for term in terms)
    assert sum(len(learned.terms) for learned in ranking.learned.questions.values()) < 2000


def test_the_settings_choose_the_ranking() -> None:
    assert isinstance(create(RetrievalSettings(ranking="lexical"), {}), LexicalRetriever)
    with pytest.raises(RetrievalError, match=r"'lexicl': set .* to one of learned, plain, lexical"):
        create(RetrievalSettings(ranking="lexicl"), {})


def test_the_shipped_vectors_place_related_words_close_together() -> None:
    asked, near, far = load_vectors().encode(["labelled by experts", "annotated by specialists", "closed at dusk"])
    assert asked @ near > asked @ far + 0.2


def test_an_example_of_an_answering_sentence_moves_the_passage_that_reads_like_it_up() -> None:
    bare = Question("own", "What did the team do with the network?")
    helped = replace(bare, examples=("Birds were counted by two people on the pier.",))
    assert rank(bare)[0] != TEXTS[2]
    assert rank(helped)[0] == TEXTS[2]
