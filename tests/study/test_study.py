"""The published study: its models become readers, its defects are listed, and its figures are reproduced."""

import csv
import json
import lzma
import os
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from sklearn.metrics import cohen_kappa_score

from methodlens.errors import StudyError
from methodlens.ledger.store import Ledger
from methodlens.questions import load
from methodlens.readers import create
from methodlens.records import Status
from methodlens.settings import RetrievalSettings, Settings
from methodlens.study.answer_files import load_study
from methodlens.study.dataset import DefectKind
from methodlens.study.embedded_answers import answer_contexts
from methodlens.study.figures import StudyFigures, compute_figures, find_study_run, load_table
from methodlens.study.importer import ImportResult, create_run, import_study
from tests.study.study_data import ANSWERS, CONTEXT, MODELS, SAYS, as_folders, as_records

# SHARED_DIR is for checkouts in another folder
SHARED = Path(os.environ.get("SHARED_DIR", Path(__file__).parents[2].parent / "shared"))
STUDY = SHARED / "study"


def imported_study(source: Path, out: Path) -> ImportResult:
    study = load_study(source)
    with Ledger.at(out, create=True) as ledger:
        return import_study(study, create_run(study, source, load("dl-methods").questions), ledger)


def statuses(out: Path) -> dict[tuple[str, str, str], Status]:
    with Ledger.at(out) as ledger:
        run = find_study_run(ledger)
        return {
            (entry.name, cell.question, cell.reader): cell.verdict.status
            for entry, parser in ledger.entries(run)
            for cell in ledger.cells(run, entry, parser)
        }


def figures(out: Path) -> tuple[StudyFigures, ...]:
    with Ledger.at(out) as ledger:
        return compute_figures(load_table(ledger, find_study_run(ledger)))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.mark.parametrize("layout", ["records", "raw", "processed", "both"])
def test_every_layout_gives_the_same_readers_and_verdicts(tmp_path: Path, out: Path, layout: str) -> None:
    source = as_records(tmp_path / "study") if layout == "records" else tmp_path / "folders"
    for raw in (True, False):
        if layout == ("raw" if raw else "processed") or layout == "both":
            place = as_folders(tmp_path / f"made-{raw}", raw=raw)
            source.mkdir(exist_ok=True)
            for part in place.iterdir():
                if not (source / part.name).exists():
                    part.rename(source / part.name)
    imported = imported_study(source, out)
    assert imported.run.readers == MODELS
    assert imported.run.papers == len(ANSWERS)
    actual = statuses(out)
    assert len(actual) == 3 * 2 * 3
    assert actual[("1.pdf", "CQ5", "heron")] is Status.REPORTED
    assert actual[("1.pdf", "CQ10", "heron")] is Status.NOT_REPORTED
    assert actual[("1.pdf", "CQ5", "stoat")] is Status.FAILED  # empty, and counted as yes
    assert actual[("1.pdf", "CQ10", "otter")] is Status.FAILED  # a word count is no answer
    assert actual[("2.pdf", "CQ5", "heron")] is Status.WITHHELD  # "not mentioned, but probably"
    assert actual[("3.pdf", "CQ5", "otter")] is Status.FAILED  # 900 times the same word


def test_every_defect_is_listed_with_what_the_study_counted(tmp_path: Path, out: Path) -> None:
    actual = {
        (d.kind, d.paper, d.question, d.model): d.counted for d in imported_study(as_records(tmp_path / "study"), out).defects
    }
    expected = {
        (DefectKind.EMPTY, "1.pdf", "CQ5", "stoat"): "yes",
        (DefectKind.WORD_COUNT, "1.pdf", "CQ10", "otter"): "no",
        (DefectKind.SILENT_YES, "2.pdf", "CQ5", "heron"): "yes",
        (DefectKind.REFERENCES, "2.pdf", "CQ10", "otter"): "yes",
        (DefectKind.OVER_LONG, "3.pdf", "CQ5", "otter"): "yes",
        (DefectKind.REPEATED, "3.pdf", "CQ5", "otter"): "yes",
        (DefectKind.OVER_LONG, "3.pdf", "CQ10", "stoat"): "no",
        (DefectKind.UNKNOWN_PAPER, "", "", ""): "",
    }
    assert actual == expected


def test_missing_files_odd_labels_and_echoed_prompts_are_listed(tmp_path: Path, out: Path) -> None:
    source = as_folders(tmp_path / "study", raw=False)
    (source / "V1_processed" / "heron" / "Publication_1.pdf_CQ5.txt").unlink()
    echo = source / "V1_processed" / "otter" / "Publication_1.pdf_CQ5.txt"
    echo.write_text(f"Use the following pieces of context to answer.\n\n{CONTEXT}\n")
    labels = source / "binary_responses" / "stoat.csv"
    labels.write_text("UID,CQ5,CQ10\n1.pdf, Yes ,No response found\n2.pdf,Perhaps,No\n3.pdf,,No\n8.pdf,Yes,Yes\n")
    kinds = Counter(defect.kind for defect in imported_study(source, out).defects)
    for kind in ("NO_ANSWER", "ECHO", "LABEL_SPACES", "NO_RESPONSE", "ODD_LABEL", "NO_LABEL", "UNKNOWN_PAPER", "NO_CONTEXT"):
        assert kinds[DefectKind[kind]] >= 1, kind
    actual = statuses(out)
    assert actual[("1.pdf", "CQ5", "heron")] is Status.FAILED
    assert actual[("1.pdf", "CQ5", "otter")] is Status.FAILED  # nothing but the prompt
    assert actual[("1.pdf", "CQ10", "stoat")] is Status.WITHHELD  # "No response found" is no No
    assert figures(out)[0].model_yes["stoat"] == 1  # " Yes " is a yes, and the study counted it, empty answer or not


def test_unreadable_and_duplicate_records_are_listed_and_the_rest_is_imported(tmp_path: Path, out: Path) -> None:
    source = as_records(tmp_path / "study") / "records.jsonl.xz"
    text = lzma.decompress(source.read_bytes()).decode()
    source.write_bytes(lzma.compress((text + text.splitlines()[0] + "\n{broken\n" + '{"paper": 3}\n').encode()))
    kinds = Counter(defect.kind for defect in imported_study(source, out).defects)
    assert (kinds[DefectKind.BAD_RECORD], kinds[DefectKind.DUPLICATE]) == (2, 1)
    assert len(statuses(out)) == 18


@pytest.mark.parametrize("case", ["missing", "empty folder", "no records", "truncated"])
def test_an_invalid_study_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    path = tmp_path / "study"
    if case != "missing":
        path.mkdir()
    if case == "no records":
        path = path / "records.jsonl"
        path.write_text("{}\n")
    if case == "truncated":
        path = as_records(path) / "records.jsonl.xz"
        path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StudyError, match="records"):
        load_study(path)


def test_the_figures_equal_those_counted_by_hand(tmp_path: Path, out: Path) -> None:
    imported_study(as_records(tmp_path / "study"), out)
    whole, gated = figures(out)
    assert (whole.papers, whole.cells, whole.vote_yes) == (3, 6, 3)  # 1 CQ5, 2 CQ10, 3 CQ5
    assert (gated.papers, gated.cells, gated.vote_yes) == (2, 4, 2)
    assert whole.model_yes == {"heron": 4, "otter": 3, "stoat": 1}  # the empty yes counts here: it is the study's figure
    assert {q: yes["vote"] for q, yes in whole.question_yes.items()} == {"CQ5": 2, "CQ10": 1}
    assert whole.human_total is not None
    assert (whole.human_total.agreed, whole.human_total.n) == (4, 5)
    assert whole.categories_total is not None
    total = whole.categories_total
    assert (total.vote.agreed, total.vote.n, total.always_yes, total.majority) == (3, 4, 1, 3)
    assert set(whole.likeness) == {"heron / otter", "heron / stoat", "otter / stoat"}
    assert all(0 <= value <= 1 for value in whole.likeness.values())


def test_a_second_import_changes_nothing(tmp_path: Path, out: Path) -> None:
    source = as_records(tmp_path / "study")
    imported_study(source, out)
    before = statuses(out), msgspec.json.encode(figures(out))
    imported_study(source, out)
    assert (statuses(out), msgspec.json.encode(figures(out))) == before
    with Ledger.at(out) as ledger:
        assert len(ledger.runs()) == 1


def test_the_embedded_reader_answers_the_same_contexts_once(tmp_path: Path, out: Path) -> None:
    imported_study(as_records(tmp_path / "study"), out)
    reader = create("embedded", Settings(), {})
    with Ledger.at(out) as ledger:
        run = find_study_run(ledger)
        asked: list[str] = []

        class Counting:
            info = reader.info

            def read(self, question, paper, hits):  # type: ignore[no-untyped-def]
                asked.append(question.id)
                return reader.read(question, paper, hits)

        for _ in range(2):
            mine = answer_contexts(run, ledger, reader=Counting(), settings=RetrievalSettings())
        assert len(asked) == 6
        whole, _ = compute_figures(load_table(ledger, run, mine))
        assert whole.ours_yes is not None
        assert whole.categories_total is not None
        assert whole.categories_total.ours is not None
        assert find_study_run(ledger).id == run.id  # the study's run is still the study


@pytest.mark.long
@pytest.mark.skipif(not (STUDY / "records.jsonl.xz").is_file(), reason="no shared/study here")
def test_the_figures_of_the_visible_papers_equal_a_direct_count_from_the_files(out: Path) -> None:
    records = list(map(json.loads, lzma.decompress((STUDY / "records.jsonl.xz").read_bytes()).splitlines()))
    defects = imported_study(STUDY, out).defects
    whole, gated = figures(out)
    with (STUDY / "dl_gate.csv").open() as file:
        through = {row["paper"] for row in csv.DictReader(file) if row["uses_deep_learning"] == "Yes"}
    with (STUDY / "human_labels.csv").open() as file:
        people = list(csv.DictReader(file))
    vote = {(r["paper"], r["question"]): sum(r["reported"].values()) > 2 for r in records}
    for scope, papers in ((whole, {r["paper"] for r in records}), (gated, through)):
        inside = [r for r in records if r["paper"] in papers]
        assert (scope.papers, scope.cells) == (len(papers), len(inside))
        assert scope.vote_yes == sum(said for cell, said in vote.items() if cell[0] in papers)
        for question, yes in scope.question_yes.items():
            assert yes["vote"] == sum(vote[(paper, question)] for paper in papers)
        for model, many in scope.model_yes.items():
            assert many == sum(r["reported"][model] for r in inside)
        for pair in scope.agreement:
            if "vote" not in (pair.first, pair.second):
                a, b = ([r["reported"][name] for r in inside] for name in (pair.first, pair.second))
                assert pair.kappa == pytest.approx(cohen_kappa_score(a, b), abs=1e-9)
        judged = [
            (r["human"][m], r["reported"][m]) for r in inside if r["human"] for m in r["human"] if r["human"][m] is not None
        ]
        assert scope.human_total is not None
        assert (scope.human_total.n, scope.human_total.agreed) == (len(judged), sum(a == b for a, b in judged))
        categories = {"Dataset": "CQ5", "Source Code": "CQ10", "Open source frameworks or environment": "CQ19"}
        categories |= {"Model architecture": "CQ12", "Hyper-parameters": "CQ13", "Evaluation metrics": "CQ22"}
        compared = [
            (row[name] == "y", vote[(f"{row['no']}.pdf", question)])
            for row in people
            for name, question in categories.items()
            if f"{row['no']}.pdf" in papers
        ]
        assert scope.categories_total is not None
        assert (scope.categories_total.vote.n, scope.categories_total.vote.agreed) == (
            len(compared),
            sum(a == b for a, b in compared),
        )
    empty = [d for d in defects if d.kind is DefectKind.EMPTY]
    assert len(empty) == sum(not text.strip() for r in records for text in r["answers"].values())


def test_the_original_answer_is_kept(tmp_path: Path, out: Path) -> None:
    imported_study(as_records(tmp_path / "study"), out)
    with Ledger.at(out) as ledger:
        run = find_study_run(ledger)
        entry, parser = next((e, p) for e, p in ledger.entries(run) if e.name == "2.pdf")
        cell = next(c for c in ledger.cells(run, entry, parser) if (c.question, c.reader) == ("CQ10", "otter"))
    assert cell.answer.text == SAYS
    assert "invented" in cell.answer.raw
    assert cell.hits[0].passage.text == CONTEXT
    assert entry.flags == ("no_dl",)
