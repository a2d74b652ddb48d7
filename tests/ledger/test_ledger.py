"""The ledger stores records once and detects a changed bit."""

import re
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.errors import LedgerBusy, LedgerDamaged, LedgerError, LedgerTooNew, OutputError
from methodlens.ledger.listing import PAGE
from methodlens.ledger.paper_results import PaperResult, result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.upkeep import check
from methodlens.records import (
    Annotation,
    Answer,
    Cell,
    Evidence,
    Hit,
    Match,
    Paper,
    PaperEntry,
    PaperStatus,
    Passage,
    Place,
    Question,
    Status,
    Verdict,
)

TEXT = "We trained the network on a barge. The barge had one engine."
PAPER = Paper(sha256="a" * 64, parser="p-1", title="On barges", text=TEXT)
RUN = Run(id="r" * 64, sources=("/papers",), questions=(Question("Q1", "Where?"),), readers=("embedded",), papers=1)
NAMES = ("barge.pdf",)
ENTRY = PaperEntry("barge.pdf", PAPER.sha256, title=PAPER.title, pages=1)
CELL = Cell(
    key="k" * 64,
    paper_sha256=PAPER.sha256,
    question="Q1",
    reader="embedded",
    model="m",
    verdict=Verdict(Status.REPORTED),
    answer=Answer(
        "On a barge.", (Evidence(TEXT[:34], Match.EXACT, 0, 34, (Place(1, ((1.0, 2.0, 3.0, 4.0),)),)),), p_reported=0.9
    ),
    hits=(Hit(Passage(0, 34, 1, "methods", TEXT[:34]), 2.5), Hit(Passage(35, 60, 1, "methods", TEXT[35:60]), 1.0)),
    shown=1,
    seconds=0.25,
)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.at(tmp_path / "out", create=True)


def fill(ledger: Ledger) -> None:
    ledger.begin(RUN, NAMES)
    ledger.keep_paper(PAPER)
    ledger.keep_result(RUN.id, PaperResult(ENTRY, PAPER.parser))
    ledger.keep_cell(RUN.id, "barge.pdf", CELL)


def flip_a_byte(path: Path, table: str) -> None:
    with sqlite3.connect(path) as connection:
        (body,) = connection.execute(f"SELECT body FROM {table}").fetchone()
        broken = bytearray(body.encode() if isinstance(body, str) else body)
        broken[len(broken) // 2] ^= 1
        changed = broken.decode(errors="replace") if isinstance(body, str) else bytes(broken)
        connection.execute(f"UPDATE {table} SET body = ?", (changed,))
    connection.close()


def test_stored_records_are_returned_equal(ledger: Ledger) -> None:
    fill(ledger)
    assert ledger.paper(PAPER.sha256, PAPER.parser) == PAPER
    assert ledger.cell(CELL.key, PAPER) == CELL
    assert list(ledger.entries(RUN)) == [(ENTRY, PAPER.parser)]
    assert ledger.cells(RUN, ENTRY, PAPER.parser) == [CELL]
    assert ledger.runs() == [RUN]


def test_records_survive_closing_and_reopening(ledger: Ledger) -> None:
    fill(ledger)
    ledger.close()
    with Ledger.at(ledger.path.parent) as again:
        assert again.cell(CELL.key, PAPER) == CELL


def test_a_paper_is_stored_per_parser(ledger: Ledger) -> None:
    fill(ledger)
    assert ledger.paper(PAPER.sha256, "p-2") is None


def test_a_failed_cell_is_asked_again_and_then_replaced(ledger: Ledger) -> None:
    fill(ledger)
    ledger.keep_cell(RUN.id, "barge.pdf", replace(CELL, verdict=Verdict(Status.FAILED, "the server was down")))
    assert ledger.cell(CELL.key, PAPER) is None
    ledger.keep_cell(RUN.id, "barge.pdf", CELL)
    assert ledger.cells(RUN, ENTRY, PAPER.parser) == [CELL]


def test_a_paper_that_timed_out_is_read_again_next_time(ledger: Ledger) -> None:
    ledger.keep_paper(replace(PAPER, status=PaperStatus.TIMEOUT, text=""))
    assert ledger.paper(PAPER.sha256, PAPER.parser) is None


def test_a_damaged_cell_is_failed_with_a_reason_and_is_asked_again_by_a_run(ledger: Ledger) -> None:
    fill(ledger)
    flip_a_byte(ledger.path, "answers")
    (cell,) = ledger.cells(RUN, ENTRY, PAPER.parser)
    assert (cell.question, cell.reader, cell.verdict.status) == (CELL.question, CELL.reader, Status.FAILED)
    assert re.search(r"cell kkkkkkkkkkkk .* damaged .* rerun", cell.verdict.reason)
    assert ledger.cell(CELL.key, PAPER) is None


def test_a_damaged_text_costs_the_passages_and_is_read_again_by_a_run(ledger: Ledger) -> None:
    fill(ledger)
    flip_a_byte(ledger.path, "paper_texts")
    assert ledger.cells(RUN, ENTRY, PAPER.parser) == [replace(CELL, hits=(), shown=0)]
    assert ledger.paper(PAPER.sha256, PAPER.parser) is None


def test_a_wrong_sha256_column_is_reported_and_repaired_by_a_run(ledger: Ledger) -> None:
    fill(ledger)
    with sqlite3.connect(ledger.path) as connection:
        connection.execute("UPDATE run_papers SET sha256 = 'b'")
    connection.close()
    assert [(fault.table, fault.problem) for fault in check(ledger)] == [
        ("run_papers", "its sha256 column differs from its body")
    ]
    fill(ledger)
    assert list(check(ledger)) == []


def test_a_paper_whose_row_is_damaged_is_crashed_and_stops_no_report(ledger: Ledger) -> None:
    fill(ledger)
    flip_a_byte(ledger.path, "run_papers")
    ((entry, _),) = ledger.entries(RUN)
    assert (entry.name, entry.status) == (ENTRY.name, PaperStatus.CRASHED)
    assert "damaged" in entry.reason


def test_a_second_run_on_the_same_ledger_is_refused(ledger: Ledger) -> None:
    with ledger.lock(), Ledger.at(ledger.path.parent) as second, pytest.raises(LedgerBusy, match="another run"):
        second.lock()


def test_a_paper_removed_from_the_folder_leaves_the_run(ledger: Ledger) -> None:
    fill(ledger)
    smaller = replace(RUN, papers=0)
    ledger.begin(smaller, ())
    assert list(ledger.entries(smaller)) == []
    assert list(ledger.names(smaller)) == []
    assert ledger.cell(CELL.key, PAPER) == CELL
    ledger.begin(RUN, NAMES)
    assert list(ledger.entries(RUN)) == []  # its entry went too, and comes back when it is read


def test_a_long_list_of_papers_is_stored_in_pages_and_keeps_its_order(ledger: Ledger) -> None:
    names = tuple(f"{number}.pdf" for number in range(2 * PAGE + 1))
    run = replace(RUN, papers=len(names))
    ledger.begin(run, names)
    assert tuple(ledger.names(run)) == names
    assert tuple(ledger.names(run, page=1)) == names[PAGE : 2 * PAGE]
    assert tuple(ledger.names(run, page=2)) == names[-1:]
    assert tuple(ledger.names(run, page=3)) == ()
    for name in names[:: 2 * PAGE]:
        ledger.keep_result(run.id, PaperResult(PaperEntry(name, ""), "p-1"))
    assert [entry.name for entry, _ in ledger.entries(run)] == [names[0], names[-1]]
    assert [entry.name for entry, _ in ledger.entries(run, page=2)] == [names[-1]]
    shorter = replace(run, papers=3)
    ledger.begin(shorter, names[:3])
    assert tuple(ledger.names(shorter)) == names[:3]
    assert [entry.name for entry, _ in ledger.entries(shorter)] == [names[0]]


def test_a_damaged_or_missing_page_of_the_list_is_detected(ledger: Ledger) -> None:
    names = tuple(f"{number}.pdf" for number in range(PAGE + 1))
    run = replace(RUN, papers=len(names))
    ledger.begin(run, names)
    assert list(check(ledger)) == []
    with sqlite3.connect(ledger.path) as connection:
        connection.execute("DELETE FROM listings WHERE page = 1")
    connection.close()
    with pytest.raises(LedgerDamaged, match=f"lists {PAGE} papers, expected {PAGE + 1}"):
        list(ledger.entries(run))
    assert [(fault.table, fault.problem) for fault in check(ledger)] == [
        ("listings", "it has 1 of 2 pages of its list of papers")
    ]
    ledger.begin(run, names)
    flip_a_byte(ledger.path, "listings")
    with pytest.raises(LedgerDamaged, match="the list of papers"):
        list(ledger.names(run))
    assert {fault.table for fault in check(ledger)} == {"listings"}
    ledger.begin(run, names)
    assert list(check(ledger)) == []


def test_a_ledger_of_a_newer_version_is_refused(ledger: Ledger) -> None:
    fill(ledger)
    ledger.close()
    with sqlite3.connect(ledger.path) as connection:
        connection.execute("INSERT INTO schema_version (version) VALUES (99)")
    connection.close()
    with pytest.raises(LedgerTooNew, match="upgrade methodlens"):
        Ledger.at(ledger.path.parent)


def test_a_file_that_is_not_a_ledger_and_an_impossible_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_text("this is not a database, but it is long enough to look like a file of one")
    with pytest.raises(LedgerError, match="cannot be used as a ledger"):
        Ledger.at(tmp_path)
    with pytest.raises(OutputError, match="choose another folder"):
        Ledger.at(tmp_path / "ledger.sqlite" / "below", create=True)
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger.at(tmp_path / "nothing")


def test_a_result_can_be_stored_twice(ledger: Ledger) -> None:
    ledger.begin(RUN, NAMES)
    for _ in range(2):
        ledger.keep_result(RUN.id, result_of(ENTRY, PAPER, [CELL]))
    assert ledger.paper(PAPER.sha256, PAPER.parser) == PAPER
    assert list(ledger.entries(RUN)) == [(ENTRY, PAPER.parser)]
    assert ledger.cells(RUN, ENTRY, PAPER.parser) == [CELL]


def test_the_last_annotation_of_each_person_counts_and_none_is_overwritten(ledger: Ledger) -> None:
    first = Annotation(PAPER.sha256, "Q1", "ann", Status.REPORTED, "2030-01-01")
    later = replace(first, status=Status.NOT_REPORTED, at="2030-01-02")
    other = replace(first, annotator="bob")
    assert ledger.keep_annotations([later, other, first]) == 3
    assert {annotation.annotator: annotation.status for annotation in ledger.annotations(PAPER.sha256)} == {
        "ann": Status.NOT_REPORTED,
        "bob": Status.REPORTED,
    }
    assert ledger.annotations("another paper") == []
    with sqlite3.connect(ledger.path) as connection:
        assert connection.execute("SELECT count(*) FROM annotations").fetchone() == (3,)
    connection.close()


def test_a_flipped_byte_in_an_annotation_is_detected(ledger: Ledger) -> None:
    ledger.keep_annotations([Annotation(PAPER.sha256, "Q1", "ann", Status.REPORTED, "2030-01-01", "a note of some length")])
    flip_a_byte(ledger.path, "annotation_log")
    with pytest.raises(LedgerDamaged, match="annotation of Q1 by ann"):
        ledger.annotations()


def test_a_database_of_another_application_is_refused_and_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        connection.execute("CREATE VIEW papers AS SELECT 1 AS id")
    connection.close()
    with pytest.raises(LedgerError, match=r"another application \(papers\)"):
        Ledger.at(tmp_path)
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        assert connection.execute("SELECT type, name FROM sqlite_master").fetchall() == [("view", "papers")]
    connection.close()
