"""methodlens ask"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET

if TYPE_CHECKING:
    from methodlens.records import Cell


def command(
    paper: Annotated[Path, typer.Argument(metavar="PAPER", help="A paper, such as a PDF.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in your own words, or an id such as CQ20.")],
    questions: common.Questions = DEFAULT_SET,
    reader: common.ReaderName = "embedded",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Ask one paper one question.

    Prints the answer with its quotes and pages, or "Not reported". Nothing is stored.

    Example: methodlens ask paper.pdf "Which GPUs were used for training?"
    """
    from methodlens.papers.files import printable_name
    from methodlens.records import Status
    from methodlens.verdicts import NO_DL

    settings = common.settings_from(settings_file, change)
    with common.lens_from(settings, [reader], questions) as lens:
        asked = lens.question(question)
        answer = lens.ask(paper, asked)
    cell = answer.row.cell
    if json:
        common.print_json(
            {
                "paper": printable_name(paper),
                "question": asked,
                "verdict": cell.verdict,
                "answer": cell.answer,
                "reader": cell.reader,
            }
        )
    else:
        if NO_DL in answer.row.paper.flags:
            typer.echo("This paper does not seem to use deep learning itself.")
        if asked.like:
            typer.echo(f"Treated like {asked.like} ({asked.title}).")
        _print(cell)
    raise typer.Exit(1 if cell.verdict.status is Status.FAILED else 0)


def _print(cell: "Cell") -> None:
    from methodlens.records import Status

    heading = {
        Status.REPORTED: "Reported",
        Status.NOT_REPORTED: "Not reported",
        Status.WITHHELD: "Not sure: please check",
        Status.FAILED: "Failed",
    }[cell.verdict.status]
    typer.echo(f"{heading} ({cell.verdict.reason})." if cell.verdict.reason else f"{heading}.")
    if cell.answer.text:
        typer.echo(cell.answer.text)
    for quote in cell.answer.evidence:
        pages = ", ".join(str(place.page) for place in quote.places) or "1"
        typer.echo(f"  p. {pages}: “{quote.quote}”")
