"""methodlens sample"""

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError


class SheetFormat(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"


class Order(StrEnum):
    ACTIVE = "active"
    SHUFFLED = "shuffled"


def command(
    n: Annotated[int, typer.Option("--n", metavar="N", help="Number of cells.", min=1)] = 200,
    by: Annotated[
        str, typer.Option("--by", metavar="KEYS", help="Stratify by any of question, verdict, disagreement, paper.")
    ] = "question,verdict,disagreement",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed draws the same cells.")] = 7,
    blind: Annotated[bool, typer.Option("--blind", help="Leave out verdicts, answers and quotes; keep passages.")] = False,
    order: Annotated[
        Order | None,
        typer.Option("--order", help="active: cells on which readers disagree first. [default: active; with --blind shuffled]"),
    ] = None,
    format: Annotated[SheetFormat, typer.Option("--format", help="Format of the sheet.")] = SheetFormat.CSV,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Output file. [default: annotate.csv or .xlsx in --out]")
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Draw a sample of cells for people to label.

    Writes a sheet with the evidence and an empty label column. Rare strata are drawn as often as frequent ones, so figures
    measured on the sample do not hold for all cells.

    Example: methodlens sample --n 200 --blind --format xlsx --out review
    """
    from methodlens.evaluation.sampling import StratifiedSample, StratifyBy, most_uncertain_first, shuffled, stratum
    from methodlens.ledger.run_rows import latest
    from methodlens.records import CellRef
    from methodlens.reports.annotation_sheets import sample_candidates, sheet_rows, write_csv, write_xlsx

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    keys = [common.one_of(StratifyBy, word.strip(), "--by") for word in by.split(",") if word.strip()]
    path = to or Path(settings.out) / f"annotate.{format}"
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        sample = StratifiedSample(n, by=keys, seed=seed)
        strata: Counter[tuple[str, ...]] = Counter()
        for cell in sample_candidates(ledger, chosen):
            strata[stratum(cell, keys)] += 1
            sample.add(cell)
        drawn = sample.draw()
        if not drawn:
            raise InputError("this run has no answered cells", "start 'methodlens run' first, or choose another --run")
        active = order is Order.ACTIVE or (order is None and not blind)
        ordered = most_uncertain_first(drawn) if active else shuffled(drawn, seed=seed)
        rows = sheet_rows(ledger, chosen, [CellRef(cell.paper, cell.question) for cell in ordered])
    if format is SheetFormat.CSV:
        write_csv(rows, path, blind=blind)
    else:
        words = [group[0] for group in (settings.evaluation.yes, settings.evaluation.no, settings.evaluation.unsure) if group]
        write_xlsx(rows, path, blind=blind, words=words)
    drawn_from = Counter(stratum(cell, keys) for cell in drawn)
    if json:
        listed = [{"stratum": key, "cells": cells, "drawn": drawn_from[key]} for key, cells in sorted(strata.items())]
        common.print_json({"sheet": str(path), "drawn": len(rows), "of": strata.total(), "strata": listed})
        return
    split = sum(cell.split for cell in drawn)
    typer.echo(f"{len(rows)} of {strata.total()} cells, {len(drawn_from)} of {len(strata)} strata; readers disagree on {split}")
    command = f"methodlens annotate import {path} --annotator NAME --out {settings.out}"
    typer.echo(f"fill in the column 'label' of {path}, then: {command}")
