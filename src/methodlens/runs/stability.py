"""How steady is a reader? What it said when it was asked again, beside what it said at first."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from methodlens.evaluation.similarity import cosines
from methodlens.records import Answer, Cell, Match, Status
from methodlens.runs.combined import overlap
from methodlens.runs.ledger import Ledger, Run
from methodlens.runs.repeats import repeats_of

_ANSWERED = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})


class Stability(Struct, frozen=True):
    """Of one reader, over the cells that it answered at least twice; shares are of `pairs`, None where there are none.

    Two answers are the same if their words are; `likeness` is the mean cosine of their words. Quotes agree if both quote a
    common place of the paper, or both quote nothing. What failed is missing, and counted in `failed`.
    """

    reader: str
    asked: int
    deterministic: bool = False
    cells: int = 0
    pairs: int = 0
    failed: int = 0
    answers: float | None = None
    likeness: float | None = None
    verdicts: float | None = None
    quotes: float | None = None


def stability(ledger: Ledger, run: Run, *, deterministic: Collection[str] = ()) -> list[Stability]:
    """In the order of the run's readers. Those who always say the same were asked once, and are there too."""
    found: dict[str, list[list[Cell]]] = {reader: [] for reader in run.readers}
    for entry, parser in ledger.entries(run):
        cells = {(cell.question, cell.reader): cell for cell in ledger.cells(run, entry, parser)}
        for reader in run.readers:
            names = (reader, *repeats_of(reader, run.repeat))
            for question in run.questions:
                times = [cells[question.id, name] for name in names if (question.id, name) in cells]
                found[reader].append([cell for cell in times if cell.verdict.status is not Status.UNREADABLE])
    return [replace(_of(reader, cells), deterministic=reader in deterministic) for reader, cells in found.items()]


def _of(reader: str, cells: Sequence[Sequence[Cell]]) -> Stability:
    answered = [[cell for cell in times if cell.verdict.status in _ANSWERED] for times in cells]
    pairs = [pair for times in answered for pair in combinations(times, 2)]
    return Stability(
        reader,
        asked=max(map(len, cells), default=0),
        cells=sum(len(times) > 1 for times in answered),
        pairs=len(pairs),
        failed=sum(len(times) for times in cells) - sum(len(times) for times in answered),
        answers=_mean(_words(one.answer) == _words(other.answer) for one, other in pairs),
        likeness=_mean(_likenesses(answered)),
        verdicts=_mean(one.verdict.status is other.verdict.status for one, other in pairs),
        quotes=_mean(_same_place(one.answer, other.answer) for one, other in pairs),
    )


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _words(answer: Answer) -> str:
    return " ".join(answer.text.casefold().split())


def _likenesses(cells: Sequence[Sequence[Cell]]) -> Iterator[float]:
    for times in cells:
        alike = cosines([cell.answer.text for cell in times])
        yield from (min(1.0, alike[one][other]) for one, other in combinations(range(len(times)), 2))


def _same_place(one: Answer, other: Answer) -> bool:
    first, second = ([quote for quote in answer.evidence if quote.match is not Match.ABSENT] for answer in (one, other))
    if not first or not second:
        return not first and not second
    return any(overlap(quote, again) for quote in first for again in second)


def lines(found: Sequence[Stability], repeat: int) -> list[str]:
    """As a run prints it at its end."""
    return [f"asked {repeat} times:", *(f"  {_line(one)}" for one in found)]


def _line(one: Stability) -> str:
    if one.deterministic:
        return f"{one.reader}: asked once, it always says the same"
    failed = f"; {one.failed} answers failed" if one.failed else ""
    if not one.pairs:
        return f"{one.reader}: no cell was answered twice{failed}"
    shares = ", ".join(
        f"{name} {value:.0%}"
        for name, value in (("verdicts", one.verdicts), ("quotes", one.quotes), ("words", one.answers))
        if value is not None
    )
    return (
        f"{one.reader}: {one.cells} cells, {one.pairs} pairs of answers: the same {shares} (likeness {one.likeness:.2f}){failed}"
    )
