"""methodlens report"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.settings import Settings

if TYPE_CHECKING:
    from methodlens.ledger.store import Ledger, Run
    from methodlens.reports.html.run_report import WrittenReport

Pages = Annotated[
    bool, typer.Option("--pages/--no-pages", help="Pictures of the pages that quotes stand on, with the quotes boxed.")
]


def command(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="The file to write. [default: report.html in --out]")
    ] = None,
    run: Annotated[
        str, typer.Option("--run", metavar="ID", help="The run, by the first characters of its id. [default: the latest]")
    ] = "",
    pages: Pages = True,
    one_file: Annotated[
        bool,
        typer.Option(
            "--one-file",
            help="Keep all papers and pages in one file, however big. [default: many pages go to report-pages/, many papers to"
            " report-2.html, ...]",
        ),
    ] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Write a run as one HTML file to look at: the matrix, each paper, each question, a summary, a methods text.

    It opens from disk, without a network. A click on a cell shows the sentence on its page. 'run' makes one at its end.

    Example: methodlens report --out review
    """
    from methodlens.ledger import run_rows

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        done = write_report(ledger, run_rows.latest(ledger, run), settings, to=to, pages=pages, one_file=one_file)
    if json:
        common.print_json(done._asdict() | {"path": str(done.path)})
        return
    for note in done.notes:
        typer.echo(note, err=True)
    typer.echo(f"{done.papers} papers, {done.cells} cells, {done.pages} pages, {done.bytes / 1e6:.1f} MB", err=True)
    typer.echo(f"see {done.path}")


def write_report(
    ledger: "Ledger", run: "Run", settings: Settings, *, to: Path | None = None, pages: bool = True, one_file: bool = False
) -> "WrittenReport":
    """The report in the folder of the run, or elsewhere, with progress on stderr."""
    from methodlens.papers import WorkerPool
    from methodlens.progress import counting
    from methodlens.reports.html import run_report as report
    from methodlens.reports.html.report_links import REPORT

    with WorkerPool(settings.worker_count, settings.papers, settings.reading) as pool:
        options = report.ReportOptions(
            pool if pages else None, settings.worker_count, one_file=one_file, papers_per_file=settings.report.papers_per_file
        )
        path = to or Path(settings.out) / REPORT
        return report.write(ledger, run, path, options=options, watch=lambda total: counting("papers in the report", total))
