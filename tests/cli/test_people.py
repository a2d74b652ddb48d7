"""methodlens sample, annotate and study."""

import csv
import json
from pathlib import Path

import pytest

from methodlens.evaluation.table_files import read_table
from methodlens.reports.annotation_sheets import SheetRow, write_csv, write_xlsx
from tests.cli.conftest import Call, one_line
from tests.reports.conftest import HOSTILE
from tests.study.study_data import MODELS, as_records


@pytest.fixture
def out(tmp_path: Path, methodlens: Call) -> Path:
    folder = tmp_path / "out"
    done = methodlens("study", "import", as_records(tmp_path / "study"), "--out", folder)
    assert done.code == 0, done
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    return [row.values for row in read_table(path)]


def fill(path: Path, answers: dict[tuple[str, str], str], to: Path) -> Path:
    table = rows(path)
    with to.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        for row in table:
            writer.writerow({**row, "label": answers.get((row["paper"], row["question"]), "")})
    return to


def test_a_study_is_imported_with_its_defects_and_its_figures_recomputed(methodlens: Call, tmp_path: Path, out: Path) -> None:
    again = methodlens("study", "import", tmp_path / "study", "--out", out, "--json")
    about = json.loads(again.out)
    assert (about["papers"], about["questions"], about["readers"]) == (3, 2, list(MODELS))
    assert {"kind": "empty answer", "model": "stoat", "counted": "yes", "n": 1} in about["defects"]
    assert len((out / "study-defects.jsonl").read_text().splitlines()) == sum(defect["n"] for defect in about["defects"])
    done = methodlens("study", "report", "--out", out, "--ours")
    assert done.code == 0, done
    for word in ("vote", "ours", "After the deep-learning gate", "human categories", "TF-IDF", "heron"):
        assert word in done.out
    assert (out / "study.html").read_text().count("<svg") >= 4
    figures = json.loads(methodlens("study", "report", "--out", out, "--json").out)
    assert figures["scopes"][0]["vote_yes"] == 3
    assert figures["ours"]


def test_the_models_and_the_embedded_reader_can_be_evaluated_together(methodlens: Call, tmp_path: Path, out: Path) -> None:
    methodlens("study", "report", "--out", out, "--ours")
    both = json.loads(methodlens("doctor", "--out", out, "--json").out)
    assert both
    done = methodlens(
        "evaluate", "--gold", tmp_path / "study" / "human_labels.csv", "--mapping", "study-categories", "--out", out, "--json"
    )
    assert json.loads(done.out)["evaluation"]["asked"] == 4


def test_a_folder_without_a_study_is_refused_in_one_line(methodlens: Call, tmp_path: Path) -> None:
    assert "Publication_" in one_line(methodlens("study", "import", tmp_path / "none", "--out", tmp_path / "o"))
    assert "ledger" in one_line(methodlens("study", "report", "--out", tmp_path / "o"))


@pytest.mark.parametrize("format", ["csv", "xlsx"])
def test_a_blind_sheet_reveals_no_verdict(methodlens: Call, out: Path, format: str) -> None:
    done = methodlens("sample", "--n", 5, "--seed", 3, "--blind", "--format", format, "--out", out)
    assert done.code == 0, done
    table = rows(out / f"annotate.{format}")
    assert len(table) == 5
    assert not {"verdict", "readers", "answer", "quotes"} & set(table[0])
    text = json.dumps(table)
    assert "reported" not in text
    assert "withheld" not in text
    assert all(row["passages"] and row["label"] == "" for row in table)


def test_a_sheet_shows_verdicts_and_starts_with_disagreements(methodlens: Call, out: Path) -> None:
    methodlens("sample", "--n", 6, "--out", out)
    table = rows(out / "annotate.csv")
    splits = ["reported" in row["readers"].replace("not_reported", "") and "not_reported" in row["readers"] for row in table]
    assert splits == sorted(splits, reverse=True)
    assert any(splits)
    assert all(row["verdict"] for row in table)


def test_two_annotators_are_compared_and_a_third_settles_their_disagreements(methodlens: Call, tmp_path: Path, out: Path) -> None:
    methodlens("sample", "--n", 6, "--blind", "--out", out)
    sheet = out / "annotate.csv"
    ann = {("1.pdf", "CQ5"): "yes", ("1.pdf", "CQ10"): "no", ("2.pdf", "CQ5"): "no", ("2.pdf", "CQ10"): "Y"}
    bob = {**ann, ("2.pdf", "CQ5"): "yes", ("3.pdf", "CQ5"): "unsure"}
    for name, answers in (("ann", ann), ("bob", bob)):
        done = methodlens("annotate", "import", fill(sheet, answers, tmp_path / f"{name}.csv"), "--annotator", name, "--out", out)
        assert done.code == 0, done
    compared = methodlens("annotate", "compare", "ann", "bob", "--sheet", tmp_path / "d.csv", "--out", out)
    assert "ann and bob agree on 3 of 4 cells" in compared.out
    assert "2.pdf CQ5: ann: not_reported, bob: reported" in compared.out
    assert [row["readers"] for row in rows(tmp_path / "d.csv")] == ["ann: not_reported, bob: reported"]
    before = json.loads(methodlens("evaluate", "--out", out, "--json").out)["evaluation"]
    settled = fill(tmp_path / "d.csv", {("2.pdf", "CQ5"): "no"}, tmp_path / "settled.csv")
    methodlens("annotate", "import", settled, "--annotator", "adjudicated", "--out", out)
    after = json.loads(methodlens("evaluate", "--out", out, "--json").out)["evaluation"]
    assert [(d["paper"], d["question"]) for d in before["disputes"]] == [("2.pdf", "CQ5")]
    assert after["disputes"] == []
    assert after["asked"] == before["asked"] + 1
    assert "1 differ, 1 of them settled" in methodlens("annotate", "compare", "ann", "bob", "--out", out).out


def test_the_latest_label_of_an_annotator_counts(methodlens: Call, tmp_path: Path, out: Path) -> None:
    from methodlens.ledger.store import Ledger

    methodlens("sample", "--n", 6, "--out", out)
    for label in ("yes", "no"):
        path = fill(out / "annotate.csv", {("1.pdf", "CQ5"): label}, tmp_path / "s.csv")
        assert methodlens("annotate", "import", path, "--annotator", "ann", "--out", out).code == 0
    with Ledger.at(out) as ledger:
        (latest,) = [annotation for annotation in ledger.annotations() if annotation.annotator == "ann"]
    assert latest.status == "not_reported"
    log = methodlens("team", "log", "--out", out).out.splitlines()
    assert [line.partition("(command line)  ")[2] for line in log] == ["imported annotations: 1 by ann from s.csv"] * 2


def test_problems_of_a_sheet_are_listed(methodlens: Call, tmp_path: Path, out: Path) -> None:
    methodlens("sample", "--n", 6, "--out", out)
    path = fill(out / "annotate.csv", {("1.pdf", "CQ5"): "perhaps", ("1.pdf", "CQ10"): "no"}, tmp_path / "s.csv")
    done = methodlens("annotate", "import", path, "--annotator", "ann", "--out", out)
    assert done.code == 0
    assert "odd label (1): 'perhaps'" in done.err
    assert "1 label by ann imported" in done.out
    assert methodlens("annotate", "import", path, "--annotator", "ann", "--out", out, "--strict").code == 2
    assert "cannot be used as the name" in one_line(methodlens("annotate", "import", path, "--annotator", " ", "--out", out))
    assert "no usable label" in one_line(
        methodlens("annotate", "import", out / "annotate.csv", "--annotator", "ann", "--out", out)
    )
    assert "annotators: human, ann" in one_line(methodlens("annotate", "compare", "ann", "zoe", "--out", out))
    assert "disagreement" in one_line(methodlens("sample", "--by", "colour", "--out", out))


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_no_value_in_a_sheet_is_a_formula(tmp_path: Path, hostile: str) -> None:
    row = SheetRow(hostile, "ab" * 32, hostile, hostile, hostile, hostile, hostile, hostile, hostile, hostile)
    write_csv([row], tmp_path / "s.csv", blind=False)
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as file:
        for cell in list(csv.reader(file))[1]:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))
    write_xlsx([row], tmp_path / "s.xlsx", blind=False, words=("yes", "no"))
    (back,) = rows(tmp_path / "s.xlsx")
    assert back["paper_sha256"] == "ab" * 32
