"""The answer of a vote: what each reader answered, and the quotes they share."""

from methodlens.ledger.vote_answer import combine_answers
from methodlens.records import Answer, Cell, Evidence, Match, Status, Verdict


def cell(reader: str, status: Status, text: str, *quotes: Evidence) -> Cell:
    return Cell("", "", "Q1", reader, "", Verdict(status, "the server is away"), Answer(text, quotes))


SHORT = Evidence("two Kestrel cards", Match.EXACT, 10, 27)
WHOLE = Evidence("We trained on two Kestrel cards.", Match.EXACT, 0, 32)
ALONE = Evidence("It took six hours.", Match.FUZZY, 40, 58)
LOST = Evidence("It took a year.", Match.ABSENT)
YES = cell("a", Status.REPORTED, "Two cards.", ALONE, SHORT, LOST)
YES_TOO = cell("b", Status.REPORTED, "Kestrels.", WHOLE)
NO = cell("c", Status.NOT_REPORTED, "I don't know.")
FAILED = cell("d", Status.FAILED, "")


def test_it_shows_the_answer_of_each_reader_or_the_reason_why_there_is_none() -> None:
    assert combine_answers([YES, NO, FAILED], []).text.splitlines() == [
        "a (reported): Two cards.",
        "c (not reported): I don't know.",
        "d (failed): the server is away",
    ]


def test_quotes_that_overlap_are_shared_and_come_first_at_full_length() -> None:
    answer = combine_answers([YES, YES_TOO, NO], [YES, YES_TOO])
    assert answer.evidence == (WHOLE, ALONE)
    assert answer.text.splitlines()[-1] == "Quoted by a and b: “We trained on two Kestrel cards.”"


def test_a_quote_that_was_not_found_is_left_out() -> None:
    assert LOST not in combine_answers([YES], [YES]).evidence


def test_a_vote_without_winners_quotes_nothing() -> None:
    assert combine_answers([YES, NO], []).evidence == ()
