"""methodlens replay"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.transcript_replay import Replayed

_FILE_WIDTH = 120


def command(
    transcripts: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Transcripts: methodlens's or the published study's.")
    ],
    reader: common.ReaderName = "embedded",
    questions: common.Questions = DEFAULT_SET,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Answer transcripts again and compare the answers.

    The context of a transcript takes the place of the paper. Prints both answers with their verdicts.

    Example: methodlens replay examples/transcripts/*.txt
    """
    from methodlens.engine.transcript_replay import read, replay
    from methodlens.questions import load
    from methodlens.records import Status

    settings = common.settings_from(settings_file, change)
    known = load(questions).questions
    for path in transcripts:
        if path.is_dir():
            raise InputError(f"{path} is a folder", f"name its files: {path}/*.txt")
        read(path)  # check all of them before the first is answered
    chars = settings.retrieval.passage_chars
    with common.lens_from(settings, [reader]) as lens:
        (answering,), retriever = lens.readers, lens.retriever
        replays = [
            replay(path, questions=known, retriever=retriever, reader=answering, passage_chars=chars) for path in transcripts
        ]
    if json:
        common.print_json([_as_json(replayed) for replayed in replays])
    else:
        _print_table(replays, answering.info.name)
    raise typer.Exit(1 if any(replayed.cell.verdict.status is Status.FAILED for replayed in replays) else 0)


def _as_json(replayed: "Replayed") -> dict[str, object]:
    before, cell = replayed.before_verdict, replayed.cell
    return {
        "file": replayed.source,
        "question": replayed.question.text,
        "before": {"status": before.status, "reason": before.reason, "answer": replayed.before.text},
        "now": {
            "reader": cell.reader,
            "status": cell.verdict.status,
            "reason": cell.verdict.reason,
            "answer": cell.answer.text,
            "evidence": [evidence.quote for evidence in cell.answer.evidence],
            "facts": cell.answer.facts,
        },
    }


def _print_table(replays: "list[Replayed]", reader: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_lines=True)
    for heading, ratio in (("transcript", 2), ("before", 4), (reader, 4)):
        table.add_column(Text(heading), ratio=ratio, overflow="fold")
    for replayed in replays:
        table.add_row(
            Text(Path(replayed.source).stem),
            Text(f"[{replayed.before_verdict.status.value}] {replayed.before.text}"),
            Text(f"[{replayed.cell.verdict.status.value}] {replayed.cell.answer.text or replayed.cell.verdict.reason}"),
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else _FILE_WIDTH).print(table)
