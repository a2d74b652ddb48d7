"""methodlens questions"""

from typing import Annotated

import typer

from methodlens.cli import common


def command(
    set_name: Annotated[str | None, typer.Argument(metavar="SET", help="A shipped set or a question file.")] = None,
    json: common.Json = False,
) -> None:
    """List the question sets, or the questions of one set.

    Your own questions are a text file with one question per line, or TOML with the fields that --json shows.

    Example: methodlens questions dl-methods
    """
    from methodlens.questions import available, load

    if set_name is None:
        sets = available()
        if json:
            common.print_json([{"name": s.name, "title": s.title, "questions": len(s.questions)} for s in sets])
        else:
            common.echo_lines(f"{s.name}: {s.title} ({common.number(len(s.questions), 'question')})" for s in sets)
        return
    chosen = load(set_name)
    if json:
        common.print_json(chosen)
    else:
        common.echo_lines(f"{question.id:<6}{question.title}\n      {question.text}" for question in chosen.questions)
