import pytest

from methodlens.engine.expand import expand_questions
from methodlens.questions import load
from methodlens.records import Question
from methodlens.retrieval.query import query_words
from methodlens.retrieval.similar_questions import SimilarQuestions
from methodlens.settings import RetrievalSettings
from methodlens.text.vectors import load_vectors

KNOWN = load("dl-methods").questions
SIMILAR = SimilarQuestions(KNOWN, load_vectors())


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("Which optimizer did they train with?", "CQ15"),
        ("Which hardware was used for training?", "CQ20"),
        ("How did they annotate the data?", "CQ3"),
    ],
)
def test_a_paraphrase_of_a_shipped_question_gets_its_query_signs_and_facts(text: str, like: str) -> None:
    found = SIMILAR.expand(Question("mine", text))
    theirs = next(question for question in KNOWN if question.id == like)
    assert (found.id, found.text, found.like) == ("mine", text, like)
    assert (found.query, found.signs, found.facts) == (theirs.query, theirs.signs, theirs.facts)


@pytest.mark.parametrize("text", ["Who paid for the newt nets?", "Which ponds froze in winter?", "?", "的"])
def test_a_question_like_no_shipped_one_is_unchanged(text: str) -> None:
    assert SIMILAR.expand(Question("mine", text)) == Question("mine", text)


@pytest.mark.parametrize(
    "text",
    [
        "How many images are in the test set?",
        "How many parameters does the model have?",
        "What was the best accuracy?",
        "Which loss function is used?",
        "Was dropout used against overfitting?",
    ],
)
def test_nothing_is_borrowed_from_a_question_with_another_form_or_head_noun(text: str) -> None:
    assert SIMILAR.expand(Question("mine", text)).like == ""


def test_a_question_with_signs_is_unchanged() -> None:
    mine = Question("mine", "Which optimizer did they train with?", signs=("lion",))
    assert SIMILAR.expand(mine) == mine


def test_an_expanded_question_is_also_searched_by_its_own_words() -> None:
    found = SIMILAR.expand(Question("mine", "Which lookahead optimizer was used for training?"))
    assert {"lookahead", "adam"} <= set(query_words(found))


def test_expansion_can_be_turned_off() -> None:
    bare = [Question("mine", "Which optimizer did they train with?")]
    assert expand_questions(bare, RetrievalSettings(expand=False)) == tuple(bare)
    assert expand_questions(bare, RetrievalSettings())[0].like == "CQ15"
