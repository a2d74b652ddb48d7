"""methodlens search"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.indexing import SearchHit

_EXAMPLE = 'write, for example: methodlens search papers/ "mixup augmentation"'
_MAX_CHARS = 320  # of a passage; --json prints all of it


def command(
    papers_and_query: Annotated[
        list[str],
        typer.Argument(
            metavar="PAPERS... QUERY",
            help="Papers or folders, which are searched recursively; then what to look for: words, a question, or an id such as"
            " CQ20.",
        ),
    ],
    top: Annotated[int, typer.Option("--top", metavar="N", help="Number of passages to show.", min=1)] = 10,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Find the best passages in many papers.

    Prints them with paper, page and score. The index is stored in --out: later searches read only new or changed papers.
    Rerun to resume.

    Example: methodlens search papers/ "data augmentation with mixup" --top 5
    """
    from methodlens.text import passage_place

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    *papers, query = papers_and_query
    if not papers:
        missing = "QUERY" if Path(query).exists() else "PAPERS"
        raise InputError(f"{missing} is missing", _EXAMPLE)
    if not query.strip():
        raise InputError("the query is empty", _EXAMPLE)
    results = common.lens_from(settings).search([Path(paper) for paper in papers], query.strip(), top=top)
    if results.indexed:
        typer.echo(f"{common.number(results.indexed, 'paper')} indexed in {settings.out}", err=True)
    common.echo_lines(results.skipped, err=True)
    if json:
        common.print_json([_as_json(hit) for hit in results.hits])
        return
    if not results.hits:
        typer.echo("Nothing found.")
    for number, (paper, _, hit) in enumerate(results.hits, 1):
        text = " ".join(hit.passage.text.split())
        shown = text if len(text) <= _MAX_CHARS else text[: _MAX_CHARS - 3].rsplit(" ", 1)[0] + " …"
        typer.echo(f"{number:>2}. {paper}, {passage_place(hit.passage)}  [{hit.score:.2f}]\n    {shown}")


def _as_json(result: "SearchHit") -> dict[str, object]:
    passage = result.hit.passage
    return {
        "paper": result.paper,
        "paper_sha256": result.paper_sha256,
        "page": passage.page,
        "section": passage.section,
        "score": result.hit.score,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
    }
