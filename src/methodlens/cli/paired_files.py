"""Repositories and supplements of papers: the options of 'run' and 'watch', and what is said about guesses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.pair_choice import PairChoice
    from methodlens.engine.plan import Plan

_MOST_NAMED = 20

Code = Annotated[
    list[str] | None,
    typer.Option(
        "--code",
        metavar="PAPER=PATH[@WHEN]",
        help="The repository of a paper: a folder, git clone or archive; of a clone, the state at WHEN: a date, a commit or"
        " 'publication'. Or a folder that has a repository under the name of each paper. Nothing in it is executed."
        " Repeatable.",
    ),
]
NoCode = Annotated[
    bool, typer.Option("--no-code", help="Read no repositories, also not those next to the papers or in manifest.csv.")
]
Supplement = Annotated[
    list[str] | None,
    typer.Option(
        "--supplement",
        metavar="PAPER=FILE",
        help="A supplement of a paper, in any form that papers have. It is shown next to the paper's answers. Repeatable.",
    ),
]
NoSupplements = Annotated[
    bool,
    typer.Option("--no-supplements", help="Read each file as a paper, also those that are supplements by name or manifest.csv."),
]


class Choices(NamedTuple):
    code: "PairChoice"
    supplements: "PairChoice"

    def waiting(self) -> "Choices":
        """The same for papers that may not be there yet."""
        return Choices(self.code._replace(waits=True), self.supplements._replace(waits=True))


def choices(code: Sequence[str] | None, no_code: bool, supplement: Sequence[str] | None, no_supplements: bool) -> Choices:
    from methodlens.engine.pair_choice import PairChoice

    if code and no_code:
        raise InputError("--code and --no-code contradict each other", "leave out one of them")
    if supplement and no_supplements:
        raise InputError("--supplement and --no-supplements contradict each other", "leave out one of them")
    return Choices(PairChoice(tuple(code or ()), find=not no_code), PairChoice(tuple(supplement or ()), find=not no_supplements))


def name_guesses(plan: "Plan", *, among: frozenset[str] | None = None) -> None:
    """Say which supplements and repositories were found by their names alone, before they are read. `among` are the locations
    of new files, where others were named before."""
    supplements = [
        f"{each.file.name} is read as a supplement of {paper}"
        for paper, found in (plan.supplements or {}).items()
        for each in found
        if each.guessed and (among is None or each.file.location in among)
    ]
    _echo(supplements, "--no-supplements reads them as papers")
    new = {paper.name for paper in plan.papers if among is None or paper.location in among}
    code = [f"{paper}: code in {source.shown}" for paper, source in (plan.code or {}).items() if source.guessed and paper in new]
    _echo(code, "--no-code turns this off")


def _echo(guesses: Sequence[str], undo: str) -> None:
    if guesses:
        more = [f"and {len(guesses) - _MOST_NAMED} more"] if len(guesses) > _MOST_NAMED else []
        common.echo_lines((*guesses[:_MOST_NAMED], *more, f"these were matched by name; {undo}"), err=True)
