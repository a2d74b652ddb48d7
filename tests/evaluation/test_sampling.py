"""Samples are reproducible, stratified, and can be ordered by uncertainty."""

from collections import Counter

from methodlens.evaluation.sampling import StratifyBy, most_uncertain_first, shuffled, stratified_sample
from methodlens.ledger.overview import CellSummary
from methodlens.records import Status

YES, NO, HELD, FAILED = Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD, Status.FAILED


def cells() -> list[CellSummary]:
    """Two questions; of 60 cells nine in ten are an agreed no, the others are split or withheld."""
    result = []
    for number in range(60):
        said = {"a": NO, "b": NO} if number % 10 else {"a": YES, "b": NO}
        verdict = NO if number % 10 else HELD
        result.append(CellSummary(f"{number:02}.pdf", f"Q{number % 2}", verdict, said))
    return result


def test_the_same_seed_draws_the_same_cells_in_any_input_order() -> None:
    by = [StratifyBy.QUESTION, StratifyBy.VERDICT]
    first, again = stratified_sample(cells(), 12, by=by, seed=3), stratified_sample(reversed(cells()), 12, by=by, seed=3)
    assert first == again
    assert first != stratified_sample(cells(), 12, by=by, seed=4)


def test_rare_strata_are_drawn_as_often_as_frequent_ones() -> None:
    drawn = stratified_sample(cells(), 12, by=[StratifyBy.DISAGREEMENT], seed=1)
    assert Counter(cell.split for cell in drawn) == {True: 6, False: 6}


def test_no_cell_is_drawn_twice_and_an_oversized_sample_has_all_cells() -> None:
    drawn = stratified_sample(
        cells(), 500, by=[StratifyBy.QUESTION, StratifyBy.VERDICT, StratifyBy.DISAGREEMENT, StratifyBy.PAPER], seed=1
    )
    assert len(drawn) == 60
    assert len({(cell.paper, cell.question) for cell in drawn}) == 60


def test_cells_on_which_readers_contradict_each_other_come_first() -> None:
    agreed = CellSummary("a.pdf", "Q1", YES, {"a": YES, "b": YES})
    half = CellSummary("b.pdf", "Q1", HELD, {"a": YES, "b": NO})
    third = CellSummary("c.pdf", "Q1", NO, {"a": YES, "b": NO, "c": NO, "d": NO})
    nobody = CellSummary("d.pdf", "Q1", FAILED, {"a": FAILED, "b": HELD})
    unsure = CellSummary("e.pdf", "Q1", YES, {"a": YES}, p_reported=0.7)
    order = most_uncertain_first([agreed, unsure, nobody, third, half])
    assert [cell.paper for cell in order] == ["b.pdf", "c.pdf", "d.pdf", "e.pdf", "a.pdf"]


def test_a_blind_order_does_not_depend_on_the_verdicts() -> None:
    plain = [CellSummary(cell.paper, cell.question, NO, {"a": NO}) for cell in cells()]
    places = [[(cell.paper, cell.question) for cell in shuffled(some, seed=2)] for some in (cells(), plain)]
    assert places[0] == places[1]
