"""methodlens query"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.ledger.store import Run
    from methodlens.reports.graph.graph_store import Result

_WIDEST = 60
"""Characters of a table's column; --format csv has all."""
_VERBS = ("select", "ask", "construct", "describe", "prefix", "base")


class OutputFormat(StrEnum):
    TABLE = "table"
    CSV = "csv"


def command(
    query: Annotated[
        str,
        typer.Argument(
            metavar="[QUERY]",
            help="The name of a ready query, the id of a question such as CQ20, a SPARQL query, or a file that ends in .rq.",
        ),
    ] = "",
    list_queries: Annotated[bool, typer.Option("--list", help="List the ready queries.")] = False,
    format: Annotated[OutputFormat, typer.Option("--format", help="A table, cut to fit, or CSV.")] = OutputFormat.TABLE,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    vote: common.OtherVote = "",
    settings_file: common.SettingsFile = None,
) -> None:
    """Query the knowledge graph of a run with SPARQL.

    Needs the extra 'graph'. docs/reference/graph.md describes the graph; its prefixes are declared already.

    Example: methodlens query gpus-without-seed --out review
    """
    from methodlens.reports.graph.graph_formats import require_graph

    require_graph()
    if list_queries:
        common.echo_lines(_listing())
        return
    if not query.strip():
        raise InputError("QUERY is missing", "'methodlens query --list' shows ready queries")
    from methodlens.ledger import run_rows
    from methodlens.reports.graph.graph_store import GraphStore

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        chosen = run_rows.latest(ledger, run)
        sparql = _sparql(query, chosen)
        store = GraphStore.of_run(ledger, chosen, Path(settings.out), vote=vote)
    _print(store.query(sparql) if sparql else store.answers_to(query), format)


def _sparql(query: str, run: "Run") -> str:
    """The text of the query; empty for the id of a question of the run."""
    from methodlens.reports.graph.ready_queries import ready_queries

    ready = {known.name: known.sparql for known in ready_queries()}
    if query in ready:
        return ready[query]
    if query in {question.id for question in run.questions}:
        return ""
    if query.endswith(".rq"):
        return _read(Path(query))
    if query.lstrip("# \n").lower().startswith(_VERBS):
        return query
    raise InputError(f"there is no ready query {query!r}", "'methodlens query --list' shows them; SPARQL begins with SELECT")


def _read(path: Path) -> str:
    from methodlens.papers.files import printable_name

    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "it is not UTF-8 text"
        raise InputError(f"{printable_name(path)} cannot be read ({reason})", "check the name, or give the query itself") from err


def _listing() -> Iterator[str]:
    from methodlens.questions import load
    from methodlens.reports.graph.ready_queries import question_query, ready_queries

    known = ready_queries()
    width = max(len(query.name) for query in known)
    yield from (f"{query.name:<{width}}  {query.description}" for query in known)
    yield f"\n{question_query().description.partition('.')[0]}, by the question's id; your own questions work too:"
    yield from (f"{question.id:<{width}}  {question.title}" for question in load(common.DEFAULT_SET).questions)


def _print(result: "Result", format: OutputFormat) -> None:
    from methodlens.reports.formats.csv_tables import encode_lines

    if result.text:
        typer.echo(result.text.rstrip("\n"))
    elif format is OutputFormat.CSV:
        sys.stdout.buffer.writelines(encode_lines((result.columns, *result.rows)))
        sys.stdout.buffer.flush()
    else:
        common.echo_lines(_table(result.columns, result.rows))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    from methodlens.reports.checklists.filled_item import shorten

    lines = [[shorten(text, _WIDEST) for text in row] for row in (columns, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
    yield f"{common.number(len(lines) - 1, 'row')}"
