"""The second look at the best sentences of a paper."""

import numpy as np
import pytest

from methodlens.records import Question
from methodlens.relevance.features import features, prepare
from methodlens.relevance.model import load_model
from methodlens.relevance.rerank_features import MOST_CANDIDATES, RERANK_NAMES, Scores, candidates, rerank_features
from methodlens.relevance.reranker import Network, Reranker
from methodlens.relevance.sentence_table import Chunk, SentenceTable
from methodlens.text.vectors import Matrix

POND = "Methods\nNewts were caught in nets. We set 48 nets in two ponds. Frogs sang at night. The ponds were small."


def pond(text: str = POND) -> SentenceTable:
    return SentenceTable([Chunk(0, "methods", line) for line in text.split("\n")], load_model().encoder)


def network(weights: dict[str, float]) -> Reranker:
    """One unit, which adds up some features."""
    hidden = [weights.get(name, 0.0) for name in RERANK_NAMES]
    return Reranker(Network([0.0] * len(hidden), [1.0] * len(hidden), [hidden], [0.0], [1.0], 1.0))


def compared(question: str, table: SentenceTable, scores: Scores) -> tuple[list[str], Matrix]:
    """The texts of the candidates, and their features."""
    asked, order = prepare(Question("q", question), load_model().encoder), candidates(scores, table)
    return [table.rows[number].text for number in order], rerank_features(asked, features(asked, table), scores, table, order)


def test_a_heading_is_no_candidate() -> None:
    table = pond()
    order = candidates(np.arange(len(table), dtype=np.float64)[::-1], table)
    assert [table.rows[number].text for number in order][:2] == ["Newts were caught in nets.", "We set 48 nets in two ponds."]


def test_a_sentence_beyond_the_best_keeps_its_score() -> None:
    table = pond(" ".join(f"Newt {number} sang at night." for number in range(MOST_CANDIDATES + 5)))
    asked = prepare(Question("q", "Which newts sang?"), load_model().encoder)
    scores = -np.arange(len(table), dtype=np.float64)
    second = network({"rank": 1.0}).reranked(asked, features(asked, table), scores, table)
    assert second[MOST_CANDIDATES:].tolist() == scores[MOST_CANDIDATES:].tolist()
    assert second[:MOST_CANDIDATES].tolist() != scores[:MOST_CANDIDATES].tolist()


def test_the_best_sentences_weigh_together_what_they_did_before() -> None:
    table = pond()
    asked = prepare(Question("q", "How many nets were set?"), load_model().encoder)
    scores = np.array([-100.0, 3.0, 2.5, 1.0, 0.0])
    second = network({"head_by_value": 4.0}).reranked(asked, features(asked, table), scores, table)
    assert np.argmax(second) == 2
    assert np.exp(second[1:]).sum() == pytest.approx(np.exp(scores[1:]).sum())


def test_a_single_sentence_is_not_looked_at_again() -> None:
    table = pond("Newts sang.")
    asked = prepare(Question("q", "Who sang?"), load_model().encoder)
    scores = np.array([1.5])
    assert network({"score": 3.0}).reranked(asked, features(asked, table), scores, table) is scores


def test_what_a_sentence_alone_has_is_told_from_what_its_rivals_have_too() -> None:
    table = pond()
    texts, rows = compared("How many nets were in the ponds at night?", table, np.array([-100.0, 4.0, 3.0, 2.0, 1.0]))
    alone = dict(zip(texts, rows[:, RERANK_NAMES.index("only_here")].tolist(), strict=True))
    assert alone["Frogs sang at night."] > 0
    assert alone["Newts were caught in nets."] == alone["The ponds were small."] == 0


def test_a_number_next_to_the_noun_that_is_asked_for_is_seen() -> None:
    table = pond()
    texts, rows = compared("How many nets were set?", table, np.array([-100.0, 4.0, 3.0, 2.0, 1.0]))
    assert texts[int(np.argmax(rows[:, RERANK_NAMES.index("head_by_value")]))] == "We set 48 nets in two ponds."


def test_a_feature_far_beyond_those_of_training_counts_no_more() -> None:
    row = np.zeros((2, len(RERANK_NAMES)), np.float32)
    row[:, RERANK_NAMES.index("tokens")] = (50.0, 5000.0)
    first, second = network({"tokens": 1.0}).second_scores(row, np.zeros(2))
    assert first == second


def test_the_decision_is_made_by_the_first_scores() -> None:
    relevance = load_model().score(Question("q", "How many nets were set?"), pond())
    assert load_model().p_reported(relevance) == load_model().p_reported(relevance._replace(scores=relevance.scores[::-1]))


def test_the_shipped_network_fits_the_features() -> None:
    relevance = load_model().score(Question("q", "How many nets were set?"), pond())
    assert relevance.table.rows[int(np.argmax(relevance.scores))].text == "We set 48 nets in two ponds."
    assert relevance.scores.tolist() != relevance.first_scores.tolist()


def test_without_the_second_look_the_first_scores_count() -> None:
    relevance = load_model().score(Question("q", "How many nets were set?"), pond(), second_look=False)
    assert relevance.scores.tolist() == relevance.first_scores.tolist()
