"""methodlens sample"""

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from methodlens.evaluation.sampling import StratifyBy
    from methodlens.ledger.overview import CellSummary


class SheetFormat(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"


class Order(StrEnum):
    ACTIVE = "active"
    SHUFFLED = "shuffled"


def command(
    n: Annotated[int, typer.Option("--n", help="How many cells.", min=1)] = 200,
    by: Annotated[
        str, typer.Option("--by", metavar="KEYS", help="Spread evenly over question, verdict, disagreement, paper.")
    ] = "question,verdict,disagreement",
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same cells.")] = 7,
    blind: Annotated[bool, typer.Option("--blind", help="Leave out verdicts, answers and quotes; passages stay.")] = False,
    order: Annotated[
        Order | None, typer.Option("--order", help="active: where readers disagree first. [default: active, blind: shuffled]")
    ] = None,
    format: Annotated[SheetFormat, typer.Option("--format")] = SheetFormat.CSV,
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE", help="[default: annotate.csv or .xlsx in --out]")] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: Annotated[str, typer.Option("--run", metavar="ID", help="[default: the latest]")] = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Draw cells for people to label, and write them as a sheet with the evidence and an empty column for the label.

    Rare kinds are drawn as often as frequent ones, so figures over such a sample are not those over all cells.

    Example: methodlens sample --n 200 --by question,verdict,disagreement --seed 7 --blind --format xlsx --out review
    """
    from methodlens.evaluation.sampling import StratifyBy, most_uncertain_first, shuffled, stratified_sample, stratum
    from methodlens.ledger import run_rows
    from methodlens.records import CellRef
    from methodlens.reports.annotation_sheets import sample_candidates, sheet_rows, write_csv, write_xlsx

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    keys = [common.one_of(StratifyBy, word.strip(), "--by") for word in by.split(",") if word.strip()]
    folder = Path(settings.out)
    path = to or folder / f"annotate.{format}"
    with common.open_ledger(settings) as ledger:
        chosen = run_rows.latest(ledger, run)
        strata: Counter[tuple[str, ...]] = Counter()
        drawn = stratified_sample(_counted(sample_candidates(ledger, chosen), keys, strata), n, by=keys, seed=seed)
        if not drawn:
            raise InputError("there are no answered cells in this run", "run 'methodlens run' first, or name another --run")
        active = order is Order.ACTIVE or (order is None and not blind)
        ordered = most_uncertain_first(drawn) if active else shuffled(drawn, seed=seed)
        rows = sheet_rows(ledger, chosen, [CellRef(cell.paper, cell.question) for cell in ordered])
    if format is SheetFormat.CSV:
        write_csv(rows, path, blind=blind)
    else:
        words = [group[0] for group in (settings.evaluation.yes, settings.evaluation.no, settings.evaluation.unsure) if group]
        write_xlsx(rows, path, blind=blind, words=words)
    seen = Counter(stratum(one, keys) for one in drawn)
    if json:
        drawn_of = [{"stratum": key, "cells": many, "drawn": seen[key]} for key, many in sorted(strata.items())]
        common.print_json({"sheet": str(path), "drawn": len(rows), "of": strata.total(), "strata": drawn_of})
        return
    split = sum(one.split for one in drawn)
    typer.echo(f"{len(rows)} of {strata.total()} cells from {len(seen)} of {len(strata)} strata; readers are split on {split}")
    typer.echo(f"fill in the column 'label' of {path}, then: methodlens annotate import {path} --annotator NAME --out {folder}")


def _counted(
    candidates: "Iterable[CellSummary]", by: "Sequence[StratifyBy]", strata: Counter[tuple[str, ...]]
) -> "Iterator[CellSummary]":
    """As they pass, each is counted in its stratum."""
    from methodlens.evaluation.sampling import stratum

    for one in candidates:
        strata[stratum(one, by)] += 1
        yield one
