"""Does `methodlens plan` predict well? Its forecasts for half of the gold papers, from the other half, and what came out.

    python -m benchmarks.plans GOLD [--write]

The model is a server on loopback that answers from gold, wrong in a tenth of the cells. All readers answer all cells once; the
plans are then scored on the stored cells. --write renews the shipped table of the embedded reader's probabilities.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from benchmarks.cascade import PRICES
from benchmarks.gold_model import GoldModel, read_gold, serve
from methodlens.evaluation.comparison import Stored, compare, stored_cells
from methodlens.evaluation.forecast import EMBEDDED, forecast
from methodlens.evaluation.model_assumptions import EMBEDDED_SECONDS, assumed_model
from methodlens.evaluation.reader_statistics import embedded_doubt, figures, table_doubt, tabulate
from methodlens.ledger import run_rows
from methodlens.ledger.calls import Call
from methodlens.lens import Lens
from methodlens.papers import WorkerPool
from methodlens.records import CellRef
from methodlens.settings import CascadeSettings, ChatServer, Settings

READERS = (EMBEDDED, "chat:small", "chat:model")
TABLE = Path("src/methodlens/evaluation/data/embedded-doubt.json")
BANDS = (CascadeSettings(), CascadeSettings(low=0.1, high=0.8))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    gold = read_gold(asked.gold)
    papers = sorted((asked.gold / "pdfs").glob("*.pdf"))
    with WorkerPool(2, Settings().papers, Settings().reading) as pool:
        texts = {paper.name: pool.parse(paper).text for paper in papers}
    with serve(GoldModel(gold, texts, noise=0.1)) as url, tempfile.TemporaryDirectory() as out:
        servers = {
            name: ChatServer(name, base_url=url, price_in=price_in, price_out=price_out, concurrency=4)
            for name, (price_in, price_out) in PRICES.items()
        }
        settings = Settings(readers=servers, workers=2, out=out)
        with Lens(READERS, settings=settings) as lens:
            lens.run(papers, progress=False)
        with Lens(settings=settings).open_ledger() as ledger:
            stored, calls = stored_cells(ledger, [run_rows.latest(ledger)]), list(ledger.calls())
    if asked.write:
        table = tabulate(cells[EMBEDDED] for cells in stored.values())
        TABLE.write_bytes(msgspec.json.format(msgspec.json.encode(table), indent=0).replace(b"\n", b"") + b"\n")
    truth = {CellRef(*key): label.reported for key, label in gold.items()}
    names = [paper.name for paper in papers]
    halves = ({*names[0::2]}, {*names[1::2]})
    shown = Table("band", "plan", "right, expected", "right", "cost, expected", "cost", title="both halves, each from the other")
    for band in BANDS:
        rows: dict[str, list[tuple[float, float, float, float]]] = {}
        for here, there in (halves, halves[::-1]):
            for plan, figure in _half(_only(stored, here), _only(stored, there), truth, calls, replace(settings, cascade=band)):
                rows.setdefault(plan, []).append(figure)
        for plan, both in rows.items():
            means = [sum(values) / len(both) for values in zip(*both, strict=True)]
            figures_shown = (f"{means[0]:.1%}", f"{means[1]:.1%}", f"{means[2]:.3f}", f"{means[3]:.3f}")
            shown.add_row(f"{band.low:g} to {band.high:g}", plan, *figures_shown)
    Console(width=140).print(shown)
    shares, _ = table_doubt([f"CQ{number}" for number in range(1, 29)], CascadeSettings())
    print(f"the shipped table says: embedded decides {shares.decided:.1%} and is right in {shares.right:.1%} of all cells")


def _half(
    seen: Stored, unseen: Stored, truth: Mapping[CellRef, bool], calls: Sequence[Call], settings: Settings
) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """For each plan: right and cost as expected and as they came out."""
    labels = {ref: truth[ref] for ref in seen}
    models = {}
    for name in READERS[1:]:
        model = assumed_model(name, settings)
        measured = figures(name, model.figures, stored=seen, calls=calls, truth=labels, settings=settings.cascade)
        models[name] = replace(model, figures=measured)
    doubt = embedded_doubt([cells[EMBEDDED] for cells in seen.values()], settings.cascade)
    plans = forecast(READERS, cells=len(unseen), embedded=doubt, models=models, embedded_seconds=EMBEDDED_SECONDS).plans
    realised = {
        _short(score.plan): score
        for score in compare(unseen, {ref: truth[ref] for ref in unseen}, vote="majority", settings=settings.cascade)
    }
    for plan in plans:
        score = realised[_short(plan.plan)]
        yield _short(plan.plan), (plan.right, score.accuracy, plan.cost or 0.0, score.cost or 0.0)


def _short(plan: str) -> str:
    return "vote of all" if plan.startswith("vote of") else plan


def _only(stored: Stored, papers: set[str]) -> Stored:
    return {ref: cells for ref, cells in stored.items() if ref.paper in papers}


if __name__ == "__main__":
    main()
