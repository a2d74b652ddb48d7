"""methodlens plan"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET

if TYPE_CHECKING:
    from methodlens.evaluation.forecast import Forecast, Forecasts, Model

_HEAD = ("plan", "calls", "tokens in", "tokens out", "cost", "hours", "right")


def command(
    papers: common.Papers,
    questions: common.Questions = DEFAULT_SET,
    reader: common.Readers = None,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="COST", help="Name the best plan that costs at most this.", min=0)
    ] = None,
    right: Annotated[
        float,
        typer.Option(
            "--assume-right",
            metavar="SHARE",
            help="Share of right answers of a language model that was not measured on reviewed cells.",
            min=0,
            max=1,
        ),
    ] = 0.85,
    gold: Annotated[
        Path | None,
        typer.Option("--gold", metavar="FILE|DIR", help="Labels to measure the stored answers on. [default: the reviewed cells]"),
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Forecast the cost and agreement of readers, before any call.

    For each plan: calls, tokens, cost, hours and expected agreement with people.

    A plan is each reader alone, the vote of all, each cascade given with --reader, and the obvious cascades. Figures come from
    the answers in the ledger, where it has enough of them; what is assumed instead is listed. Contacts no server, asks nothing.

    Example: methodlens plan papers/ --reader embedded --reader chat:small --reader chat:large --budget 5
    """
    from methodlens.cli.plan_figures import Known, load_known
    from methodlens.evaluation.forecast import forecast, model_names
    from methodlens.evaluation.model_assumptions import EMBEDDED_SECONDS, assumed_model
    from methodlens.lens_parts import DEFAULT_READER
    from methodlens.papers import find, paper_suffixes

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    asked = common.lens_from(settings, None, questions).questions.questions
    files = find(papers, suffixes=paper_suffixes())
    readers = reader or [DEFAULT_READER]
    known: Known = load_known(settings, asked, gold)
    models = {
        name: known.improve(name, assumed_model(name, settings, right=right), settings.cascade) for name in model_names(readers)
    }
    embedded, source = known.embedded([question.id for question in asked], settings.cascade)
    forecasts = forecast(
        readers,
        cells=len(files) * len(asked),
        embedded=embedded,
        models=models,
        embedded_seconds=EMBEDDED_SECONDS,
        budget=budget,
    )
    notes = [source, *_assumptions(models)]
    if json:
        common.print_json({"papers": len(files), "questions": len(asked), "forecast": forecasts, "notes": notes})
        return
    typer.echo(
        f"{common.number(len(files), 'paper')} x {common.number(len(asked), 'question')} = "
        f"{common.number(forecasts.cells, 'cell')}"
    )
    common.echo_lines((*_table(forecasts.plans), *_advice(forecasts), *notes))


def _table(plans: "Sequence[Forecast]") -> Iterator[str]:
    rows = [_HEAD, *map(_row, plans)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for row in rows:
        yield "  ".join([row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))])


def _row(plan: "Forecast") -> tuple[str, ...]:
    return (
        plan.plan,
        f"{plan.calls:,}",
        f"{plan.tokens_in:,}",
        f"{plan.tokens_out:,}",
        "unknown" if plan.cost is None else f"{plan.cost:.2f}",
        f"{plan.hours:.2f}",
        f"{plan.right:.1%}",
    )


def _advice(forecasts: "Forecasts") -> Iterator[str]:
    within = "" if forecasts.budget is None else f" for {forecasts.budget:g}"
    if forecasts.best:
        yield f"best expected agreement{within}: {forecasts.best}"
    else:
        yield f"no plan is known to cost at most {forecasts.budget:g}"


def _assumptions(models: "Mapping[str, Model]") -> Iterator[str]:
    for name, model in models.items():
        figures = model.figures
        words = {
            "tokens": f"{figures.tokens_in:,.0f} tokens in and {figures.tokens_out:.0f} out per call",
            "seconds": f"{figures.seconds:.1f} s per call",
            "right": f"right in {figures.right:.0%} of the cells",
            "in_doubt": f"in doubt in {figures.in_doubt:.0%}",
        }
        for kind, wanted in (("measured", False), ("assumed", True)):
            listed = [text for key, text in words.items() if (key in figures.assumed) is wanted]
            if listed:
                yield f"{name}, {kind}: {', '.join(listed)}"
        if model.cost is None:
            yield f"{name} has no price: set price_in and price_out (per million tokens)"
