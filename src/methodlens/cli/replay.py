"""methodlens replay"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.transcript_replay import Replayed


_WIDTH = 120  # where there is no terminal to ask


def command(
    transcripts: Annotated[list[Path], typer.Argument(metavar="FILE", help="Transcripts, ours or the published study's.")],
    reader: Annotated[
        str, typer.Option("--reader", metavar="NAME", help="Who answers now: 'embedded', or 'chat:NAME'.")
    ] = "embedded",
    questions: common.Questions = DEFAULT_SET,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Answer transcripts again: their context is the paper. Shows both answers side by side, with their verdicts.

    Example: methodlens replay examples/transcripts/*.txt
    """
    from methodlens.engine.transcript_replay import read, replay
    from methodlens.questions import load
    from methodlens.records import Status

    settings = common.settings_from(settings_file, change)
    known = load(questions).questions
    for path in transcripts:
        if path.is_dir():
            raise InputError(f"{path} is a folder", f"name the files in it: {path}/*.txt")
        read(path)  # all are checked before the first is answered
    chars = settings.retrieval.passage_chars
    with common.lens_from(settings, [reader]) as lens:
        (who,), retriever = lens.readers, lens.retriever
        done = [replay(path, questions=known, retriever=retriever, reader=who, passage_chars=chars) for path in transcripts]
    if json:
        common.print_json([_as_json(one) for one in done])
    else:
        _table(done, who.info.name)
    raise typer.Exit(1 if any(one.cell.verdict.status is Status.FAILED for one in done) else 0)


def _as_json(one: "Replayed") -> dict[str, object]:
    return {
        "file": one.source,
        "question": one.question.text,
        "before": {"status": one.before_verdict.status, "reason": one.before_verdict.reason, "answer": one.before.text},
        "now": {
            "reader": one.cell.reader,
            "status": one.cell.verdict.status,
            "reason": one.cell.verdict.reason,
            "answer": one.cell.answer.text,
            "evidence": [evidence.quote for evidence in one.cell.answer.evidence],
            "facts": one.cell.answer.facts,
        },
    }


def _table(done: "list[Replayed]", reader: str) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_lines=True)
    for head, share in (("transcript", 2), ("as it stands", 4), (reader, 4)):
        table.add_column(Text(head), ratio=share, overflow="fold")
    for one in done:
        table.add_row(
            Text(Path(one.source).stem),
            Text(f"[{one.before_verdict.status.value}] {one.before.text}"),
            Text(f"[{one.cell.verdict.status.value}] {one.cell.answer.text or one.cell.verdict.reason}"),
        )
    common.console(width_elsewhere=_WIDTH).print(table)
