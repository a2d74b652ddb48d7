"""Lens: one object that asks one paper or a folder, with readers by name and readers of one's own."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

import methodlens as ml
from methodlens.engine.add import plan_addition, with_question
from methodlens.errors import InputError
from methodlens.papers import from_text
from methodlens.settings import ChatServer, ReadingSettings, RetrievalSettings
from methodlens.text import locate
from tests.conftest import EXAMPLES
from tests.loopback import chat_server, json_reply

PAPER = EXAMPLES / "papers" / "rented-cpu.pdf"
WITHOUT_OCR = ReadingSettings(ocr="off")  # the scanned example stays unreadable, whatever is installed
QUICK = ml.Settings(retrieval=RetrievalSettings(ranking="lexical"), reading=WITHOUT_OCR, workers=1)


class Sentences:
    """A reader of one's own: quotes the best passage, whatever the question."""

    info = ml.ReaderInfo("sentences", "first-1", "first-1", deterministic=True)

    def read(self, question: ml.Question, paper: ml.Paper, context: Sequence[ml.Hit]) -> ml.Answer:
        best = context[0].passage
        located = locate(best.text, paper.text)
        assert located is not None
        return ml.Answer("See the quote.", (ml.Evidence(best.text, ml.Match.EXACT, best.start, best.end),), p_reported=0.99)


def test_one_question_to_one_paper_gives_text_status_quotes_with_pages_and_facts() -> None:
    answer = ml.Lens().ask(PAPER, "CQ20")
    assert answer.status is ml.Status.REPORTED
    assert "m5.2xlarge" in answer.text
    assert answer.quotes[0].page == 1 or answer.quotes[0].page == 2
    assert answer.facts["hardware"]
    assert repr(answer).startswith("<reported: ")


def test_a_question_in_ones_own_words_and_a_text_that_is_no_file() -> None:
    paper = from_text(["We trained the network on two NVIDIA V100 GPUs for nine hours."], title="gulls")
    answer = ml.Lens().ask(paper, "Which GPUs were used for training?")
    assert "V100" in answer.text
    assert answer.paper == "gulls"
    assert "V100" in answer._repr_html_()


def test_several_readers_are_voted_on_and_objects_answer_beside_names(tmp_path: Path) -> None:
    lens = ml.Lens(["embedded", Sentences()], ["Which hardware was used for training?"], settings=QUICK)
    answer = lens.ask(PAPER, "Q1")
    assert [cell.reader for cell in answer.cells] == ["embedded", "sentences"]
    review = lens.run(EXAMPLES / "papers", out=tmp_path, progress=False)
    assert {row["reader"] for row in review.cells} == {"embedded", "sentences", "vote", "final"}
    assert review.run.readers == ("embedded", "sentences")
    assert lens.settings.out == QUICK.out  # `out` was for that run only


def test_a_run_is_a_table_of_cells_with_the_columns_of_the_export_and_opens_without_its_pdfs(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    shutil.copy(PAPER, papers)
    review = ml.Lens(settings=QUICK).run(papers, out=tmp_path / "review", progress=False)
    shutil.rmtree(papers)
    again = ml.open(tmp_path / "review")
    assert list(again.cells) == list(review.cells)
    assert len(again.cells) == 28
    frame = again.cells.to_pandas()
    assert list(frame.columns)[:3] == ["paper", "paper_sha256", "paper_status"]
    facts = again.facts.to_pandas()
    assert "m5.2xlarge" in " ".join(map(str, facts[facts.fact == "hardware"].value))
    assert repr(again).startswith("<Review ")
    assert repr(again.cells) == "<cells: 28 rows>"
    assert "●" in again._repr_html_()
    assert "rented-cpu.pdf" in again.cells._repr_html_()
    assert next(iter(again.papers))["status"] == "ok"


def test_parquet_holds_every_column_with_lists_as_json(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    lens = ml.Lens(questions=["Which hardware was used for training?"], settings=QUICK)
    lens.run(PAPER, out=tmp_path / "review", progress=False).to_parquet(tmp_path / "cells.parquet")
    frame = pandas.read_parquet(tmp_path / "cells.parquet")
    (row,) = ml.open(tmp_path / "review").cells
    assert set(frame.columns) >= set(row)
    assert json.loads(frame.evidence[0]) == row["evidence"]


def test_a_run_is_evaluated_against_labels(tmp_path: Path) -> None:
    lens = ml.Lens(questions="dl-methods", settings=QUICK)
    review = lens.run(PAPER, out=tmp_path / "review", progress=False)
    labels = tmp_path / "labels.csv"
    rows = [f"rented-cpu.pdf,{row['question']},{'yes' if row['reported'] else 'no'}" for row in review.cells]
    labels.write_text("paper,question,label\n" + "\n".join(rows) + "\n")
    assert review.evaluate(labels).kappa == 1.0
    assert review.evaluate(labels).accuracy == 1.0


def test_a_folder_is_searched_and_the_index_is_kept(tmp_path: Path) -> None:
    lens = ml.Lens(settings=ml.Settings(out=str(tmp_path), reading=WITHOUT_OCR))
    first = lens.search(EXAMPLES / "papers", "Which hardware was used?", top=3)
    assert (len(first.hits), first.indexed) == (3, 4)
    assert lens.search(EXAMPLES / "papers", "Which hardware was used?", top=3).indexed == 0


def test_a_language_model_stays_open_from_one_run_to_the_next(tmp_path: Path) -> None:
    with chat_server(json_reply(False, "Not reported.")) as server:
        table = ChatServer(base_url=server.url, model="fern")
        settings = replace(QUICK, readers={"fern": table})
        with ml.Lens(["chat:fern"], ["Which seed was used?"], settings=settings) as lens:
            for out in ("one", "two"):
                (row,) = lens.run(PAPER, out=tmp_path / out, progress=False).cells
                assert row["status"] == "not_reported"
        assert len(server.requests) == 2


def test_added_papers_are_planned_with_the_size_limit_of_the_settings(tmp_path: Path) -> None:
    settings = replace(QUICK, papers=replace(QUICK.papers, max_file_mb=7), out=str(tmp_path))
    lens = ml.Lens(questions=["Which seed was used?"], settings=settings)
    lens.run(PAPER, progress=False)
    with lens.open_ledger() as ledger:
        (run,) = ledger.runs()
        plan = plan_addition(ledger, run, with_question(run, ml.Question("QA", "Which GPUs?")), lens.readers, settings=settings)
    assert plan.max_file_mb == 7


def test_what_cannot_be_asked_is_refused_with_the_fix(tmp_path: Path) -> None:
    lens = ml.Lens(settings=ml.Settings(reading=WITHOUT_OCR))
    with pytest.raises(InputError, match="empty"):
        lens.ask(PAPER, "  ")
    with pytest.raises(InputError, match="no_text"):
        lens.ask(EXAMPLES / "papers" / "scanned.pdf", "CQ20")
    with pytest.raises(ml.MethodlensError, match="there is no ledger"):
        ml.open(tmp_path / "nothing")
    with pytest.raises(ml.MethodlensError, match="unknown reader"):
        ml.Lens(["oracle"]).ask(PAPER, "CQ20")
