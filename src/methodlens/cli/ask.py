"""methodlens ask"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.records import Cell


def command(
    paper: Annotated[Path, typer.Argument(metavar="PAPER", help="A PDF.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in your own words, or an id such as CQ20.")],
    questions: common.Questions = DEFAULT_SET,
    reader: Annotated[
        str, typer.Option("--reader", metavar="NAME", help="Who answers: 'embedded', 'chat:NAME', 'llama:FILE'.")
    ] = "embedded",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Ask one paper one question: the answer with its quotes and pages, or "Not reported".

    Example: methodlens ask paper.pdf "Which GPUs were used for training?"
    """
    from methodlens.engine.execute import ask, look_up, shown_to
    from methodlens.records import PaperStatus, Status
    from methodlens.verdicts import paper_flags

    settings = common.settings_from(settings_file, change)
    asked = common.question_from(question, questions, settings)
    (who,) = common.readers_from([reader], settings)
    retriever = common.retriever_from(settings)
    read = common.paper_from(paper, settings)
    if read.status is not PaperStatus.OK:
        raise InputError(f"{paper} is {read.status.value}", read.reason)
    ((_, ranking),) = look_up(read, [asked], retriever, settings.retrieval)
    hits, shown = shown_to(who, ranking, settings.retrieval)
    with common.closing([who]):
        cell = ask(read, asked, who, hits, shown=shown)
    if json:
        common.print_json(
            {"paper": str(paper), "question": asked, "verdict": cell.verdict, "answer": cell.answer, "reader": who.info.name}
        )
    else:
        if paper_flags(read):
            typer.echo("No deep learning of its own was found in this paper.")
        if asked.like:
            typer.echo(f"Asked like {asked.like} ({asked.title}).")
        _say(cell)
    raise typer.Exit(1 if cell.verdict.status is Status.FAILED else 0)


def _say(cell: "Cell") -> None:
    from methodlens.records import Status

    heading = {
        Status.REPORTED: "Reported",
        Status.NOT_REPORTED: "Not reported",
        Status.WITHHELD: "Not sure: a person should look",
        Status.FAILED: "Failed",
    }[cell.verdict.status]
    reason = f" ({cell.verdict.reason})" if cell.verdict.reason else ""
    typer.echo(f"{heading}{reason}.")
    if cell.answer.text:
        typer.echo(cell.answer.text)
    for line in common.evidence_lines(cell.answer.evidence):
        typer.echo(line)
