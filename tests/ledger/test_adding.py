"""Current annotations, summaries of a run, and adding papers and questions to a run."""

from pathlib import Path

from methodlens.engine.add import with_papers, with_question
from methodlens.fakes import FakeReader
from methodlens.ledger import overview, run_rows
from methodlens.ledger.annotations import current
from methodlens.ledger.store import Ledger
from methodlens.lens import Lens
from methodlens.papers import PaperFile, WorkerPool, locate_all
from methodlens.records import Annotation, Question, Status
from methodlens.retrieval import LexicalRetriever
from methodlens.settings import Settings
from tests.conftest import MakePdf
from tests.engine.local import planned
from tests.engine.test_run import NO, QUESTIONS, do, reader


def annotation(status: Status, at: int, *, annotator: str = "ann", undo: bool = False) -> Annotation:
    return Annotation("ab", "Q1", annotator, status, str(at), undo=undo)


def test_an_undo_withdraws_one_annotation_of_the_same_annotator_and_nothing_else() -> None:
    first, second = annotation(Status.REPORTED, 1), annotation(Status.NOT_REPORTED, 2)
    other, undo = annotation(Status.REPORTED, 3, annotator="bob"), annotation(Status.REPORTED, 9, undo=True)
    later = annotation(Status.NOT_REPORTED, 10)
    assert current([first, second, other]) == [second, other]
    assert current([first, second, undo]) == [first]
    assert current([first, undo, undo, later]) == [later]
    assert current([undo]) == []


def test_annotations_saved_before_answers_and_undo_existed_still_count(tmp_path: Path) -> None:
    with Ledger.at(tmp_path, create=True) as ledger:
        ledger.keep_annotations([annotation(Status.REPORTED, 1)])
        assert ledger.annotations() == [annotation(Status.REPORTED, 1)]
        ledger.keep_annotations([annotation(Status.REPORTED, 2, undo=True)])
        assert ledger.annotations() == []
        assert len(ledger.annotation_history()) == 2


def test_summaries_have_the_verdicts_of_the_rows(make_pdf: MakePdf, tmp_path: Path, pool: WorkerPool) -> None:
    make_pdf("papers/a.pdf", [["We counted 120 gulls from the pier on one morning."]])
    do(tmp_path / "papers", tmp_path / "out", [reader("one"), reader("two")], pool)
    with Ledger.at(tmp_path / "out") as ledger:
        run = run_rows.latest(ledger)
        votes = {(row.paper.name, row.question.id): row.cell.verdict.status for row in run_rows.rows(ledger, run) if row.votes}
        assert {(cell.paper, cell.question): cell.verdict for cell in overview.cell_summaries(ledger, run)} == votes
        seen = overview.progress(ledger, run)
        assert (seen.papers_read, seen.cells_done, seen.cells, seen.ended) == (1, 4, 4, True)


def test_adding_papers_or_questions_asks_only_new_cells(make_pdf: MakePdf, tmp_path: Path, pool: WorkerPool) -> None:
    make_pdf("papers/a.pdf", [["We counted 120 gulls from the pier on one morning."]])
    do(tmp_path / "papers", tmp_path / "out", [reader()], pool)
    added = make_pdf("more/b.pdf", [["It rained for the whole week in the harbour."]])
    asking = FakeReader({"Q1": NO, "Q2": NO, "QA": NO}, "fake")
    lens = Lens([asking], QUESTIONS, settings=Settings(workers=1), retriever=LexicalRetriever())
    with Ledger.at(tmp_path / "out") as ledger:
        first = run_rows.latest(ledger)
        file = PaperFile(str(added), "b.pdf")
        second = with_papers(ledger, first, tmp_path / "more", [file])
        lens.add(ledger, first, second, [file])
        assert asking.asked == ["Q1", "Q2"]
        asking.asked.clear()
        third = with_question(second, Question("QA", "Did it rain?"))
        lens.add(ledger, second, third)
        assert asking.asked == ["QA", "QA"]
        assert run_rows.latest(ledger) == third
        rows = [(row.paper.name, row.question.id) for row in run_rows.rows(ledger, third)]
        assert rows == [(paper, asked) for paper in ("a.pdf", "b.pdf") for asked in ("Q1", "Q2", "QA")]
        assert len(list(run_rows.rows(ledger, first))) == 2
        assert set(locate_all(third.sources)) == {"a.pdf", "b.pdf"}
        assert locate_all(("/nowhere",)) == {}
    # the same run as `methodlens run papers more` would be
    assert planned([tmp_path / "papers", tmp_path / "more"], QUESTIONS, [reader()]).run.id == second.id


def test_a_question_is_answered_from_the_ledger_if_the_pdfs_are_gone(make_pdf: MakePdf, tmp_path: Path, pool: WorkerPool) -> None:
    make_pdf("papers/a.pdf", [["We counted 120 gulls from the pier on one morning."]])
    do(tmp_path / "papers", tmp_path / "out", [reader()], pool)
    (tmp_path / "papers").rename(tmp_path / "moved")
    asking = FakeReader({"QA": NO}, "fake")
    lens = Lens([asking], QUESTIONS, settings=Settings(workers=1), retriever=LexicalRetriever())
    with Ledger.at(tmp_path / "out") as ledger:
        old = run_rows.latest(ledger)
        new = with_question(old, Question("QA", "How many gulls were counted?"))
        summary = lens.add(ledger, old, new)
        assert (summary.asked, asking.asked) == (1, ["QA"])
        (row,) = (row for row in run_rows.rows(ledger, new) if row.question.id == "QA")
        assert any("gulls" in hit.passage.text for hit in row.cell.context)
