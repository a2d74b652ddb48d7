"""methodlens study run"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.ledger.store import Ledger, Run
    from methodlens.settings import Settings

AGAINST_HTML = "study-against.html"


def run_again(
    papers: common.Papers,
    like_published: Annotated[
        bool, typer.Option("--like-published", help="Use the prompt, passages, search, second call and model slots of the study.")
    ] = False,
    questions: common.Questions = common.DEFAULT_SET,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    max_cost: common.MaxCost = None,
    max_tokens: common.MaxTokens = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Run the published study again with the models in the settings.

    Each of the study's five models is a slot, filled by the table [readers.NAME] of that name, or of the names in study.slots.
    Writes transcripts and yes/no tables as the study did, emissions.csv, and a report. Rerun to resume.

    Example: methodlens study run papers/ --like-published --questions STUDY/questions.txt --settings models.toml --out again
    """
    from methodlens.cli.report import write_report
    from methodlens.cli.results import print_results
    from methodlens.cli.run import do_plan
    from methodlens.engine.budget import Budget
    from methodlens.lens import Lens
    from methodlens.questions import load
    from methodlens.study.rerun import numbered_as_published, published_defaults, with_slots

    if not like_published:
        raise InputError(
            "study run repeats the published study only", "add --like-published, or use 'methodlens run' for a run of your own"
        )
    started = time.monotonic()
    given = common.settings_from(settings_file, change, out=out, ledger=ledger_url, defaults=published_defaults())
    settings, readers = with_slots(given)
    with Lens(readers, numbered_as_published(load(questions)), settings=settings) as lens:
        common.name_servers(lens)
        plan = lens.plan(papers)
        budget = Budget(max_cost, max_tokens)
        with do_plan(lens, plan, engine="local", address="", budget=budget) as (summary, ledger):
            _write_files(ledger, plan.run, settings)
            written = write_report(lens, ledger, plan.run)
            failed = print_results(plan, summary, ledger, written, started=started, as_json=json)
    raise typer.Exit(1 if failed or summary.left else 0)


def _write_files(ledger: "Ledger", run: "Run", settings: "Settings") -> None:
    from methodlens.study import emissions
    from methodlens.study.rerun import TRANSCRIPTS, write_csv, write_study_files

    folder = Path(settings.out)
    count = write_study_files(ledger, run, folder)
    write_csv(emissions.log_lines(emissions.by_paper(ledger, run), run, settings.energy), folder / emissions.FILE)
    typer.echo(
        f"{common.number(count, 'transcript')} in {folder / TRANSCRIPTS}; time and energy in {folder / emissions.FILE}", err=True
    )


def compare_with(records: Path, settings: "Settings", *, run: str, html: Path | None, as_json: bool) -> None:
    """Print old and new verdicts, and write them as a page and a table."""
    from methodlens.ledger.run_rows import latest
    from methodlens.reports.statistics.statistics_output import text_lines, write_html
    from methodlens.study import emissions
    from methodlens.study.against import compare
    from methodlens.study.against_page import cell_lines, comparison_page
    from methodlens.study.answer_files import load_study
    from methodlens.study.rerun import write_csv

    study = load_study(records)
    with common.open_ledger(settings) as ledger:
        new = latest(ledger, run)
        comparison = compare(study, ledger, new)
        spent = emissions.by_model(ledger, new)
    page = comparison_page(comparison, new.questions, spent, settings.energy)
    path = html or Path(settings.out) / AGAINST_HTML
    write_html(page, path)
    write_csv(cell_lines(comparison), path.with_suffix(".csv"))
    if as_json:
        models = {
            change.name: {"all": change, "questions": comparison.question_changes(change.name)} for change in comparison.changes()
        }
        rows = [
            {"model": row.model, "calls": row.calls, "seconds": row.seconds, "kwh": row.kwh, "kg": row.kg(settings.energy)}
            for row in spent
        ]
        common.print_json({"run": new.id, "papers": comparison.papers, "models": models, "energy": rows, "html": str(path)})
        return
    common.echo_lines(text_lines(page))
    typer.echo(f"see {path} and {path.with_suffix('.csv')}", err=True)
