"""methodlens ask"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET

if TYPE_CHECKING:
    from methodlens.lens import Lens
    from methodlens.records import Cell, Question
    from methodlens.reports.checklists.folder_answer import FolderAnswer, ValueSummary

_MOST_VALUES = 8
_NOT_CALIBRATED = "Not calibrated: how often such answers are right was not measured for this question."


def command(
    paper: Annotated[Path, typer.Argument(metavar="PAPER", help="A paper, such as a PDF, or a folder of papers.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in your own words, or an id such as CQ20.")],
    questions: common.Questions = DEFAULT_SET,
    reader: common.ReaderName = "embedded",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Ask one paper, or all papers of a folder, one question.

    For a paper, prints the answer with its quotes and pages, or "Not reported". For a folder, prints how many papers report
    it, a short answer per paper, the most frequent values, and the quotes that disagree. Nothing is stored.

    Example: methodlens ask paper.pdf "Which GPUs were used for training?"
    """
    settings = common.settings_from(settings_file, change)
    with common.lens_from(settings, [reader], questions) as lens:
        common.name_servers(lens)
        asked = lens.question(question)
        failed = _ask_folder(lens, paper, asked, json=json) if paper.is_dir() else _ask_paper(lens, paper, asked, json=json)
    raise typer.Exit(1 if failed else 0)


def _ask_paper(lens: "Lens", paper: Path, asked: "Question", *, json: bool) -> bool:
    from methodlens.papers.files import printable_name
    from methodlens.questions import is_calibrated
    from methodlens.records import Status
    from methodlens.verdicts import NO_DL

    answer = lens.ask(paper, asked)
    cell = answer.row.cell
    if json:
        common.print_json(
            {
                "paper": printable_name(paper),
                "question": asked,
                "calibrated": is_calibrated(asked),
                "verdict": cell.verdict,
                "answer": cell.answer,
                "reader": cell.reader,
            }
        )
    else:
        if NO_DL in answer.row.paper.flags:
            typer.echo("This paper does not seem to use deep learning itself.")
        _print_about(asked)
        _print(cell)
    return cell.verdict.status is Status.FAILED


def _print_about(asked: "Question") -> None:
    from methodlens.questions import is_calibrated

    if asked.like:
        typer.echo(f"Answered as {asked.like}.")
    if not is_calibrated(asked):
        typer.echo(_NOT_CALIBRATED)


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
        where = f"{quote.section}, paragraph {quote.paragraph}" if quote.paragraph else f"p. {pages}"
        where = f"read from {quote.picture}, {where}" if quote.picture else where
        typer.echo(f"  {where}: “{quote.quote}”")


def _ask_folder(lens: "Lens", folder: Path, asked: "Question", *, json: bool) -> bool:
    from methodlens.records import Status

    answer = lens.ask_folder(folder, asked)
    if json:
        common.print_json(answer)
    else:
        _print_about(asked)
        _print_folder(answer)
    return answer.counts[Status.FAILED] > 0


def _print_folder(answer: "FolderAnswer") -> None:
    from methodlens.text.printable import one_line

    counted = ((status.replace("_", " "), count) for status, count in answer.counts.items())
    typer.echo(
        f"{common.number(len(answer.papers), 'paper')}: {common.counts({name: count for name, count in counted if count})}"
    )
    width = min(40, max(len(one.paper) for one in answer.papers))
    for one in answer.papers:
        page = f"p. {one.page}" if one.page else ""
        text = one.answer or one_line(one.reason)
        typer.echo(f"  {one.paper[:width]:<{width}}  {one.status.value.replace('_', ' '):<12}  {page:<6} {text}")
    for summary in answer.values:
        typer.echo(f"\n{summary.name}: {_values(summary)}")
    for summary in answer.disagreements:
        typer.echo(f"\nPapers disagree on {summary.name}:")
        for group in summary.disagreeing[:_MOST_VALUES]:
            typer.echo(
                f"  {group.value} ({common.number(len(group.papers), 'paper')}), such as {group.papers[0]}"
                f"{f', p. {group.page}' if group.page else ''}:"
            )
            typer.echo(f"    “{group.quote}”")


def _values(summary: "ValueSummary") -> str:
    listed = ", ".join(f"{group.value} ({len(group.papers)})" for group in summary.groups[:_MOST_VALUES])
    more = f", and {len(summary.groups) - _MOST_VALUES} more" if len(summary.groups) > _MOST_VALUES else ""
    if summary.numbers is None:
        return listed + more
    smallest, median, largest = summary.numbers
    return f"{listed}{more}; from {smallest:g} to {largest:g}, median {median:g}"
