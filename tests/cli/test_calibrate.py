"""methodlens calibrate: shows what would change, stores it only when told to, and takes it back."""

import json
from pathlib import Path

from methodlens.ledger.store import Ledger
from tests.cli.conftest import Call, one_line
from tests.ledger.test_recalibrations import annotate
from tests.ledger.test_recalibrations import ledger as ledger  # a fixture


def test_calibrate_shows_before_and_after_and_stores_only_with_apply(methodlens: Call, ledger: Ledger) -> None:
    out = Path(ledger.path).parent
    assert "nothing to calibrate: a question needs 30 decisions" in methodlens("calibrate", "--out", out).out
    annotate(ledger, 33)
    shown = methodlens("calibrate", "--out", out)
    assert shown.code == 0, shown
    assert "Q1 How often was each otter weighed? (embedded, 33 decisions)" in shown.out
    assert "13 of 40 cells would change: 13 withheld to reported" in shown.out
    assert "nothing is stored yet: add --apply" in shown.out
    assert "calibrated_on" not in methodlens("export", "--out", out).out
    assert "1 recalibration stored" in methodlens("calibrate", "--out", out, "--apply").out
    exported = [json.loads(line) for line in methodlens("export", "--out", out).out.splitlines()]
    assert {row.get("calibrated_on") for row in exported if row["question"] == "Q1"} == {33}
    assert sum(row["status"] == "withheld" for row in exported if row["question"] == "Q1") == 0
    assert "recalibration undone: Q1" in methodlens("calibrate", "--out", out, "--undo").out
    assert "calibrated_on" not in methodlens("export", "--out", out).out
    assert "no question is recalibrated" in methodlens("calibrate", "--out", out, "--undo").out
    log = methodlens("team", "log", "--out", out).out.splitlines()
    assert [line.partition("(command line)  ")[2] for line in log] == ["recalibrated: Q1", "recalibrated: Q1: undone"]


def test_calibrate_as_json_has_every_figure(methodlens: Call, ledger: Ledger) -> None:
    annotate(ledger, 33)
    annotate(ledger, 4, "Q2")
    report = json.loads(methodlens("calibrate", "--out", Path(ledger.path).parent, "--json").out)
    (proposal,) = report["proposals"]
    assert (report["applied"], report["too_few"], proposal["decisions"]) == (False, {"Q2": 4}, 33)
    assert set(proposal["after"]) == {"kappa", "accuracy", "ece"}


def test_what_cannot_be_calibrated_is_refused_in_one_line(methodlens: Call, ledger: Ledger) -> None:
    out = Path(ledger.path).parent
    assert "no question Q9 in this run" in one_line(methodlens("calibrate", "--out", out, "--question", "Q9"))
    assert "cannot be combined" in one_line(methodlens("calibrate", "--out", out, "--apply", "--undo"))
