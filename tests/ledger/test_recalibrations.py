"""Recalibrated verdicts are derived when cells are read; the cells stay as the reader left them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.errors import InputError
from methodlens.evaluation import recalibration
from methodlens.ledger import overview, run_rows
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.recalibrations import Recalibrations, StoredRecalibration, cells_of_questions, current, history, keep
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.upkeep import check, copy
from methodlens.records import (
    Annotation,
    Answer,
    Cell,
    Evidence,
    Match,
    Paper,
    PaperEntry,
    Place,
    Question,
    Row,
    Status,
    Verdict,
)
from methodlens.reports.formats.export_rows import COLUMNS, export_object, table_cells
from methodlens.verdicts.recalibration import Recalibration
from methodlens.web.review.cell_view import cell_view

QUOTE = "Each otter was weighed twice."
QUESTION = Question("Q1", "How often was each otter weighed?")
OTHER = Question("Q2", "Who owns the otters?")
UP, DOWN = Recalibration(3.0, 1.0, 34), Recalibration(-4.0, 1.0, 34)


def cell(number: int, question: Question, p: float, status: Status) -> Cell:
    quotes = () if status is Status.NOT_REPORTED else (Evidence(QUOTE, Match.EXACT, 0, len(QUOTE), (Place(1, ()),)),)
    words = {
        Status.REPORTED: "Twice (p. 1).",
        Status.WITHHELD: "The paper does not clearly answer this question; the closest passages are on page 1.",
        Status.NOT_REPORTED: "The paper does not report an answer to this question.",
    }
    answer = Answer(words[status], quotes, {"count": 2} if status is Status.REPORTED else {}, p_reported=p)
    return Cell(f"{question.id}{number:063}", f"{number:064}", question.id, "embedded", "embedded-1", Verdict(status), answer)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """40 papers: a third of the answers is reported, a third withheld, a third not reported. Reviewers said yes to most."""
    ledger = Ledger.at(tmp_path / "out", create=True)
    names = [f"{number:02}.pdf" for number in range(40)]
    run = Run(id="r" * 64, sources=("/p",), questions=(QUESTION, OTHER), readers=("embedded",), papers=40)
    ledger.begin(run, names)
    kinds = ((0.9, Status.REPORTED), (0.45, Status.WITHHELD), (0.1, Status.NOT_REPORTED))
    for number, name in enumerate(names):
        paper = Paper(f"{number:064}", "p-1", text=QUOTE)
        cells = [cell(number, question, *kinds[number % 3]) for question in run.questions]
        ledger.keep_result(run.id, result_of(PaperEntry(name, paper.sha256, pages=1), paper, cells))
    return ledger


def annotate(ledger: Ledger, count: int, question: str = "Q1") -> None:
    """Reported in every paper that the reader did not deny."""
    statuses = (Status.REPORTED, Status.REPORTED, Status.NOT_REPORTED)
    ledger.keep_annotations(
        Annotation(f"{number:064}", question, "ann", statuses[number % 3], f"2026-01-01T00:00:{number:02}")
        for number in range(count)
    )


def stored(fitted: Recalibration | None, at: str = "2026-02-01", *, model: str = "embedded-1") -> StoredRecalibration:
    return StoredRecalibration("Q1", QUESTION.text, "embedded", model, at, fitted)


def rows(ledger: Ledger, question: str = "Q1") -> list[Row]:
    return [row for row in run_rows.rows(ledger, run_rows.latest(ledger)) if row.question.id == question]


def statuses(ledger: Ledger) -> list[Status]:
    return [row.cell.verdict.status for row in rows(ledger)[:3]]


def test_thirty_decisions_recalibrate_a_question_and_fewer_do_not(ledger: Ledger) -> None:
    run = run_rows.latest(ledger)
    annotate(ledger, 29)
    assert recalibration.propose(ledger, run) == recalibration.Proposals((), {"Q1": 29})
    annotate(ledger, 33)
    proposed = recalibration.propose(ledger, run)
    (proposal,) = proposed.proposals
    assert (proposal.question.id, proposal.decisions, proposal.cells) == ("Q1", 33, 40)
    assert proposal.before.kappa == pytest.approx(0.4, abs=0.1)
    assert proposal.after.kappa == 1.0
    assert proposal.after.ece < proposal.before.ece
    assert proposal.changes == {"withheld to reported": 13}
    assert statuses(ledger) == [Status.REPORTED, Status.WITHHELD, Status.NOT_REPORTED]  # nothing is stored yet


def test_a_quote_absent_from_the_paper_is_not_in_the_words_of_a_recalibrated_answer() -> None:
    withheld = cell(1, QUESTION, 0.45, Status.WITHHELD)
    invented = Evidence("Each otter was weighed hourly.", Match.ABSENT)
    both = replace(withheld, answer=replace(withheld.answer, evidence=(invented, *withheld.answer.evidence)))
    refitted = Recalibrations({("Q1", "embedded"): stored(UP)}).cell(both)
    assert (refitted.verdict.status, refitted.answer.text) == (Status.REPORTED, f"“{QUOTE}” (p. 1)")


def test_a_stored_recalibration_changes_what_is_read_until_it_is_undone(ledger: Ledger) -> None:
    run = run_rows.latest(ledger)
    annotate(ledger, 36)
    before = rows(ledger)
    recalibration.apply(ledger, recalibration.propose(ledger, run).proposals)
    assert statuses(ledger) == [Status.REPORTED, Status.REPORTED, Status.NOT_REPORTED]
    row = rows(ledger)[1]
    assert row.cell.answer.text == f"“{QUOTE}” (p. 1)"
    assert "recalibrated on 36 decisions of this review (the reader's p was 0.45)" in row.cell.verdict.reason
    assert export_object(row)["calibrated_on"] == 36
    assert "calibrated" not in export_object(row)
    assert table_cells(row)[COLUMNS.index("calibrated")] == "on 36 decisions"
    assert rows(ledger, "Q2")[1].cell.verdict.status is Status.WITHHELD
    assert table_cells(rows(ledger, "Q2")[1])[COLUMNS.index("calibrated")] == "no"
    assert recalibration.propose(ledger, run).proposals[0].before.kappa == pytest.approx(0.4, abs=0.1)  # of the reader itself
    (undone,) = recalibration.undo(ledger, run)
    assert undone.question == "Q1"
    assert rows(ledger) == before
    assert recalibration.undo(ledger, run) == []


def test_cells_stay_as_the_reader_left_them(ledger: Ledger) -> None:
    run = run_rows.latest(ledger)
    before = dict(cells_of_questions(ledger, run, ["Q1"]))
    keep(ledger, [stored(DOWN)])
    assert dict(cells_of_questions(ledger, run, ["Q1"])) == before
    assert [row.cell for row in run_rows.rows(ledger, run, as_read=True) if row.question.id == "Q1"] == list(before.values())


def test_a_verdict_that_becomes_not_reported_keeps_no_fact_and_no_quote(ledger: Ledger) -> None:
    keep(ledger, [stored(DOWN)])
    answer = rows(ledger)[0].cell.answer
    assert (answer.evidence, answer.facts) == ((), {})
    assert answer.text == "The paper does not report an answer to this question; the closest passages are on page 1."


def test_an_answer_without_a_quote_is_withheld_however_probable(ledger: Ledger) -> None:
    keep(ledger, [stored(Recalibration(6.0, 1.0, 30))])
    verdict = rows(ledger)[2].cell.verdict
    assert verdict.status is Status.WITHHELD
    assert verdict.reason.startswith("no quote of the answer was found in the paper; recalibrated on 30")


def test_another_model_and_another_question_of_the_same_id_are_left_alone(ledger: Ledger) -> None:
    run, before = run_rows.latest(ledger), statuses(ledger)
    keep(ledger, [stored(DOWN, model="embedded-2")])
    assert statuses(ledger) == before
    keep(ledger, [replace(stored(DOWN, at="2026-03-01"), question_text="Who weighed the otters?")])
    assert list(current(ledger, run)) == []
    assert len(history(ledger)) == 2


def test_matrix_and_review_room_show_the_same_verdicts_as_the_export(ledger: Ledger) -> None:
    run = run_rows.latest(ledger)
    version = overview.version(ledger, run)
    keep(ledger, [stored(UP)])
    assert overview.version(ledger, run) != version
    summaries = [summary.verdict for summary in overview.cell_summaries(ledger, run) if summary.question == "Q1"]
    assert summaries == [row.cell.verdict.status for row in rows(ledger)]
    entry, parser = next(iter(ledger.entries(run)))
    cells = run_rows.rows_of(ledger, run, (entry, parser), QUESTION)
    view = cell_view(run, entry, QUESTION, cells, (), Paper(entry.sha256, parser, text=QUOTE), reviewer="ann", blind=False)
    assert view.calibration == "calibrated on 34 decisions of this review"


def test_recalibrations_are_checked_and_copied_with_the_ledger(ledger: Ledger, tmp_path: Path) -> None:
    keep(ledger, [stored(UP)])
    with Ledger.at(tmp_path / "copy", create=True) as target:
        copy(ledger, target)
        assert history(target) == history(ledger)
    with ledger.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE recalibrations SET body = replace(body, '3.0', '9.0')")
    (fault,) = check(ledger)
    assert (fault.table, fault.fix) == ("recalibrations", "fit it again: methodlens calibrate --apply")


def test_an_unknown_question_is_refused_with_those_of_the_run(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="no question Q9 in this run"):
        recalibration.propose(ledger, run_rows.latest(ledger), questions=["Q9"])
