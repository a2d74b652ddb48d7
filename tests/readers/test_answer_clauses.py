"""From quoted sentences to clauses of an answer."""

import pytest

from methodlens.readers.embedded.clauses import clauses, joined, refers_back
from methodlens.readers.embedded.empty_clauses import says_nothing
from methodlens.readers.embedded.tidying import is_sentence, tidy
from methodlens.readers.embedded.wording import in_third_person, with_pages


@pytest.mark.parametrize(
    ("quote", "tidied"),
    [
        ("Newts were filmed [12, 14] at night (Moss et al., 2019).", "Newts were filmed at night."),
        ("We used a variant of [6] for the ponds.", "We used a variant of [6] for the ponds."),
        ("The ponds (see Fig. 3) were drained, as shown in Table 2.", "The ponds were drained."),
        ("2.1. Pond survey We counted the newts twice.", "We counted the newts twice."),
        ("Data availability Calls are stored in a public archive.", "Calls are stored in a public archive."),
        ("Pond Smoothing During training, we drained the pond.", "During training, we drained the pond."),
        ("The F1- score of the newt\nnet was high .", "The F1-score of the newt net was high."),
        ("We used Adam. The newts were asleep.", "We used Adam. The newts were asleep."),
        ("We drew the newts of each pond in Figure 4 and counted them.", "We drew the newts of each pond and counted them."),
        ("The ponds are listed in Table 2.", "The ponds are listed in Table 2."),
        ("In figure 2a we compare the newts.", "We compare the newts."),
        ("Four scores (Equations (2)–(5)) were used.", "Four scores were used."),
        ("The newts in Tables IV and V were drawn.", "The newts were drawn."),
        ("The full 60, 000 newts were counted.", "The full 60,000 newts were counted."),
        ("Calls were scaled as in [19] to fit the ponds.", "Calls were scaled to fit the ponds."),
        ("Calls were scaled as described by (Moss et al., 2019), by hand.", "Calls were scaled, by hand."),
    ],
)
def test_citations_headings_and_references_to_figures_are_left_out(quote: str, tidied: str) -> None:
    assert tidy(quote) == tidied


@pytest.mark.parametrize(
    "text",
    [
        "2.4. Newt detection",
        "Figure 3. The newts were counted at night.",
        "Accuracy 0.81 0.79 Recall 0.77 0.70",
        "L = ∑ |y − x| + λ ∑ |w| was used.",
        "Keywords: newts, ponds, nets, which were counted.",
        "where W is the weight of the newt.",
        "P(G | x) = e x, (7) where we sum over all newts.",
        "A full description of the ponds can be found in.",
        "The newts of the ponds were counted by employing.",
        "reeds (left), and the ponds of the valley (right) were counted.",
        "The policy a (o, ⇠) ⇠ tanh (o ⇠) and ⇠ is sampled from the ponds.",
    ],
)
def test_headings_captions_tables_and_formulas_are_no_sentences(text: str) -> None:
    assert not is_sentence(tidy(text))


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("However, we counted newts.", ["we counted newts"]),
        ("Note that the net was small, which saved time.", ["the net was small", "which saved time"]),
        ("To save time, the ponds were mapped (at dusk).", ["To save time", "the ponds were mapped", "at dusk"]),
        ("Calls were cut; the rest was kept.", ["Calls were cut", "the rest was kept"]),
        ("A was ill, the next was old, and the last was gone.", ["A was ill, the next was old, and the last was gone"]),
        ("There were 9 (60%) frogs and 6 (40%).", ["There were 9 (60%) frogs and 6 (40%)"]),
        ("In May, newts, frogs or toads were counted.", ["In May", "newts, frogs or toads were counted"]),
        ("We set: • Depth: 2 m, • Width: 3 m, and • Age: 9.", ["We set", "Depth: 2 m", "Width: 3 m", "Age: 9"]),
    ],
)
def test_a_sentence_is_cut_where_a_part_can_be_left_out(sentence: str, parts: list[str]) -> None:
    assert [clause.text for clause in clauses(sentence)] == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "The net was tested on ponds, but it was not used there",
        "Training ran on two cards, although no card was new",
        "If it rained, the films were dropped",
        "Unless stated otherwise, the rate was halved",
    ],
)
def test_negations_and_conditions_stay_with_what_they_qualify(sentence: str) -> None:
    assert joined(clauses(sentence)[:1]) == sentence


def test_joined_clauses_are_the_sentence_again() -> None:
    sentence = "To save time, the ponds were mapped (at dusk), which helped"
    assert joined(clauses(sentence)) == sentence


def test_the_chosen_items_of_a_list_follow_what_announces_them() -> None:
    opening, depth, _, age = clauses("We set: • Depth: 2 m, • Width: 3 m, and • Age: 9.")
    assert joined([opening, depth, age]) == "We set: Depth: 2 m; Age: 9"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("We trained our net and we kept it", "The authors trained their net and they kept it"),
        ("Our ponds were deep", "The authors’ ponds were deep"),
        ("I built a net", "The author built a net"),
        ("My students and I counted newts", "The authors counted newts"),
        ("Class I newts were counted", "Class I newts were counted"),
        ("The US data were used", "The US data were used"),
    ],
)
def test_the_first_person_becomes_the_third(text: str, written: str) -> None:
    assert in_third_person(text) == written


def test_a_full_stop_in_quotation_marks_is_not_doubled() -> None:
    assert with_pages([("They were called “others.”", (2,)), ("A pond was dug", ())]) == (
        "They were called “others” (p. 2). A pond was dug."
    )


def test_what_refers_to_another_sentence_is_known() -> None:
    assert refers_back("It was small")
    assert refers_back("On these sites it was small")
    assert refers_back("Figure 3 shows the net")
    assert refers_back("Table 2 and Fig. 3 report the depths")
    assert refers_back("The depths of the ponds are detailed in Table 2")
    assert not refers_back("These ponds were small")


def test_sentences_of_one_page_share_its_mark() -> None:
    rows = [("the authors used dropout", (2,)), ("The authors trained a net", (2,)), ("A pond was dug", (3, 5, 7))]
    assert with_pages(rows) == "The authors used dropout. They trained a net (p. 2). A pond was dug (pp. 3–7)."


def test_what_can_be_seen_in_a_table_is_said_without_the_remark() -> None:
    assert in_third_person("As we can see in Table 2, the ponds are uneven") == "the ponds are uneven"


def test_a_numeral_after_a_name_is_nobody() -> None:
    assert in_third_person("In Mode I the labels are drawn by hand") == "In Mode I the labels are drawn by hand"
    assert in_third_person("However I counted newts") == "However the author counted newts"
    assert in_third_person("Finally I counted newts") == "Finally the author counted newts"


def test_a_symbol_keeps_its_case_at_the_start_of_a_sentence() -> None:
    assert with_pages([("λ = 0.01 was used", (4,))]) == "λ = 0.01 was used (p. 4)."


def test_a_remark_on_symbols_says_nothing() -> None:
    assert says_nothing("P and Q are the predicted newts of the pond")
    assert not says_nothing("It is the largest pond")
