"""The run's own order: which page a paper is on, and which cell comes after another."""

from collections.abc import Iterator, Sequence

from methodlens.evaluation.raters import Cell as Place
from methodlens.ledger import overview
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.listing import PAGE
from methodlens.records import Status

_STEP = 20  # papers that are looked at together when the next one is wanted


def pages(run: Run) -> int:
    return max(1, -(-run.papers // PAGE))


def first_listed(ledger: Ledger, run: Run, names: Sequence[str]) -> str:
    """Of files that are the same paper."""
    return names[0] if len(names) == 1 else next((name for name in ledger.names(run) if name in names), names[0])


def page_of(ledger: Ledger, run: Run, name: str, *, guess: int = 0) -> int:
    """From 0. `guess` is looked at first."""
    numbers = range(pages(run))
    return next((number for number in (guess, *numbers) if name in ledger.names(run, page=number)), 0)


def following(ledger: Ledger, run: Run, place: Place, *, page: int) -> Place | None:
    """The next cell that can be looked at; the first for a place that is not there. `page` is that of the place's paper."""
    sha256, question = place
    alike = overview.names_of(ledger, run, [sha256]).get(sha256)
    name = first_listed(ledger, run, alike) if alike else ""
    asked = [one.id for one in run.questions]
    passed = asked[: asked.index(question) + 1] if question in asked else []
    for names in _from(ledger, run, name, page):
        content = overview.contents(ledger, run, names)
        names_of = overview.names_of(ledger, run, content.values())
        for cell in overview.glance_at(ledger, run, names):
            sha = content.get(cell.paper)
            if sha is None or cell.verdict is Status.UNREADABLE or (cell.paper == name and cell.question in passed):
                continue
            if first_listed(ledger, run, names_of[sha]) == cell.paper:
                return sha, cell.question
    return None


def _from(ledger: Ledger, run: Run, name: str, page: int) -> Iterator[Sequence[str]]:
    """The names from that one on, a few at a time."""
    for number in range(page, pages(run)):
        names = list(ledger.names(run, page=number))
        begin = names.index(name) if name in names else 0
        for start in range(begin, len(names), _STEP):
            yield names[start : start + _STEP]
