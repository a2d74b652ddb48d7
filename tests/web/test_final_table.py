"""Decisions in the room reach the final table: matrix, cell, exports, report and evaluation."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

from python_calamine import CalamineWorkbook

from tests.cli.conftest import Call
from tests.web.conftest import TRAINED, Enter, Visitor, cell_ref


def line_of(visitor: Visitor, paper: str) -> dict[str, Any]:
    return next(line for line in visitor.get("/api/matrix")["papers"] if line["name"] == paper)


def test_the_matrix_shows_the_final_words_beside_the_readers(enter: Enter) -> None:
    ann = enter("ann")
    ann.annotate(cell_ref(ann, "a", "Q1"), "not_reported")
    line = line_of(ann, "a.pdf")
    assert (line["final"], line["marks"], line["reviewed"]) == (["not_reported", "reported"], ["reported", "reported"], [0])
    assert line_of(enter("bob", blind=True), "a.pdf")["final"] == [None, None]


def test_people_who_differ_leave_a_cell_open(enter: Enter) -> None:
    ann, bob = enter("ann"), enter("bob")
    where = cell_ref(ann, "a", "Q1")
    ann.annotate(where, "not_reported")
    bob.annotate(where, "reported")
    assert line_of(ann, "a.pdf")["final"][0] == "withheld"
    final = ann.get("/api/cells/{}/{}".format(*where))["final"]
    assert (final["source"]["kind"], final["source"]["by"]) == ("disputed", ["ann", "bob"])


def test_corrected_facts_are_typed_and_checked(enter: Enter) -> None:
    ann = enter("ann")
    where = cell_ref(ann, "a", "Q1")
    fields = ann.get("/api/cells/{}/{}".format(*where))["fact_fields"]
    assert [field["key"] for field in fields] == ["hardware", "training_time_h"]
    assert fields[0]["fields"][0] == ["name", "text"]
    wrong = {"paper_sha256": where[0], "question": "Q1", "status": "reported", "facts": {"training_time_h": "long"}}
    refused = ann.http.post("/api/annotations", json=wrong)
    assert (refused.status_code, "training time: 'long' is not a number" in refused.json()["detail"]) == (400, True)
    ann.annotate(where, "reported", facts={"hardware": [{"name": "a barge", "count": "1"}], "training_time_h": ["6"]})
    facts = ann.get("/api/cells/{}/{}".format(*where))["final"]["facts"]
    assert facts == {"hardware": [{"name": "a barge", "kind": None, "count": 1, "memory_gb": None}], "training_time_h": 6}


def test_every_export_and_the_report_show_the_final_words(enter: Enter, folder: Path, methodlens: Call, tmp_path: Path) -> None:
    ann = enter("ann")
    ann.annotate(cell_ref(ann, "b", "Q2"), "reported", answer="None were counted.", note="p. 1")
    exported = methodlens("export", "--out", folder).out
    rows = [row for row in map(json.loads, exported.splitlines()) if row["reader"] == "final"]
    assert len(rows) == 8
    (row,) = [row for row in rows if (row["paper"], row["question"]) == ("b.pdf", "Q2")]
    assert (row["status"], row["reported"], row["answer"]) == ("reported", True, "None were counted.")
    assert (row["source"]["kind"], row["source"]["by"], row["reason"]) == ("person", ["ann"], "decided by ann: p. 1")
    assert {row["source"]["kind"] for row in rows} == {"person", "vote"}
    only = methodlens("export", "--out", folder, "--reader", "final", "--format", "csv", "--to", tmp_path / "final.csv")
    assert "8 cells" in only.err
    with (tmp_path / "final.csv").open(encoding="utf-8-sig") as file:
        (line,) = [line for line in csv.DictReader(file) if (line["paper"], line["question"]) == ("b.pdf", "Q2")]
    assert line["source"].startswith("person: ann, 20")
    methodlens("export", "--out", folder, "--format", "xlsx", "--to", tmp_path / "cells.xlsx")
    verdicts = CalamineWorkbook.from_path(tmp_path / "cells.xlsx").get_sheet_by_name("verdicts").to_python()
    assert ["b.pdf", "final", "reported", "reported"] in verdicts
    methodlens("report", "--out", folder, "--no-pages")
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert '"None were counted."' in report
    assert '"readers":["final","vote","heron","stoat","owl"]' in report


def test_the_final_words_are_scored_against_gold(enter: Enter, folder: Path, methodlens: Call, tmp_path: Path) -> None:
    ann = enter("ann")
    ann.annotate(cell_ref(ann, "c", "Q1"), "reported", answer=TRAINED)
    gold = tmp_path / "gold.csv"
    gold.write_text("paper,question,label\na.pdf,Q1,yes\nb.pdf,Q1,yes\nc.pdf,Q1,yes\n", encoding="utf-8")
    scored = json.loads(methodlens("evaluate", "--out", folder, "--gold", gold, "--json").out)
    accuracy = {reader["reader"]: reader["overall"]["figures"]["accuracy"]["value"] for reader in scored["evaluation"]["readers"]}
    assert (accuracy["final"], round(accuracy["vote"], 2)) == (1.0, 0.67)


def test_annotations_move_to_another_ledger_by_export_and_import(
    enter: Enter, folder: Path, finished_run: Path, methodlens: Call, tmp_path: Path
) -> None:
    ann = enter("ann")
    facts = {"hardware": [{"name": "a barge"}]}
    ann.annotate(cell_ref(ann, "a", "Q1"), "reported", answer="On a barge.\nIn the harbour.", facts=facts)
    file = tmp_path / "annotations.jsonl"
    assert "1 annotation written" in methodlens("annotate", "export", "--to", file, "--out", folder).err
    copy = tmp_path / "copy"
    shutil.copytree(finished_run, copy)
    assert "1 annotation by ann imported" in methodlens("annotate", "import", file, "--out", copy).out
    methodlens("annotate", "import", file, "--out", copy)  # again: nothing changes
    assert methodlens("annotate", "export", "--out", copy).out == file.read_text(encoding="utf-8")
    assert methodlens("annotate", "export", "--out", folder, "--annotator", "bob").out == ""
    line, other = file.read_text(encoding="utf-8"), tmp_path / "other.jsonl"
    unknown = line.replace('"Q1"', '"Q9"')
    other.write_text(unknown, encoding="utf-8")
    assert "no usable annotation: select the run" in methodlens("annotate", "import", other, "--out", copy).err
    other.write_text(line + unknown, encoding="utf-8")
    assert "1 unusable" in methodlens("annotate", "import", other, "--out", copy).out
    assert "1 problem in" in (strict := methodlens("annotate", "import", other, "--strict", "--out", copy).err)
    assert "omit --strict" in strict


def test_annotations_without_a_name_or_a_format_are_refused(folder: Path, methodlens: Call, tmp_path: Path) -> None:
    sheet = tmp_path / "labels.csv"
    sheet.write_text("paper,question,label\na.pdf,Q1,yes\n", encoding="utf-8")
    unnamed = methodlens("annotate", "import", sheet, "--out", folder)
    assert "does not say who labelled" in unnamed.err
    assert "--annotator" in unnamed.err
    assert "neither .jsonl nor .csv" in methodlens("annotate", "export", "--to", tmp_path / "a.txt", "--out", folder).err


def test_the_wide_table_of_the_room_shows_the_final_words(enter: Enter) -> None:
    ann = enter("ann")
    facts = {"hardware": [{"name": "a barge"}], "training_time_h": 6}
    ann.annotate(cell_ref(ann, "c", "Q1"), "reported", facts=facts)
    table = ann.get("/api/table")
    assert [fact["key"] for fact in table["questions"][0]["facts"]] == ["hardware", "training_time_h"]
    papers = {paper["name"]: paper["cells"] for paper in table["papers"]}
    text = "hardware a barge; training time 6 h"
    assert papers["c.pdf"][0] == ["reported", text, {"hardware": ["a barge"], "training_time_h": [6]}]
    assert papers["a.pdf"][0] == ["reported", TRAINED, {}]
    assert papers["broken.pdf"][0] == ["unreadable", "unreadable", {}]
    ann.annotate(cell_ref(ann, "c", "Q1"), "reported", facts=facts, answer="On a barge. It was hired.")
    enter("bob").annotate(cell_ref(ann, "a", "Q1"), "not_reported")
    ann.annotate(cell_ref(ann, "a", "Q1"), "reported", answer="On a barge.")
    cells = {paper["name"]: paper["cells"][0] for paper in ann.get("/api/table")["papers"]}
    assert cells["c.pdf"][1] == "On a barge. It was hired."  # a person's words come before the facts
    assert cells["a.pdf"][:2] == ["withheld", f"withheld: {TRAINED}"]  # disputed: nobody's words are final
    blind = enter("bob", blind=True).http.get("/api/table")
    assert (blind.status_code, "leave blind mode" in blind.json()["detail"]) == (400, True)
    assert ann.http.get("/api/table?page=2").status_code == 404
