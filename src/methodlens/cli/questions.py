"""methodlens questions"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from methodlens.cli import common
from methodlens.errors import InputError, OutputError

if TYPE_CHECKING:
    from methodlens.engine.example_effect import RankedPassage
    from methodlens.questions import QuestionSet
    from methodlens.records import Question


class _ShowByDefault(TyperGroup):
    """`questions` lists the sets, and `questions SET` shows one, as in 0.2.0."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args == ["--json"]:
            args = ["list", *args]
        elif not args[0].startswith("-") and args[0] not in self.commands:
            args = ["show", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ShowByDefault,
    no_args_is_help=False,
    rich_markup_mode=None,
    help="List, write, check and try question sets.\n\n"
    "Your own questions are a text file with one question per line (lines that begin with # are comments), or TOML:"
    " 'questions new' writes it. 'questions SET' is short for 'questions show SET'.",
)
_Set = Annotated[str, typer.Argument(metavar="SET", help="A shipped set or a question file.")]


@app.command("list")
def list_sets(json: common.Json = False) -> None:
    """List the question sets with their number of questions, source and licence.

    Example: methodlens questions list
    """
    from methodlens.questions import available

    sets = available()
    if json:
        about = ("name", "title", "description", "source", "licence", "note", "calibrated")
        common.print_json([{**{key: getattr(s, key) for key in about}, "questions": len(s.questions)} for s in sets])
        return
    for found in sets:
        typer.echo(f"{found.name}: {found.title} ({common.number(len(found.questions), 'question')}, {_calibration(found)})")
        for key, value in (("source", found.source), ("licence", found.licence)):
            if value:
                typer.echo(f"    {key}: {value}")


@app.command()
def show(set_name: _Set, json: common.Json = False) -> None:
    """Show the questions of a set, by group and item.

    Example: methodlens questions show neurips
    """
    from methodlens.questions import load

    chosen = load(set_name)
    if json:
        common.print_json(chosen)
        return
    typer.echo(f"{chosen.title} ({common.number(len(chosen.questions), 'question')}, {_calibration(chosen)})")
    for key, value in (("Source", chosen.source), ("Licence", chosen.licence), ("Note", chosen.note)):
        if value:
            typer.echo(f"{key}: {value}")
    group = ""
    width = max(6, *(len(question.id) + 2 for question in chosen.questions))
    for question in chosen.questions:
        if question.group != group:
            group = question.group
            typer.echo(f"\n{group}")
        typer.echo(f"{question.id:<{width}}{question.title}\n{'':<{width}}{question.text}")


@app.command()
def new(
    source: Annotated[Path, typer.Argument(metavar="LIST", help="A text file with one question per line.")],
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="The TOML file. [default: next to LIST, with the suffix .toml]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the TOML file.")] = False,
) -> None:
    """Write a TOML question set from a plain list of questions.

    Fills in ids, titles and answer forms, and leaves comments where query words, examples and facts go. Problems of the
    questions are listed on stderr.

    Example: methodlens questions new mine.txt
    """
    from methodlens.questions.loading import parse_file
    from methodlens.questions.problems import find_problems
    from methodlens.questions.template import write_template

    if source.suffix.lower() == ".toml":
        raise InputError(f"{source} is TOML already", "edit it, or run 'methodlens questions check' on it")
    numbered = parse_file(source)
    if not numbered.lines:
        raise InputError(f"{source}, line 1: no questions", "write one question per line")
    target = to or source.with_suffix(".toml")
    if target.exists() and not force:
        raise InputError(f"{target} exists", "choose another file with --to, or add --force to overwrite it")
    try:
        target.write_text(write_template(numbered, file=target.name), encoding="utf-8")
    except OSError as err:
        raise OutputError(f"{target} cannot be written ({err.strerror})", "choose another file with --to") from err
    typer.echo(f"{common.number(len(numbered.lines), 'question')} written to {target}")
    for problem in find_problems(numbered):
        typer.echo(f"{source}, line {problem.line}: {problem.message}: {problem.fix}", err=True)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A question file, TOML or text; or a shipped set.")],
    json: common.Json = False,
) -> None:
    """Find duplicates, near-duplicates, double questions and vague ones.

    Every problem has its line and a fix. Exit code 1 if there is any.

    Example: methodlens questions check mine.toml
    """
    from methodlens.questions import load
    from methodlens.questions.loading import parse_file, shipped_names
    from methodlens.questions.problems import find_problems
    from methodlens.questions.question_set import NumberedSet

    if str(file) in shipped_names():
        shipped = load(str(file))
        numbered = NumberedSet(shipped, tuple(range(1, len(shipped.questions) + 1)), str(file))
    else:
        numbered = parse_file(file)
    if not numbered.lines:
        raise InputError(f"{file}, line 1: no questions", "write one question per line, or [[question]] tables in a .toml")
    problems = find_problems(numbered)
    if json:
        common.print_json(problems)
    else:
        for problem in problems:
            typer.echo(
                f"{file}, line {problem.line} ({problem.question}): {problem.kind}: {problem.message}\n    fix: {problem.fix}"
            )
        checked = common.number(len(numbered.lines), "question")
        typer.echo(f"{checked} checked: {common.number(len(problems), 'problem') if problems else 'no problems'}")
    raise typer.Exit(1 if problems else 0)


@app.command("try")
def try_examples(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A question file or a shipped set.")],
    paper: Annotated[Path, typer.Argument(metavar="PAPER", help="A paper, such as a PDF.")],
    question: Annotated[str, typer.Option("--question", metavar="ID", help="Only this question. [default: all]")] = "",
    top: Annotated[int, typer.Option("--top", metavar="N", help="Passages per question.", min=1)] = 3,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Show which passages of a paper a question finds, with and without its examples.

    Example: methodlens questions try mine.toml paper.pdf --question E1
    """
    settings = common.settings_from(settings_file, change)
    with common.lens_from(settings, questions=file) as lens:
        known = {one.id.lower(): one for one in lens.questions.questions}
        if question and question.lower() not in known:
            raise InputError(f"{file} has no question {question!r}", f"use one of {', '.join(one.id for one in known.values())}")
        asked = [known[question.lower()]] if question else list(known.values())
        effects = lens.try_questions(paper, asked, top=top)
    if json:
        common.print_json([{"question": one.id, "examples": one.examples, "passages": found} for one, found in effects])
        return
    for one, found in effects:
        _print_effect(one, found)


def _print_effect(question: "Question", found: "list[RankedPassage]") -> None:
    from methodlens.text import passage_place

    typer.echo(f"{question.id}  {question.text}")
    if not question.examples:
        typer.echo("  no examples: add some to see their effect")
    if not found:
        typer.echo("  nothing in the paper is related to it")
    for passage in found:
        text = " ".join(passage.passage.text.split())
        if question.examples:
            before = "not found" if passage.rank_without is None else f"was {passage.rank_without}, {passage.score_without:.2f}"
            typer.echo(
                f"  {passage.rank}. score {passage.score:.2f} ({before} without examples), {passage_place(passage.passage)}"
            )
        else:
            typer.echo(f"  {passage.rank}. score {passage.score:.2f}, {passage_place(passage.passage)}")
        typer.echo(f"     {text[:160]}{'...' if len(text) > 160 else ''}")


def _calibration(question_set: "QuestionSet") -> str:
    return "calibrated" if question_set.calibrated else "not calibrated"
