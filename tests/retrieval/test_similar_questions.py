import pytest

from methodlens.engine.expand import understood
from methodlens.questions import load
from methodlens.records import Question
from methodlens.retrieval.query import query_words
from methodlens.retrieval.similar_questions import SimilarQuestions
from methodlens.retrieval.vectors import load_vectors
from methodlens.settings import RetrievalSettings

KNOWN = load("dl-methods").questions
SIMILAR = SimilarQuestions(KNOWN, load_vectors())


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("Which optimizer did they train with?", "CQ15"),
        ("On what kind of GPU was the network trained?", "CQ20"),
        ("Was dropout used against overfitting?", "CQ17"),
        ("How did they annotate the data?", "CQ3"),
    ],
)
def test_a_question_in_other_words_gets_what_is_known_of_its_like(text: str, like: str) -> None:
    found = SIMILAR.expand(Question("mine", text))
    theirs = next(question for question in KNOWN if question.id == like)
    assert (found.id, found.text, found.like) == ("mine", text, like)
    assert (found.query, found.signs, found.facts) == (theirs.query, theirs.signs, theirs.facts)


@pytest.mark.parametrize("text", ["Who paid for the newt nets?", "Which ponds froze in winter?", "?", "的"])
def test_a_question_like_none_stays_as_it_is(text: str) -> None:
    assert SIMILAR.expand(Question("mine", text)) == Question("mine", text)


def test_a_question_that_brings_its_own_signs_is_left_alone() -> None:
    mine = Question("mine", "Which optimizer did they train with?", signs=("lion",))
    assert SIMILAR.expand(mine) == mine


def test_its_own_words_are_searched_for_beside_those_of_its_like() -> None:
    found = SIMILAR.expand(Question("mine", "Was the lookahead optimizer used for training?"))
    assert {"lookahead", "adam"} <= set(query_words(found))


def test_expansion_can_be_turned_off() -> None:
    bare = [Question("mine", "Which optimizer did they train with?")]
    assert understood(bare, RetrievalSettings(expand=False)) == tuple(bare)
    assert understood(bare, RetrievalSettings())[0].like == "CQ15"
