"""How well sentences answer, as learned; and the quotes that are chosen by it. All sentences are fictional."""

import numpy as np
import pytest
from msgspec.structs import replace

from methodlens.facts import find, types_of
from methodlens.questions import load
from methodlens.readers.embedded.candidates import CandidateSentence, candidate_sentences
from methodlens.readers.embedded.draft import Draft
from methodlens.readers.embedded.selection import MOST_CHARS, MOST_QUOTES, choose_quotes, with_sources
from methodlens.readers.embedded.sentence_scores import FEATURES, sentence_rows, with_learned_scores
from methodlens.readers.embedded.weights import SentenceModel, load_learned
from methodlens.records import Hit, Paper, Passage, Question, SectionKind
from methodlens.text.vectors import load_vectors

QUESTIONS = {question.id: question for question in load("dl-methods").questions}


def _candidates(text: str, question: Question, section: str = SectionKind.METHODS) -> list[CandidateSentence]:
    paper = Paper("", "test", text=text)
    return candidate_sentences(question, paper, [Hit(Passage(0, len(text), 1, section, text), 1.0)])


def _scores(text: str, question: Question) -> list[float]:
    candidates = _candidates(text, question)
    return [one.learned_score for one in with_learned_scores(question, candidates, load_learned().sentence_model(question))]


@pytest.mark.parametrize(
    ("cq", "answers", "does_not"),
    [
        (
            "CQ4",
            "We mirrored each photo at random and changed its brightness.",
            "The leaflet was translated from Danish to Finnish.",
        ),
        ("CQ15", "The newt net was trained with the Adam optimizer.", "We found the optimum depth of the pond by hand."),
        ("CQ20", "Training took two days on four NVIDIA V100 GPUs.", "The ponds were visited on two days in four villages."),
        (
            "CQ26",
            "Rare newts were oversampled so that all classes were balanced.",
            "The scale was balanced before each newt was weighed.",
        ),
    ],
)
def test_an_answer_scores_above_the_same_words_in_another_sense(cq: str, answers: str, does_not: str) -> None:
    high, low = _scores(f"{answers} {does_not}", QUESTIONS[cq])
    assert high > low


def test_a_score_is_the_sum_of_weighted_features_and_the_weighted_vector() -> None:
    question = Question("Q", "?", query="net", signs=("newt*",))
    candidates = _candidates("The newts sleep under the wet stones. We caught them in small nets.", question)
    by_sign = with_learned_scores(question, candidates, SentenceModel(start=-1.0, features={"any_sign": 2.0}))
    assert [one.learned_score for one in by_sign] == [1.0, -1.0]
    weights = tuple(range(-128, 128))
    by_vector = with_learned_scores(question, candidates, SentenceModel(scale=0.5, vector=weights))
    expected = load_vectors().encode([one.text for one in candidates]) @ (0.5 * np.array(weights))
    assert [one.learned_score for one in by_vector] == pytest.approx(expected.tolist(), abs=1e-3)


def test_a_number_of_repeats_counts_without_another_sign_of_randomness() -> None:
    repeated, other = _candidates("Every pond had four repetitions of training. Ponds were visited in May.", QUESTIONS["CQ24"])
    assert (repeated.signs, repeated.has_fact, other.has_fact) == (frozenset(), True, False)


def test_the_title_is_quoted_for_the_purpose_of_the_model_wherever_it_ranks() -> None:
    title = "Counting sleeping newts with a small net"
    sentences = [f"We propose net {number} to classify the newts of pond {number}." for number in range(6)]
    text = "\n".join((title, *sentences))
    paper, question = Paper("", "test", text=text, title=title), QUESTIONS["CQ25"]
    body = text[len(title) + 1 :]
    context = [Hit(Passage(len(title) + 1, len(text), 1, SectionKind.METHODS, body), 1.0)]
    own = [one for one in candidate_sentences(question, paper, context) if one.own]
    scored = with_learned_scores(question, own, SentenceModel(features={"any_sign": 4.0}))
    quotes = Draft(question, paper, context, scored).quotes
    assert title in [quote.text for quote in quotes]
    assert len(quotes) == MOST_QUOTES


def test_every_sentence_has_all_features_and_finite_ones() -> None:
    question = QUESTIONS["CQ20"]
    candidates = _candidates("We trained on GPUs in the old boathouse. See https://example.org/newts for more of this.", question)
    features, vectors = sentence_rows(question, candidates)
    assert features.shape == (len(candidates), len(FEATURES))
    assert np.isfinite(features).all()
    assert len(vectors) == len(candidates)
    assert features[1, FEATURES.index("link")] == 1


def test_a_sentence_knows_what_its_neighbours_have() -> None:
    question = Question("Q", "?", query="gpu", signs=("gpu*",))
    first, second, third = _candidates(
        "We trained the net on a GPU. One run took six hours there. The newts were asleep then.", question
    )
    assert not first.neighbour_sign
    assert second.neighbour_sign
    assert not third.neighbour_sign


def test_the_quotes_are_filled_up_and_come_best_first() -> None:
    question = QUESTIONS["CQ6"]
    text = " ".join(f"All {thing} were resized to 224 pixels and normalised before training." for thing in "abcdefgh")
    chosen = choose_quotes(
        question, with_learned_scores(question, _candidates(text, question), load_learned().sentence_model(question))
    )
    assert len(chosen) == MOST_QUOTES
    assert sum(len(one.text) for one in chosen) <= MOST_CHARS
    scores = [one.learned_score for one in chosen]
    assert scores == sorted(scores, reverse=True)


def test_a_sentence_that_adds_nothing_is_not_quoted_to_fill_up() -> None:
    question = QUESTIONS["CQ15"]
    own = with_learned_scores(
        question,
        _candidates("The newt net was trained with the Adam optimizer. The boat was painted green last year.", question),
        load_learned().sentence_model(question),
    )
    assert [one.text for one in choose_quotes(question, own)] == ["The newt net was trained with the Adam optimizer."]


def test_every_shipped_question_has_a_sentence_model_for_its_current_form() -> None:
    stale = [question.id for question in QUESTIONS.values() if not load_learned().of(question).sentences]
    assert not stale, "learn again: make verdicts GOLD=... STUDY=..."
    assert all(set(load_learned().sentence_model(question).features) == set(FEATURES) for question in QUESTIONS.values())


def test_a_sentence_with_the_more_specific_name_is_quoted_before_those_without_any() -> None:
    question = QUESTIONS["CQ12"]
    general, specific = "As our model we chose a ResNet.", "The ResNet-50 of our model counts newts."
    others = [f"The model of pond {letter} counts newts on each photo." for letter in "abcdef"]
    own = _candidates(" ".join((general, *others, specific)), question)
    own = [replace(one, learned_score=3.0 - 0.3 * place) for place, one in enumerate(own)]
    assert {general, specific} <= {one.text for one in choose_quotes(question, own)}


def test_neighbouring_sentences_with_more_settings_are_quoted_in_one_piece() -> None:
    question = QUESTIONS["CQ13"]
    settings = (
        "a learning rate of 0.01",
        "a batch size of 32",
        "a momentum of 0.9",
        "a weight decay of 0.001",
        "dropout of 0.5",
        "90 epochs",
        "5000 training iterations",
    )
    text = " ".join(f"The newt net was trained with {value}." for value in settings)
    paper = Paper("", "test", text=text)
    scored = with_learned_scores(question, _candidates(text, question), load_learned().sentence_model(question))
    chosen = choose_quotes(question, scored)
    assert len(chosen) == len(settings)
    quotes = with_sources(paper, chosen, find(types_of(question), [one.fact_text for one in chosen]))
    assert [quote for _, _, quote in quotes] == [text]
