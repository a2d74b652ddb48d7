"""methodlens figures"""

from pathlib import Path
from typing import Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError


def command(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FOLDER", help="Output folder. [default: figures in --out]", file_okay=False)
    ] = None,
    run: common.RunId = "",
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help="Only this figure: flow, shares, matrix, trends, frameworks, gpus, metrics, architectures, coreporting,"
            " calibration or agreement. Repeatable. [default: all]",
        ),
    ] = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Write figures for a paper, with captions and a methods text.

    Each is written as SVG, PNG and CSV.

    They show the final verdicts: a person's where there is one, else the vote's or the reader's. Figures for which the run
    has no data are skipped, with the reason.

    Example: methodlens figures --out review
    """
    from methodlens.ledger.run_rows import latest
    from methodlens.progress import counting
    from methodlens.reports.figures.figure_set import NAMES
    from methodlens.reports.figures.run_figures import write_figures

    if unknown := [name for name in only or () if name not in NAMES]:
        raise InputError(f"--only: there is no figure {unknown[0]!r}", f"use one of: {', '.join(NAMES)}")
    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        with counting("papers counted", chosen.papers) as advance:
            figures = write_figures(ledger, chosen, to or Path(settings.out) / "figures", only=only or (), advance=advance)
    if json:
        skipped = {figure.name: figure.reason for figure in figures.skipped}
        common.print_json({"folder": str(figures.folder), "written": figures.written, "skipped": skipped, "notes": figures.notes})
        return
    common.echo_lines((f"{figure.name}: skipped, {figure.reason}" for figure in figures.skipped), err=True)
    common.echo_lines(figures.notes, err=True)
    names = f" ({', '.join(figures.written)})" if figures.written else ""
    typer.echo(f"{common.number(len(figures.written), 'figure')} in {figures.folder}{names}")
