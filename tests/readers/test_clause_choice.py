"""Which clauses of the quotes make the answer."""

import numpy as np
import pytest

from methodlens.questions import load
from methodlens.readers.embedded.candidates import CandidateSentence, candidate_sentences
from methodlens.readers.embedded.clause_choice import MOST_WORDS, choose_clauses
from methodlens.readers.embedded.clauses import Clause, Role
from methodlens.readers.embedded.weights import NOTHING_LEARNED
from methodlens.readers.embedded.word_use import (
    LearnedWordUse,
    QuotedClause,
    WordUse,
    load_word_use,
    probabilities,
    stems,
    topic,
)
from methodlens.records import Hit, Paper, Passage, Question
from methodlens.text.vectors import load_vectors

TEN_WORDS = WordUse(answer_words=10.0, fact_share=0.5)


def _clause(text: str, role: Role = Role.MAIN, quote: int = 0, *, opens: bool = True, continues: bool = False) -> QuotedClause:
    return QuotedClause(Clause(text, role), quote, opens=opens, continues=continues)


def _choose(*clauses: tuple[QuotedClause, float], said: str = "", learned: WordUse = TEN_WORDS) -> list[int]:
    """Every word of a clause has its probability."""
    given = [dict.fromkeys(stems(each.clause.text), p) for each, p in clauses]
    return choose_clauses([each for each, _ in clauses], given, said, learned)


def test_the_clause_with_the_most_probable_words_comes_first_and_improbable_ones_are_left_out() -> None:
    likely, unlikely = _clause("newts were filmed at night"), _clause("the ponds belong to a school", quote=1)
    assert _choose((unlikely, 0.05), (likely, 0.8)) == [1]


def test_an_answer_that_says_nothing_yet_gets_a_clause_however_improbable() -> None:
    assert _choose((_clause("newts were filmed at night"), 0.01)) == [0]


def test_facts_can_be_the_whole_answer() -> None:
    said = "The newts were filmed with two cameras at night"
    assert _choose((_clause("the ponds belong to a school"), 0.1), said=said) == []


def test_a_clause_that_repeats_what_is_said_is_left_out() -> None:
    assert _choose((_clause("newts were filmed at night"), 0.9), said="Newts were filmed at night") == []


@pytest.mark.parametrize(("words", "kept"), [(4.0, [0]), (40.0, [0, 1])])
def test_questions_with_long_answers_get_more_clauses(words: float, kept: list[int]) -> None:
    clauses = (_clause("newts were filmed at night"), 0.9), (_clause("lamps lit every pond", quote=1), 0.3)
    assert _choose(*clauses, learned=WordUse(answer_words=words)) == kept


def test_an_item_of_a_list_needs_the_clause_that_announces_it() -> None:
    opening, item = _clause("newts were filmed with lamps"), _clause("two lamps of ten watts", Role.ITEM)
    other, width = _clause("ponds belong to a school", quote=1), _clause("three metres of reed", Role.ITEM, 1)
    assert _choose((opening, 0.9), (item, 0.9), (other, 0.01), (width, 0.9), learned=WordUse(answer_words=20.0)) == [0, 1]


@pytest.mark.parametrize(
    "text",
    [
        "the number of newts at night is calculated as follows",
        "The next section describes how newts were filmed",
        "4 Newts filmed at night by pond",
        "Recently, NewtNet counted newts at night",
        "Films of newts at night are available at the following three addresses",
        "Newts at night are counted by a function used for computing the sum as",
        "We will use the notation Night:Newts:10 for newts at night",
    ],
)
def test_a_clause_that_says_nothing_of_the_authors_work_is_left_out(text: str) -> None:
    assert _choose((_clause(text), 0.9), (_clause("newts were filmed at night", quote=1), 0.3)) == [1]
    assert _choose((_clause(text), 0.9)) == []


def test_a_dependent_clause_needs_its_main_clause() -> None:
    main, trailing = _clause("the ponds belong to a school"), _clause("which films newts at night", Role.TRAILING)
    assert _choose((main, 0.05), (trailing, 0.9), said="Newts swim") == []
    assert _choose((main, 0.8), (trailing, 0.9), said="Newts swim") == [0, 1]


def test_a_clause_that_refers_back_needs_the_clause_before() -> None:
    first, pointing = (
        _clause("cameras hung over ponds"),
        _clause("they filmed newts at night", quote=1, opens=False, continues=True),
    )
    assert _choose((first, 0.9), (pointing, 0.9)) == [0, 1]
    assert _choose((first, 0.01), (pointing, 0.9), said="Newts swim") == []


def test_a_title_is_used_only_where_nothing_else_is_said() -> None:
    title = QuotedClause(Clause('the paper is titled "Sleeping newts of the ponds"', Role.MAIN), 1, last_resort=True)
    likely, unlikely = _clause("newts were filmed at night"), _clause("reed belongs to a school")
    assert _choose((likely, 0.6), (title, 0.9)) == [0]
    assert _choose((unlikely, 0.01), (title, 0.9), said="The net counts animals") == []
    assert _choose((title, 0.9)) == [0]


def test_an_answer_has_a_limit() -> None:
    long = " ".join(f"newt{chr(97 + index % 26)}{chr(97 + index // 26)}" for index in range(MOST_WORDS))
    assert _choose((_clause("ponds were filmed twice"), 0.9), (_clause(long, quote=1), 0.99), said="Newts swim") == [0]


def test_a_words_probability_is_that_of_its_features_and_its_vector() -> None:
    question = Question("Q", "?", query="newts", signs=("newt*",))
    about = topic(question, [_quote(question)], title="", text="newts newts ponds", context=[], facts="", learned=NOTHING_LEARNED)
    weights = tuple(range(-128, 128))
    model = WordUse(start=-1.0, features={"in_query": 2.0}, scale=0.01, vector=weights)
    (given,) = probabilities([_clause("newts sleep")], about, LearnedWordUse("", {}, model, {}))
    newts, sleep = load_vectors().encode(["newts", "sleep"]) @ (0.01 * np.array(weights))
    expected = {"newts": 1 / (1 + np.exp(-(1.0 + newts))), "sleep": 1 / (1 + np.exp(-(-1.0 + sleep)))}
    assert given == pytest.approx(expected, abs=1e-6)


def test_a_clause_without_content_words_has_no_probabilities() -> None:
    question = Question("Q", "?", query="net", signs=("newt*",))
    about = topic(question, [_quote(question)], title="", text="", context=[], facts="", learned=NOTHING_LEARNED)
    assert probabilities([_clause("it was")], about, load_word_use()) == [{}]


def _quote(question: Question) -> CandidateSentence:
    text = "The newts sleep under the wet stones."
    (quote,) = candidate_sentences(question, Paper("", "test", text=text), [Hit(Passage(0, len(text), 1, "methods", text), 1.0)])
    return quote


def test_every_shipped_question_has_its_own_numbers() -> None:
    learned = load_word_use()
    missing = [question.id for question in load("dl-methods").questions if question.id not in learned.questions]
    assert missing == []
    assert 0 < learned.any_question.fact_share < 1
    assert all(word == word.lower() and word.isalpha() for word in learned.words)


def test_an_answer_opens_with_the_best_quote_even_if_another_has_likelier_words() -> None:
    best, other = _clause("ponds were drained in May"), _clause("newts were filmed at night", quote=1)
    pointing = _clause("they were drained in May", opens=False)
    assert _choose((best, 0.5), (other, 0.6), learned=WordUse(answer_words=1.0)) == [0]
    assert _choose((pointing, 0.5), (other, 0.6), learned=WordUse(answer_words=1.0)) == [1]


def test_a_clause_that_mostly_repeats_another_is_left_out() -> None:
    first = _clause("newts were filmed at night in ten ponds")
    again = _clause("newts were filmed at night in ten ponds except two", quote=1)
    other = _clause("lamps lit every shallow pond", quote=1)
    assert _choose((first, 0.9), (again, 0.9), learned=WordUse(answer_words=40.0)) == [0]
    assert _choose((first, 0.9), (other, 0.9), learned=WordUse(answer_words=40.0)) == [0, 1]
