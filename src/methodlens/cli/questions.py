"""methodlens questions"""

from typing import Annotated

import typer

from methodlens.cli import common


def command(
    set_name: Annotated[str | None, typer.Argument(metavar="[SET]", help="A shipped set or a question file.")] = None,
    json: common.Json = False,
) -> None:
    """List the question sets, or the questions of one.

    A question file of your own is plain text, one question a line, or TOML as 'methodlens questions dl-methods --json' shows.
    """
    from methodlens.questions import available, load

    if set_name is None:
        sets = available()
        if json:
            common.print_json([{"name": s.name, "title": s.title, "questions": len(s.questions)} for s in sets])
            return
        for known in sets:
            typer.echo(f"{known.name}: {known.title} ({len(known.questions)} questions)")
        return
    chosen = load(set_name)
    if json:
        common.print_json(chosen)
        return
    for question in chosen.questions:
        typer.echo(f"{question.id:<6}{question.title}")
        typer.echo(f"      {question.text}")
