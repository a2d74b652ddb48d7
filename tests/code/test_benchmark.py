"""The share of comparisons that a person upheld, as the benchmark prints it."""

import csv
import json
from pathlib import Path

import pytest

from benchmarks.code import print_upheld, wilson


def exported(folder: Path, *compared: tuple[str, str, str, str]) -> Path:
    path = folder / "export.jsonl"
    rows = [
        {"paper": paper, "question": question, "code": {"comparison": [{"fact": fact, "outcome": outcome}]}}
        for paper, question, fact, outcome in compared
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"paper": "silent.pdf", "question": "CQ1", "code": None}]))
    return path


def judged(folder: Path, *rows: tuple[str, ...]) -> Path:
    path = folder / "judgements.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("paper", "setting", "upheld", "outcome", "question"), *rows])
    return path


def test_upheld_differences_are_counted_with_what_nobody_judged_or_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = exported(
        tmp_path,
        ("newts.pdf", "CQ13", "epochs", "differs"),
        ("moths.pdf", "CQ13", "dropout", "differs"),
        ("frogs.pdf", "CQ13", "epochs", "differs"),
        ("frogs.pdf", "CQ15", "optimizers", "agrees"),
    )
    judgements = judged(
        tmp_path,
        ("newts", "epochs", "yes", "", ""),
        ("moths.pdf", "dropout", "no", "differs", "CQ13"),
        ("frogs", "optimizers", "yes", "agrees", ""),
        ("frogs", "epochs", "", "", ""),  # could not be judged
        ("toads", "epochs", "yes", "", ""),
    )
    print_upheld(judgements, export, show=True)
    printed = capsys.readouterr().out
    assert [line.split() for line in printed.splitlines() if line.startswith(("differs", "agrees"))] == [
        ["agrees", "1", "1", "1", "1.00", "0.21", "to", "1.00"],
        ["differs", "3", "2", "1", "0.50", "0.09", "to", "0.91"],
    ]
    assert "not upheld: moths CQ13 dropout" in printed
    assert "1 judgements without a comparison in the export: toads epochs" in printed


def test_a_judgement_that_is_neither_yes_nor_no_stops(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"judgements\.csv:2: upheld is 'perhaps'"):
        print_upheld(judged(tmp_path, ("newts", "epochs", "perhaps", "", "")), exported(tmp_path), show=False)


def test_the_interval_of_a_share_stays_between_0_and_1() -> None:
    assert wilson(0, 3)[0] == 0
    assert wilson(3, 3)[1] == pytest.approx(1)
