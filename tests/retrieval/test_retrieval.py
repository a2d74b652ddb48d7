"""What retrieval finds, and what it must never do."""

from methodlens.records import Hit, Passage, Question
from methodlens.retrieval import LexicalRetriever, limit

TEXTS = (
    "The harbour opens at dawn and closes at dusk.",
    "We trained the ResNet-50 network on two barges for nine hours.",
    "Gulls were counted by hand from the pier.",
)
PASSAGES = tuple(Passage(100 * i, 100 * i + len(text), 1, "methods", text) for i, text in enumerate(TEXTS))


def rank(question: Question, passages: tuple[Passage, ...] = PASSAGES) -> list[str]:
    return [hit.passage.text for hit in LexicalRetriever().index(passages).rank(question)]


def test_the_query_of_a_question_finds_the_passage_that_answers_it() -> None:
    question = Question("Q1", "On what was the model fitted?", query="trained network hours resnet")
    assert rank(question)[0] == TEXTS[1]


def test_a_question_without_a_query_is_searched_by_its_text() -> None:
    assert rank(Question("Q1", "Who counted the gulls?"))[0] == TEXTS[2]


def test_passages_that_share_nothing_with_the_question_are_not_found() -> None:
    assert rank(Question("Q1", "Who counted the gulls?")) == [TEXTS[2]]


def test_unknown_words_an_empty_paper_and_a_single_passage_raise_nothing() -> None:
    assert rank(Question("Q1", "xylophone zeppelin")) == []
    assert rank(Question("Q1", "gulls"), ()) == []
    assert rank(Question("Q1", "?")) == []
    assert len(rank(Question("Q1", "harbour"), PASSAGES[:1])) == 1


def test_as_much_is_shown_as_fits_and_more_is_kept_for_people() -> None:
    hits = [Hit(Passage(i, i + 100, 1, "", "x" * 100), 1.0) for i in range(10)]
    kept, shown = limit(hits, shown_chars=250, kept_chars=450)
    assert (len(kept), shown) == (5, 2)


def test_the_best_hit_is_shown_however_long() -> None:
    kept, shown = limit([Hit(Passage(0, 900, 1, "", "x" * 900), 1.0)], shown_chars=250, kept_chars=250)
    assert (len(kept), shown) == (1, 1)
