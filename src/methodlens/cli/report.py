"""methodlens report"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common

if TYPE_CHECKING:
    from methodlens.ledger.store import Ledger, Run
    from methodlens.lens import Lens
    from methodlens.reports.html.run_report import WrittenReport


def command(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE", help="Output file. [default: report.html in --out]")] = None,
    run: common.RunId = "",
    pages: common.Pages = True,
    one_file: Annotated[
        bool,
        typer.Option(
            "--one-file",
            help="Write everything to one file of any size. [default: many images go to report-pages/, many papers to"
            " report-2.html, ...]",
        ),
    ] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Write the HTML report of a run, as 'methodlens run' does.

    Has the matrix, each paper, each question, a summary and a methods text. Opens from disk, without a network. Click on a
    cell to see its quote on the page.

    Example: methodlens report --out review
    """
    from methodlens.ledger.run_rows import latest

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger, common.lens_from(settings) as lens:
        written = write_report(lens, ledger, latest(ledger, run), to=to, pages=pages, one_file=one_file)
    if json:
        common.print_json(written._asdict() | {"path": str(written.path)})
        return
    common.echo_lines(written.notes, err=True)
    totals = ", ".join(common.number(getattr(written, f"{noun}s"), noun) for noun in ("paper", "cell", "page"))
    typer.echo(f"{totals}, {written.bytes / 1e6:.1f} MB", err=True)
    typer.echo(f"see {written.path}")


def write_report(
    lens: "Lens", ledger: "Ledger", run: "Run", *, to: Path | None = None, pages: bool = True, one_file: bool = False
) -> "WrittenReport":
    """Write the report to `to`, by default in the folder of the run, with progress on stderr."""
    from methodlens.progress import counting
    from methodlens.reports.html import run_report
    from methodlens.reports.html.report_links import REPORT

    workers, papers_per_file = lens.settings.worker_count, lens.settings.report.papers_per_file
    with lens.open_pool(workers) as pool:
        options = run_report.ReportOptions(pool if pages else None, workers, one_file=one_file, papers_per_file=papers_per_file)
        path = to or Path(lens.settings.out) / REPORT
        return run_report.write(ledger, run, path, options=options, watch=lambda total: counting("papers in the report", total))
