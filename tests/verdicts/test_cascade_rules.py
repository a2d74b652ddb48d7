"""When the reader of a cascade is in doubt, and whose answer counts."""

import pytest

from methodlens.records import Answer, Cell, Evidence, Match, Status, Usage, Verdict
from methodlens.settings import CascadeSettings
from methodlens.verdicts.cascade import combine, deciding, doubt
from methodlens.verdicts.judge import MAX_P_NOT_REPORTED, MIN_P_REPORTED

QUOTE = Evidence("We used two Kestrel cards.", Match.EXACT, 10, 36)
SETTINGS = CascadeSettings()


def cell(reader: str, status: Status, answer: Answer | None = None, reason: str = "") -> Cell:
    return Cell("", "", "Q1", reader, reader, Verdict(status, reason), answer or Answer("Something."))


YES, NO = cell("a", Status.REPORTED), cell("b", Status.NOT_REPORTED)


def test_the_band_of_doubt_is_that_of_a_withheld_verdict() -> None:
    assert (SETTINGS.low, SETTINGS.high) == (MAX_P_NOT_REPORTED, MIN_P_REPORTED)


def test_a_sure_answer_ends_the_cascade() -> None:
    assert doubt(YES, (), SETTINGS) == ""
    assert doubt(NO, (), SETTINGS) == ""
    assert doubt(NO, [cell("a", Status.WITHHELD)], SETTINGS) == ""


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (cell("a", Status.WITHHELD, reason="its quotes do not say: 42"), "withheld: its quotes do not say: 42"),
        (cell("a", Status.FAILED, Answer(""), "the server is away"), "failed: the server is away"),
        (cell("a", Status.REPORTED, Answer("Yes.", p_reported=0.7)), "p = 0.70 is between 0.1 and 0.8"),
        (cell("a", Status.NOT_REPORTED), "contradicts first"),
        (
            cell("a", Status.REPORTED, Answer("Yes.", fact_confidence={"epochs": {"40": 0.9, "41": 0.3}})),
            "the value 41 is doubtful (0.30)",
        ),
    ],
)
def test_each_kind_of_doubt_has_its_words(asked: Cell, why: str) -> None:
    earlier = [cell("first", Status.REPORTED)]
    assert doubt(asked, earlier, CascadeSettings(low=0.1, high=0.8)) == why


def test_the_last_reader_that_decided_counts_and_a_failure_loses_nothing() -> None:
    unsure, broken = cell("c", Status.WITHHELD), cell("d", Status.FAILED, Answer(""))
    assert deciding([YES, NO]) is NO
    assert deciding([YES, unsure]) is YES
    assert deciding([unsure, broken]) is unsure
    assert deciding([broken]) is broken


def test_the_answer_has_the_whole_trail_and_the_total_cost() -> None:
    first = cell("a", Status.WITHHELD, Answer("Perhaps.", p_reported=0.5))
    second = cell("b", Status.WITHHELD, Answer("Hm.", usage=Usage(100, 10, 1, 0.25)), "no quote of the answer was found")
    third = cell("c", Status.REPORTED, Answer("Two cards.", (QUOTE,), usage=Usage(100, 20, 1, 0.5)))
    verdict, answer = combine([first, second, third], ["not sure", "withheld", ""])
    assert verdict.status is Status.REPORTED
    assert answer.text == "Two cards."
    assert answer.usage == Usage(200, 30, 2, 0.75)
    assert answer.tokens == 230
    assert [(step.reader, step.status, step.doubt, step.cost) for step in answer.trail] == [
        ("a", Status.WITHHELD, "not sure", None),
        ("b", Status.WITHHELD, "withheld", 0.25),
        ("c", Status.REPORTED, "", 0.5),
    ]
    assert answer.trail[2].quotes == ("We used two Kestrel cards.",)


def test_values_of_an_earlier_answer_are_kept_only_if_both_quote_the_same_sentence() -> None:
    facts = {"hardware": [{"name": "Kestrel"}]}
    first = cell("a", Status.WITHHELD, Answer("Kestrel.", (QUOTE,), facts))
    same = cell("b", Status.REPORTED, Answer("Two cards.", (Evidence("two Kestrel cards", Match.FUZZY, 18, 35),)))
    other = cell("b", Status.REPORTED, Answer("Rooms.", (Evidence("in two rooms", Match.EXACT, 90, 102),)))
    assert combine([first, same], ["unsure", ""])[1].facts == facts
    assert combine([first, other], ["unsure", ""])[1].facts == {}
