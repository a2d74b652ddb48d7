"""A small fictional study: three papers, two questions, three models with all known defects."""

import csv
import json
import lzma
from pathlib import Path
from typing import Any

from methodlens.transcripts import render

MODELS = ("heron", "otter", "stoat")
CONTEXT = "We trained the barge network on two Kestrel K9 cards. The code is at the harbour office."
SAYS = "The network was trained on two Kestrel K9 cards."
SILENT = "The context does not mention any hardware."
# paper -> question -> model -> (answer, label)
ANSWERS: dict[str, dict[str, dict[str, tuple[str | None, Any]]]] = {
    "1.pdf": {
        "CQ5": {"heron": (SAYS, True), "otter": (SAYS, True), "stoat": ("", True)},
        "CQ10": {"heron": (SILENT, False), "otter": ("(399 words)", False), "stoat": (SILENT, False)},
    },
    "2.pdf": {
        "CQ5": {
            "heron": ("Not mentioned, but it was probably a Kestrel K9.", True),
            "otter": (SILENT, False),
            "stoat": (SILENT, False),
        },
        "CQ10": {
            "heron": (SAYS, True),
            "otter": (f"{SAYS}\n\nReferences:\n[1] An invented paper.", True),
            "stoat": (SILENT, False),
        },
    },
    "3.pdf": {
        "CQ5": {"heron": (SAYS, True), "otter": ("cards " * 900, True), "stoat": (SAYS, False)},
        "CQ10": {"heron": (SILENT, False), "otter": (SILENT, False), "stoat": (" ".join(f"w{n}" for n in range(500)), False)},
    },
}
HUMAN = {("1.pdf", "CQ5"): (True, True, None), ("1.pdf", "CQ10"): (False, True, False)}
GATE = "paper,uses_deep_learning\n1.pdf,Yes\n2.pdf,No\n3.pdf,Yes\n"
CATEGORIES = "no,Article_name,Dataset,Source Code,Randomness\n1,On barges,y,n,n\n3,On tides,n,n,y\n9,Elsewhere,y,y,y\n"


def records() -> list[dict[str, Any]]:
    return [
        {
            "paper": paper,
            "question": question,
            "context": CONTEXT,
            "answers": {model: answer for model, (answer, _) in by_model.items()},
            "reported": {model: label for model, (_, label) in by_model.items()},
            "human": dict(zip(MODELS, HUMAN[(paper, question)], strict=True)) if (paper, question) in HUMAN else None,
        }
        for paper, questions in ANSWERS.items()
        for question, by_model in questions.items()
    ]


def as_records(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with lzma.open(folder / "records.jsonl.xz", "wt") as file:
        file.writelines(json.dumps(record) + "\n" for record in records())
    (folder / "dl_gate.csv").write_text(GATE)
    (folder / "human_labels.csv").write_text(CATEGORIES)
    return folder


def as_folders(folder: Path, *, raw: bool) -> Path:
    """The published layout: one folder and one yes/no table per model."""
    for model in MODELS:
        place = folder / ("Original_not_processed" if raw else "V1_processed") / model
        place.mkdir(parents=True)
        rows = []
        for paper, questions in ANSWERS.items():
            row = {"UID": paper, "Status": "Complete"}
            for question, by_model in questions.items():
                answer, label = by_model[model]
                text = render("Which?", [CONTEXT], answer or "") if raw else answer or ""
                (place / f"Publication_{paper}_{question}.txt").write_text(text)
                row[question] = "Yes" if label else "No"
            rows.append(row)
        (folder / "binary_responses").mkdir(exist_ok=True)
        with (folder / "binary_responses" / f"{model}.csv").open("w", newline="") as file:
            table = csv.DictWriter(file, ["UID", "Status", "CQ5", "CQ10"])
            table.writeheader()
            table.writerows(rows)
    (folder / "DL_methods_identify.csv").write_text(GATE.replace("paper,uses_deep_learning", "UID,DL_method_availability"))
    return folder
