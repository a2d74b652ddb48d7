"""Quality and speed of the embedded reader on unseen papers, compared with the published pipeline.

    python -m benchmarks.reader GOLD STUDY/records.jsonl.xz [--speed-only]

Quality is cross-validated: ranking, words, sentence models, weights and the use of words in answers are learned without the
paper (training/verdicts.py). The gazetteers and grammars of facts are written by hand, with some of these papers in view, so the
figure is given twice: the second leaves out names that occur in one gold paper only and is a lower bound. Run it in the
environment of `make verdicts`, for speed on one core (taskset -c 0).
"""

import argparse
import sys
from pathlib import Path

from benchmarks.reader_speed import show_speed


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("records", type=Path, nargs="?")
    parser.add_argument("--speed-only", action="store_true")
    args = parser.parse_args()
    show_speed(args.gold)
    if args.speed_only or not args.records:
        return 0
    from benchmarks.reader_quality import show_quality  # imports what the training needs, which counts as memory

    show_quality(args.gold, args.records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
