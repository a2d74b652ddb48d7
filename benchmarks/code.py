"""How well the completeness checklist and the comparisons agree with a careful person, and how long reading a repository takes.

    python -m benchmarks.code LABELS.csv     accuracy and kappa per item; columns: path, then one per item with yes or no
    python -m benchmarks.code --make 2000    time and memory of a made-up repository of that many files
    python -m benchmarks.code --differs JUDGEMENTS.csv --export EXPORT.jsonl
                                             the share of each outcome that a person upheld; columns: paper, setting, upheld

An empty label is left out. `path` is relative to the CSV; `at` is an optional column with a date or commit. A judgement is on
"differs" unless an `outcome` column says otherwise; `setting` is a fact such as epochs, and one of several questions can be given
in a column `question`. A comparison of the export that nobody judged is counted apart, and so is a judgement without one.
"""

import argparse
import csv
import json
import math
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from methodlens.code.reading import read_repository
from methodlens.records.code import CheckItem, Outcome, Repository, RepositoryStatus
from methodlens.settings import CodeLimits

_TRAIN = """import argparse
import torch
from torch import nn, optim
from sklearn.metrics import f1_score

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default={lr})
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()
torch.manual_seed({number})


class Block{number}(nn.Module):
    def __init__(self, width=64, dropout=0.1):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, width))
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        for _ in range(3):
            x = x + self.scale * self.layers(x)
        return x


def train(model, loader, epochs=10):
    optimizer = optim.Adam(model.parameters(), lr=args.lr, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
        print(f"epoch {{epoch}}: {{loss.item():.4f}}")


def evaluate(model, loader):
    model.eval()
    predicted, actual = [], []
    with torch.no_grad():
        for inputs, targets in loader:
            predicted += model(inputs).argmax(1).tolist()
            actual += targets.tolist()
    return f1_score(actual, predicted, average="macro")
"""
_CONFIG = """model:
  backbone: resnet50
  dropout: 0.5
train:
  lr: {lr}
  batch_size: 64
  epochs: {number}
  optimizer: adam
seed: {number}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="?", type=Path, metavar="LABELS.csv")
    parser.add_argument("--make", type=int, metavar="N", help="measure a made-up repository of N files")
    parser.add_argument("--show", action="store_true", help="list where label and checklist differ, or what is not upheld")
    parser.add_argument("--differs", type=Path, metavar="JUDGEMENTS.csv", help="a person's judgements of the comparisons")
    parser.add_argument("--export", type=Path, metavar="EXPORT.jsonl", help="the export that was judged")
    options = parser.parse_args()
    if bool(options.differs) != bool(options.export):
        parser.error("--differs and --export go together")
    if options.make:
        measure_made_up(options.make)
    if options.labels:
        compare(options.labels, show=options.show)
    if options.differs:
        print_upheld(options.differs, options.export, show=options.show)
    if not options.make and not options.labels and not options.differs:
        parser.print_help()


def measure_made_up(files: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_repository(Path(folder), files)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        repository, seconds, megabytes = read_measured(Path(folder))
    print(f"{files} files, {size / 1e6:.1f} MB: {seconds}, peak {megabytes} MB, {len(repository.findings)} findings")


def make_repository(folder: Path, files: int) -> None:
    """Half Python, a quarter configuration, the rest README, scripts and data."""
    for number in range(files):
        part = folder / f"part{number % 40}"
        part.mkdir(exist_ok=True)
        lr = (number % 9 + 1) / 1000
        kinds = {
            f"train_{number}.py": _TRAIN.format(number=number, lr=lr),
            f"config_{number}.yaml": _CONFIG.format(number=number, lr=lr),
            f"module_{number}.py": _TRAIN.format(number=number, lr=lr),
            f"run_{number}.sh": f"python train_{number}.py --lr {lr} --batch-size 16\n",
        }
        name, text = list(kinds.items())[number % 4]
        (part / name).write_text(text)
    (folder / "README.md").write_text("# Made up\n\n```\npython part0/train_0.py --lr 0.1\n```\n")


def read_measured(path: Path, at: str = "") -> tuple[Repository, str, int]:
    """The repository, the time it took, and the largest memory of any child so far in MB."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    repository = read_repository(path, at=at, limits=CodeLimits(timeout_s=120))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return repository, f"{cpu:.1f} s of CPU time ({time.perf_counter() - start:.1f} s on the clock)", after.ru_maxrss >> 10


def compare(labels: Path, *, show: bool) -> None:
    pairs: dict[CheckItem, list[tuple[bool, bool]]] = {item: [] for item in CheckItem}
    with labels.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        repository, seconds, megabytes = read_measured(labels.parent / row["path"], row.get("at") or "")
        print(f"{row['path']}: {repository.files} files, {seconds}, peak so far {megabytes} MB", end="")
        print("" if repository.status is RepositoryStatus.OK else f", {repository.status}: {repository.reason}")
        for item, label, met in labelled(row, repository):
            pairs[item].append((label, met))
            if show and label != met:
                print(f"    {item}: label {'yes' if label else 'no'}, checklist {'yes' if met else 'no'}")
    print(f"\n{'item':<24}{'labels':>8}{'yes':>6}{'accuracy':>10}{'kappa':>8}")
    for item, values in pairs.items():
        if values:
            accuracy, kappa = agreement(values)
            yes = sum(label for label, _ in values)
            print(f"{item:<24}{len(values):>8}{yes:>6}{accuracy:>10.2f}{'-' if kappa is None else f'{kappa:.2f}':>8}")


def labelled(row: dict[str, str], repository: Repository) -> Iterator[tuple[CheckItem, bool, bool]]:
    """Item, label and checklist; a repository that could not be read meets nothing."""
    met = {check.item: check.met for check in repository.checks}
    for item in CheckItem:
        label = (row.get(item) or "").strip().lower()
        if label in ("yes", "no"):
            yield item, label == "yes", met.get(item, False)


def agreement(pairs: list[tuple[bool, bool]]) -> tuple[float, float | None]:
    """Accuracy and Cohen's kappa; without a kappa if both say the same of all."""
    count = len(pairs)
    accuracy = sum(label == met for label, met in pairs) / count
    yes, met = sum(label for label, _ in pairs) / count, sum(met for _, met in pairs) / count
    chance = yes * met + (1 - yes) * (1 - met)
    return accuracy, None if chance == 1 else (accuracy - chance) / (1 - chance)


class Compared(NamedTuple):
    """One comparison of an export, or one judgement; an empty question stands for any."""

    paper: str
    question: str
    setting: str
    outcome: str


def print_upheld(judgements: Path, export: Path, *, show: bool) -> None:
    """The share upheld per outcome with the Wilson interval of 95%."""
    compared = read_comparisons(export)
    judged = read_judgements(judgements)
    used: set[Compared] = set()
    print(f"{'outcome':<28}{'all':>6}{'judged':>8}{'upheld':>8}{'share':>8}   95% interval")
    for outcome in Outcome:
        votes = []
        of_outcome = [each for each in compared if each.outcome == outcome]
        for each in of_outcome:
            key = next((key for key in (each, each._replace(question="")) if key in judged), None)
            if key:
                used.add(key)
                votes.append(judged[key])
                if show and not judged[key]:
                    print(f"    not upheld: {each.paper} {each.question} {each.setting}")
        if of_outcome:
            print(f"{outcome:<28}{len(of_outcome):>6}{len(votes):>8}{sum(votes):>8}{_share(votes)}")
    if stale := [f"{key.paper} {key.setting}" for key in judged if key not in used]:
        print(f"{len(stale)} judgements without a comparison in the export: {', '.join(stale)}")


def _share(votes: list[bool]) -> str:
    if not votes:
        return f"{'-':>8}"
    low, high = wilson(sum(votes), len(votes))
    return f"{sum(votes) / len(votes):>8.2f}   {low:.2f} to {high:.2f}"


def read_comparisons(export: Path) -> list[Compared]:
    with export.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [
        Compared(Path(row["paper"]).stem, row["question"], each["fact"], each["outcome"])
        for row in rows
        for each in (row.get("code") or {}).get("comparison", ())
    ]


def read_judgements(path: Path) -> dict[Compared, bool]:
    judged = {}
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            upheld = (row.get("upheld") or "").strip().lower()
            if upheld not in ("yes", "no", ""):
                raise SystemExit(f"{path}:{number}: upheld is {upheld!r}; give yes, no, or nothing if it cannot be judged")
            if upheld:
                outcome = (row.get("outcome") or Outcome.DIFFERS).strip()
                key = Compared(Path(row["paper"]).stem, (row.get("question") or "").strip(), row["setting"].strip(), outcome)
                judged[key] = upheld == "yes"
    return judged


def wilson(count: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a share, which stays sensible where few were counted.

    >>> [round(bound, 2) for bound in wilson(9, 10)]
    [0.6, 0.98]
    """
    share, square = count / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)


if __name__ == "__main__":
    main()
