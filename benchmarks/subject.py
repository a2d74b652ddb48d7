"""Is it a deep-learning paper? Our signs against the published gate.

    python -m benchmarks.subject STUDY

STUDY has records.jsonl.xz and dl_gate.csv. A paper is all passages that were retrieved for any of its questions; the gate is a
model's yes or no, so neither side is the truth.
"""

import argparse
import csv
import sys
from pathlib import Path

from methodlens.evaluation.counts import accuracy, count, kappa
from methodlens.papers import from_text
from methodlens.verdicts.deep_learning import deep_learning_signals
from training import study


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("study", type=Path)
    folder: Path = parser.parse_args().study
    with (folder / "dl_gate.csv").open(encoding="utf-8-sig", newline="") as lines:
        gate = {row["paper"].removesuffix(".pdf"): row["uses_deep_learning"] == "Yes" for row in csv.DictReader(lines)}
    pairs = [
        (gate[paper], deep_learning_signals(from_text(context)).uses_deep_learning)
        for paper, context in study.contexts(folder / "records.jsonl.xz")
        if paper in gate
    ]
    found = count(pairs)
    print(f"{len(pairs)} papers: {float(accuracy(found)):.1%} agree, kappa {float(kappa(found)):.3f}")
    print(f"flagged although the gate says yes: {int(found.fn)}; not flagged although it says no: {int(found.fp)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
