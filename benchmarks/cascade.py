"""What a cascade costs and how well it agrees with gold, compared with one language model for every cell, and with a vote.

    python -m benchmarks.cascade GOLD [--papers 20] [--noise 0.1] [--low 0.2 --high 0.6]

A server on loopback with prices answers from gold, wrong in a share of the cells. Every plan is a run of its own with an empty
ledger, so its calls and its cost are counted, not computed. Cells without a decision count as not reported in kappa and as
wrong in accuracy. The embedded reader was trained on these labels: on unseen papers it agrees less (see the model card).
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from benchmarks.gold_model import Gold, GoldModel, is_wrong, read_gold, serve
from methodlens.evaluation.counts import count, kappa
from methodlens.ledger import accounts, run_rows
from methodlens.lens import Lens
from methodlens.papers import WorkerPool
from methodlens.settings import CascadeSettings, ChatServer, Settings

PLANS = {
    "embedded": ["embedded"],
    "model": ["chat:model"],
    "embedded > model": ["cascade:embedded>chat:model"],
    "embedded > small > model": ["cascade:embedded>chat:small>chat:model"],
    "embedded > small > judge": ["cascade:embedded>chat:small>judge:chat:model"],
    "vote of all three": ["embedded", "chat:small", "chat:model"],
}
PRICES = {"model": (3.0, 15.0), "small": (0.3, 1.5)}
"""Per million tokens in and out."""


def measure(readers: Sequence[str], papers: Sequence[Path], settings: Settings, gold: Gold) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as out:
        with Lens(readers, settings=settings) as lens:
            lens.run(papers, out, progress=False)
        with Lens(settings=replace(settings, out=out)).open_ledger() as ledger:
            run = run_rows.latest(ledger)
            spent = accounts.by_reader(ledger, run)
            last = run_rows.VOTE if len(run.readers) > 1 else run.readers[0]
            rows = [row for row in run_rows.rows(ledger, run) if row.cell.reader == last]
    decided = [(gold[row.paper.name, row.question.id].reported, row.cell.verdict.status.reported) for row in rows]
    right = sum(truth is given for truth, given in decided) / len(decided)
    covered = sum(given is not None for _, given in decided) / len(decided)
    agreement = float(kappa(count((truth, bool(given)) for truth, given in decided)))
    calls = sum(account.requests for account in spent)
    cost = sum(account.cost or 0.0 for account in spent)
    return str(calls), f"{cost:.3f}", f"{agreement:.3f}", f"{right:.1%}", f"{covered:.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--papers", type=int, default=20)
    parser.add_argument("--noise", type=float, default=0.1)
    parser.add_argument("--low", type=float, default=CascadeSettings().low)
    parser.add_argument("--high", type=float, default=CascadeSettings().high)
    asked = parser.parse_args()
    gold = read_gold(asked.gold)
    papers = sorted((asked.gold / "pdfs").glob("*.pdf"))[: asked.papers]
    with WorkerPool(2, Settings().papers, Settings().reading) as pool:
        texts = {paper.name: pool.parse(paper).text for paper in papers}
    model = GoldModel(gold, texts, noise=asked.noise)
    table = Table("plan", "calls", "cost", "kappa", "right", "decided", title=f"{len(papers)} papers x 28 questions")
    with serve(model) as url:
        readers = {
            name: ChatServer(name, base_url=url, price_in=price_in, price_out=price_out, concurrency=4)
            for name, (price_in, price_out) in PRICES.items()
        }
        cascade = CascadeSettings(low=asked.low, high=asked.high)
        for name, plan in PLANS.items():
            settings = Settings(readers=readers, cascade=cascade, workers=2)
            table.add_row(name, *measure(plan, papers, settings, gold))
    Console().print(table)
    own = [
        (label.reported, label.reported is not is_wrong("model", *key, asked.noise))
        for key, label in gold.items()
        if key[0] in texts
    ]
    print(
        f"the model's own yes or no, before its quotes are checked: right {sum(a == b for a, b in own) / len(own):.1%}, "
        f"kappa {float(kappa(count(own))):.3f}"
    )


if __name__ == "__main__":
    main()
