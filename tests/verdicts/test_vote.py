"""The voting rules."""

from pathlib import Path

import pytest

from methodlens.errors import InputError, SettingsError
from methodlens.records import Status, Tally, Verdict
from methodlens.verdicts import majority, voting_rule

YES, NO, UNSURE, FAILED, UNREADABLE = Status
EVERY_RULE = ["majority", "unanimous", "2-of-3", "weighted:reader0=2,reader1=2,reader2=2"]


def vote(rule: str, *statuses: Status) -> Tally:
    return voting_rule(rule)({f"reader{n}": Verdict(status) for n, status in enumerate(statuses)})


def tally_of(*statuses: Status) -> Status:
    return vote("majority", *statuses).status


# --- every rule -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_with_every_rule_agreement_is_a_decision(rule: str) -> None:
    assert vote(rule, YES, YES, YES).status is YES
    assert vote(rule, NO, NO, NO).status is NO


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_with_every_rule_the_verdict_of_each_reader_is_kept(rule: str) -> None:
    tally = vote(rule, YES, FAILED, UNSURE)
    assert tally.votes == {"reader0": YES, "reader1": FAILED, "reader2": UNSURE}
    assert tally.rule == rule


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_with_every_rule_a_failed_reader_is_missing_and_not_a_no(rule: str) -> None:
    assert vote(rule, YES, YES, FAILED).status is YES
    assert vote(rule, FAILED, NO, NO).status is NO


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_with_every_rule_too_few_votes_are_withheld(rule: str) -> None:
    assert vote(rule, YES, UNSURE, FAILED).status is UNSURE
    assert vote(rule, NO, FAILED, FAILED).status is UNSURE
    assert vote(rule, UNSURE, UNSURE, UNSURE).status is UNSURE


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_with_every_rule_unreadable_papers_and_total_failures_keep_their_status(rule: str) -> None:
    assert vote(rule, UNREADABLE, UNREADABLE, UNREADABLE).status is UNREADABLE
    assert vote(rule, FAILED, FAILED, FAILED).status is FAILED


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_with_every_rule_the_order_of_readers_does_not_matter(rule: str) -> None:
    for one, other in [((YES, NO, FAILED), (FAILED, NO, YES)), ((YES, UNSURE, NO), (NO, YES, UNSURE))]:
        assert vote(rule, *one).status is vote(rule, *other).status is UNSURE


# --- majority -------------------------------------------------------------------------------------------------------


def test_the_majority_of_the_readers_that_decided_wins() -> None:
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


def test_a_single_reader_decides_alone() -> None:
    assert [tally_of(status) for status in Status] == list(Status)


def test_every_readers_vote_is_kept() -> None:
    tally = majority({"a": Verdict(YES), "b": Verdict(FAILED), "c": Verdict(UNSURE), "d": Verdict(YES)})
    assert tally.votes == {"a": YES, "b": FAILED, "c": UNSURE, "d": YES}
    assert (tally.rule, tally.reason) == ("majority", "2 of 4 readers")


# --- unanimous ------------------------------------------------------------------------------------------------------


def test_unanimous_needs_all_readers_that_answered() -> None:
    assert vote("unanimous", YES, YES, NO).status is UNSURE
    assert vote("unanimous", YES, YES, FAILED).status is YES


def test_unanimous_is_withheld_if_one_reader_is_unsure() -> None:
    assert vote("unanimous", NO, NO, UNSURE).status is UNSURE


# --- k of n ---------------------------------------------------------------------------------------------------------


def test_k_of_n_is_reported_if_k_readers_say_so() -> None:
    assert vote("1-of-3", YES, NO, NO).status is YES
    assert vote("2-of-3", YES, NO, NO).status is NO
    assert vote("3-of-3", YES, YES, UNSURE).status is UNSURE


def test_k_of_n_is_not_reported_only_if_k_can_no_longer_be_reached() -> None:
    assert vote("1-of-3", NO, NO, NO).status is NO
    assert vote("1-of-3", NO, NO, FAILED).status is UNSURE
    assert vote("3-of-3", NO, YES, YES).status is NO
    assert vote("2-of-4", NO, NO, UNSURE, UNSURE).status is UNSURE


# --- weighted -------------------------------------------------------------------------------------------------------


def test_the_heavier_side_wins_a_weighted_vote() -> None:
    assert vote("weighted:reader0=3", YES, NO, NO).status is YES
    assert vote("weighted:reader0=3", YES, NO, NO).reason == "3 of 5 in weight"
    assert vote("weighted:reader0=0.5", YES, NO, NO).status is NO


def test_equal_weights_are_an_exact_tie() -> None:
    assert vote("weighted:reader0=0.1,reader1=0.2,reader2=0.3", YES, YES, NO).status is UNSURE


def test_readers_that_decided_must_have_half_of_the_weight() -> None:
    assert vote("weighted:reader0=5", FAILED, YES, YES).status is UNSURE
    assert vote("weighted:reader0=2", FAILED, YES, YES).status is YES


def test_the_name_of_a_reader_may_contain_a_colon() -> None:
    rule = voting_rule("weighted: embedded = 2 , chat:a=1", ["embedded", "chat:a"])
    tally = rule({"embedded": Verdict(YES), "chat:a": Verdict(NO)})
    assert (tally.status, tally.rule) == (YES, "weighted:embedded=2,chat:a=1")


# --- plugins --------------------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with the entry point `first_of` in the group `methodlens.voting_rules`."""
    package = tmp_path / "some_rules-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: some-rules\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[methodlens.voting_rules]\nfirst_of = some_rules:first_of\n")
    (tmp_path / "some_rules.py").write_text(
        "from methodlens.records import Tally\n"
        "def first_of(argument, readers):\n"
        "    if readers and argument not in readers:\n"
        "        raise ValueError(f'no reader {argument}')\n"
        "    def rule(verdicts):\n"
        "        votes = {name: verdict.status for name, verdict in verdicts.items()}\n"
        "        return Tally(votes[argument], votes, f'first_of:{argument}')\n"
        "    return rule\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_a_rule_of_an_installed_package_is_found_by_its_name() -> None:
    tally = voting_rule("first_of:b", ["a", "b"])({"a": Verdict(YES), "b": Verdict(NO)})
    assert (tally.status, tally.rule) == (NO, "first_of:b")


@pytest.mark.usefixtures("installed")
def test_an_unknown_rule_is_refused_with_the_built_in_and_installed_ones() -> None:
    with pytest.raises(SettingsError, match=r"majority.*first_of.*weighted"):
        voting_rule("last_of:b")


@pytest.mark.usefixtures("installed")
def test_an_argument_that_a_plugin_refuses_is_an_error_in_one_line() -> None:
    with pytest.raises(InputError, match="no reader c"):
        voting_rule("first_of:c", ["a", "b"])


def test_a_rule_object_is_used_as_it_is() -> None:
    assert voting_rule(majority, ["a", "b"]) is majority


# --- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    """|most|0-of-3|4-of-3|2-of-|weighted:|weighted:a|weighted:a=0|weighted:a=-1|weighted:a=nan|weighted:=2|weighted:a=1,a=2
    |weighted:a=1e999|Majority!""".split("|"),
)
def test_an_invalid_rule_is_refused_with_the_valid_ones(text: str) -> None:
    with pytest.raises(SettingsError, match=r"majority|a K from") as caught:
        voting_rule(text)
    assert "\n" not in str(caught.value)


def test_a_rule_that_does_not_fit_the_readers_is_refused() -> None:
    with pytest.raises(SettingsError, match="for 3 readers, but there are 2"):
        voting_rule("2-of-3", ["a", "b"])
    with pytest.raises(SettingsError, match="unknown readers: c"):
        voting_rule("weighted:c=2", ["a", "b"])
