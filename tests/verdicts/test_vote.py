"""One test for each promise of the vote."""

from methodlens.records import Status, Verdict
from methodlens.verdicts import majority

YES, NO, UNSURE, FAILED, UNREADABLE = Status


def tally_of(*statuses: Status) -> Status:
    return majority({f"reader{n}": Verdict(status) for n, status in enumerate(statuses)}).status


def test_the_majority_of_those_who_decided_wins() -> None:
    assert tally_of(YES, YES, NO) is YES
    assert tally_of(NO, NO, YES) is NO
    assert tally_of(YES, YES, NO, UNSURE) is YES


def test_a_tie_is_withheld_and_never_a_coin_flip() -> None:
    assert tally_of(YES, NO) is UNSURE
    assert tally_of(NO, YES) is UNSURE


def test_fewer_than_half_deciding_is_withheld() -> None:
    assert tally_of(YES, UNSURE, FAILED) is UNSURE
    assert tally_of(YES, YES, UNSURE, FAILED) is YES


def test_a_failed_reader_counts_as_missing_and_not_as_no() -> None:
    assert tally_of(YES, FAILED) is YES
    assert tally_of(YES, YES, NO, FAILED, FAILED) is YES


def test_an_unreadable_paper_stays_unreadable() -> None:
    assert tally_of(UNREADABLE, UNREADABLE) is UNREADABLE


def test_when_every_reader_failed_the_vote_failed() -> None:
    assert tally_of(FAILED, FAILED) is FAILED


def test_without_a_reader_there_is_no_decision() -> None:
    assert tally_of() is UNSURE


def test_one_reader_alone_is_taken_at_its_word() -> None:
    assert [tally_of(status) for status in Status] == list(Status)


def test_every_readers_vote_is_kept() -> None:
    tally = majority({"a": Verdict(YES), "b": Verdict(FAILED), "c": Verdict(UNSURE), "d": Verdict(YES)})
    assert tally.votes == {"a": YES, "b": FAILED, "c": UNSURE, "d": YES}
    assert (tally.rule, tally.reason) == ("majority", "2 of 4 readers")
