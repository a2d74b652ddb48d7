"""From what was found in a paper to the probability that it reports an answer."""

import numpy as np
import pytest

from methodlens.records import Question
from methodlens.relevance.cell_features import NEVER_LOWERS, PRIOR, _covered, cell_features, prior_log_odds, question_row
from methodlens.relevance.cell_model import CellModel, CellNumbers, Linear
from methodlens.relevance.model import load_model
from methodlens.relevance.sentence_table import Chunk, SentenceTable
from methodlens.relevance.trees import Trees


def stump(threshold: float, low: float, high: float) -> Trees:
    return Trees(0.0, 1, [0], [0, 0, 0], [threshold, 0.0, 0.0], [1, 1, 2], [2, 1, 2], [0.0, low, high])


def test_trees_and_the_linear_model_are_weighed_together() -> None:
    against = CellModel(CellNumbers(stump(0.5, -2.0, 2.0), Linear(0.0, [-2.0], [0.0], [1.0])))
    agreeing = CellModel(CellNumbers(stump(0.5, -2.0, 2.0), Linear(0.0, [2.0], [0.0], [1.0])))
    row = np.array([[1.0]])
    assert 0.5 < against.probabilities(row)[0] < agreeing.probabilities(row)[0]


def test_a_feature_beyond_those_of_training_does_not_count_more() -> None:
    model = CellModel(CellNumbers(stump(0.5, 0.0, 0.0), Linear(-1.0, [1.0], [0.0], [2.0])))
    at_most, beyond, far_below, at_least = model.probabilities(np.array([[2.0], [500.0], [-500.0], [0.0]]))
    assert at_most == beyond
    assert far_below == at_least


def test_no_probability_is_certain() -> None:
    model = CellModel(CellNumbers(stump(0.5, -90.0, 90.0), Linear(0.0, [0.0], [0.0], [1.0])))
    assert model.probabilities(np.array([[0.0], [1.0]])) == [0.03, 0.97]


def test_the_shipped_numbers_fit_the_features() -> None:
    table = SentenceTable([Chunk(0, "methods", "We counted newts in nine ponds. The ponds were small.")], load_model().encoder)
    relevance = load_model().score(Question("q", "How many newts were counted?"), table)
    assert 0 < load_model().p_reported(relevance) < 1
    assert len(load_model()._cell._linear._weights) == len(NEVER_LOWERS)


ML, TRIAL, OTHER = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def prior(text: str, kinds: tuple[float, ...]) -> float:
    return prior_log_odds(load_model().asked(Question("q", text)), kinds)


def test_what_papers_of_a_kind_rarely_report_is_less_likely_before_reading() -> None:
    assert prior("Which participants gave consent?", TRIAL) > 2
    assert prior("Which participants gave consent?", ML) < 0
    assert prior("Which licence applies?", ML) < prior("Which data set?", ML)


def test_a_paper_between_two_kinds_is_between_their_priors() -> None:
    low, high = (prior("Who gave consent?", kinds) for kinds in (ML, TRIAL))
    assert low < prior("Who gave consent?", (0.5, 0.5, 0.0)) < high


def test_a_question_on_no_listed_topic_has_even_odds_before_reading() -> None:
    assert prior("Which newts sing?", OTHER) == 0


def test_the_head_noun_says_which_topic_is_asked_for() -> None:
    asked = load_model().asked(Question("q", "Which licence applies to the data set?"))
    assert {"license", "dataset"} <= {topic.name for topic in asked.topics}
    assert [topic.name for topic in asked.main_topics] == ["license"]


def test_the_prior_is_where_the_features_say() -> None:
    table = SentenceTable([Chunk(0, "methods", "The nets were shared under a licence.")], load_model().encoder)
    relevance = load_model().score(Question("q", "Which licence applies?"), table)
    values = cell_features(relevance.asked, relevance.rows, relevance.scores, table)
    assert values[PRIOR] == pytest.approx(prior("Which licence applies?", table.kinds), rel=1e-5)
    assert NEVER_LOWERS[PRIOR]
    assert len(question_row(relevance.asked, table.kinds)) == len(NEVER_LOWERS) - PRIOR


@pytest.mark.parametrize(
    ("text", "share"), [("Newts swim. A grant of the pond council paid.", 0.5), ("A grant paid. All consented.", 1.0)]
)
def test_a_question_on_two_topics_is_covered_by_sentences_on_both(text: str, share: float) -> None:
    asked = load_model().asked(Question("q", "Who gave funding and informed consent?"))
    assert {topic.name for topic in asked.topics} == {"funding", "consent"}
    table = SentenceTable([Chunk(0, "other", text)], load_model().encoder)
    assert _covered(asked, table, np.array([1])) == [share, share, share]


def test_topics_count_as_covered_only_close_to_the_best_sentence() -> None:
    asked = load_model().asked(Question("q", "Who gave funding and informed consent?"))
    text = "A grant paid. One newt sang. Two newts sang. Three newts sang. All consented."
    table = SentenceTable([Chunk(0, "other", text)], load_model().encoder)
    assert _covered(asked, table, np.array([0])) == [0.5, 0.5, 1.0]
