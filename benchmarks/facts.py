"""Precision and recall of facts per key: extracted from the gold quotes, and in an export.

    python benchmarks/facts.py GOLD [--export EXPORT.jsonl] [--show KEY]

GOLD has <paper>.jsonl as its README describes. The first table shows how good extraction is on the right sentences, the second on
the quotes that the reader chose. A value counts as in the project's scorer: equal, or one within the other.
"""

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from methodlens.facts import extract

SCORED = {
    2: ["formats"],
    3: ["annotation", "tools"],
    4: ["augmentations"],
    5: ["datasets"],
    7: ["cross_validation_folds"],
    8: ["code_urls"],
    9: ["data_urls"],
    10: ["code_urls"],
    11: ["data_urls"],
    12: ["architectures"],
    13: ["learning_rate", "batch_size", "epochs", "iterations", "momentum", "weight_decay", "dropout", "loss", "optimizer"],
    15: ["optimizers"],
    17: ["regularization"],
    19: ["frameworks"],
    20: ["hardware", "training_time_h"],
    22: ["metrics"],
    24: ["repeats"],
    25: ["tasks"],
    28: ["platforms"],
}
EXTRA = {(2, "formats"), (3, "annotation"), (3, "tools"), (5, "datasets"), (7, "cross_validation_folds"), (13, "iterations")} | {
    (13, "loss"),
    (13, "optimizer"),
    (24, "repeats"),
    (28, "platforms"),
}
"""Printed but not in the total: the project's scorer leaves them out."""
_MAKERS = frozenset("nvidia geforce intel amd google tesla quadro core gpu cpu gpus cpus processor graphics card".split())


def atoms(value: Any) -> set[str]:
    if value is None or value == "":
        return set()
    if isinstance(value, dict):
        return atoms(value.get("name", ""))
    if isinstance(value, list | tuple):
        return {atom for each in value for atom in atoms(each)}
    if isinstance(value, int | float):
        return {f"{float(value):g}"}
    text = str(value).lower().strip()
    if "/" in text and "." in text:
        return {re.sub(r"^(https?://)?(dx\.)?(www\.)?(doi\.org/)?", "", text).rstrip("/.")}
    kept = [word for word in re.findall(r"[a-z0-9.]+", text) if word not in _MAKERS]
    return {"".join(kept)} if kept else set()


def matched(found: set[str], wanted: set[str]) -> list[tuple[str, str]]:
    left, pairs = set(found), []
    for want in sorted(wanted):
        for have in sorted(left):
            within = min(len(want), len(have)) >= 3 and not want[0].isdigit() and (want in have or have in want)
            if want == have or within:
                left.discard(have)
                pairs.append((have, want))
                break
    return pairs


class Count:
    def __init__(self) -> None:
        self.right = self.found = self.wanted = 0

    def add(self, right: int, found: int, wanted: int) -> None:
        self.right, self.found, self.wanted = self.right + right, self.found + found, self.wanted + wanted

    def cells(self) -> list[str]:
        precision = self.right / self.found if self.found else 0.0
        recall = self.right / self.wanted if self.wanted else 0.0
        f1 = 2 * self.right / (self.found + self.wanted) if self.found + self.wanted else 0.0
        return [str(self.right), str(self.found), str(self.wanted), f"{precision:.2f}", f"{recall:.2f}", f"{f1:.2f}"]


def measure(
    gold: list[dict[str, Any]], facts_of: dict[tuple[str, int], dict[str, Any]], show: str
) -> dict[tuple[int, str], Count]:
    counts: dict[tuple[int, str], Count] = defaultdict(Count)
    for row in gold:
        for key in SCORED.get(row["cq"], []):
            wanted = atoms(row["values"].get(key)) if row["reported"] else set()
            found = atoms(facts_of.get((row["paper"], row["cq"]), {}).get(key))
            pairs = matched(found, wanted)
            counts[row["cq"], key].add(len(pairs), len(found), len(wanted))
            extra, missed = found - {have for have, _ in pairs}, wanted - {want for _, want in pairs}
            if key == show and (extra or missed):
                print(f"{row['paper']} CQ{row['cq']}: wrong {sorted(extra)}, missed {sorted(missed)}")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--export", type=Path, help="a JSON Lines export of the same papers")
    parser.add_argument("--show", default="", help="print the missed and the wrong values of this key")
    args = parser.parse_args()
    files = sorted(args.gold.glob("*.jsonl")) if args.gold.is_dir() else []
    if not files:
        print(f"{args.gold}: no gold annotations (*.jsonl) found; name their folder", file=sys.stderr)
        return 0
    gold = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    oracle: dict[tuple[str, int], dict[str, Any]] = {}
    cells, started = 0, time.perf_counter()
    for row in gold:
        if row["reported"] and row["cq"] in SCORED:
            quotes = [re.sub(r"(?<=\w)[‐-] (?=[a-z])", "", quote["text"]) for quote in row["quotes"]]
            oracle[row["paper"], row["cq"]] = extract(SCORED[row["cq"]], quotes)
            cells += 1
    each = 1000 * (time.perf_counter() - started) / max(1, cells)
    columns = {"gold quotes": measure(gold, oracle, args.show)}
    if args.export:
        exported = [json.loads(line) for line in args.export.read_text(encoding="utf-8").splitlines()]
        reader = {
            (row["paper"].removesuffix(".pdf"), int(row["question"].removeprefix("CQ"))): row["facts"] or {}
            for row in exported
            if row["reported"] is True
        }
        columns["export"] = measure(gold, reader, args.show)
    for name, counts in columns.items():
        print_table(f"{name}, {each:.1f} ms per cell" if name == "gold quotes" else name, counts)
    return 0


def print_table(title: str, counts: dict[tuple[int, str], Count]) -> None:
    table = Table(title=title)
    for column in ("question", "key", "right", "found", "wanted", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column in ("question", "key") else "right")
    total = Count()
    for (cq, key), count in sorted(counts.items()):
        extra = (cq, key) in EXTRA
        if not extra:
            total.add(count.right, count.found, count.wanted)
        table.add_row(f"CQ{cq}", key + (" *" if extra else ""), *count.cells())
    table.add_section()
    table.add_row("all", "without *", *total.cells())
    Console(width=100).print(table)


if __name__ == "__main__":
    raise SystemExit(main())
