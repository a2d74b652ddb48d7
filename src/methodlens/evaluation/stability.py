"""How steady is a reader? What it said when it was asked again, beside what it said at first."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from methodlens.evaluation.similarity import cosines
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.repeats import repeats_of
from methodlens.ledger.vote_rows import overlap
from methodlens.records import Answer, Cell, Match, Status

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
    found = {reader: _Sums() for reader in run.readers}
    for entry, parser in ledger.entries(run):
        cells = {(cell.question, cell.reader): cell for cell in ledger.cells(run, entry, parser)}
        for reader, sums in found.items():
            names = (reader, *repeats_of(reader, run.repeat))
            for question in run.questions:
                times = [cells[question.id, name] for name in names if (question.id, name) in cells]
                sums.add([cell for cell in times if cell.verdict.status is not Status.UNREADABLE])
    return [sums.of(reader, deterministic=reader in deterministic) for reader, sums in found.items()]


class _Sums:
    """Of one reader, cell after cell: nothing of a cell is kept but what it adds."""

    def __init__(self) -> None:
        self._asked = self._cells = self._pairs = self._failed = 0
        self._answers = self._verdicts = self._quotes = 0
        self._likeness = 0.0

    def add(self, times: Sequence[Cell]) -> None:
        """What the reader said to one question about one paper, each time."""
        answered = [cell for cell in times if cell.verdict.status in _ANSWERED]
        self._asked = max(self._asked, len(times))
        self._failed += len(times) - len(answered)
        self._cells += len(answered) > 1
        for one, other in combinations(answered, 2):
            self._pairs += 1
            self._answers += _words(one.answer) == _words(other.answer)
            self._verdicts += one.verdict.status is other.verdict.status
            self._quotes += _same_place(one.answer, other.answer)
        for likeness in _likenesses(answered):
            self._likeness += likeness

    def of(self, reader: str, *, deterministic: bool) -> Stability:
        def share(total: float) -> float | None:
            return total / self._pairs if self._pairs else None

        return Stability(
            reader,
            asked=self._asked,
            deterministic=deterministic,
            cells=self._cells,
            pairs=self._pairs,
            failed=self._failed,
            answers=share(self._answers),
            likeness=share(self._likeness),
            verdicts=share(self._verdicts),
            quotes=share(self._quotes),
        )


def _words(answer: Answer) -> str:
    return " ".join(answer.text.casefold().split())


def _likenesses(times: Sequence[Cell]) -> Iterator[float]:
    alike = cosines([cell.answer.text for cell in times]) if len(times) > 1 else ()
    yield from (min(1.0, alike[one][other]) for one, other in combinations(range(len(times)), 2))


def _same_place(one: Answer, other: Answer) -> bool:
    first, second = ([quote for quote in answer.evidence if quote.match is not Match.ABSENT] for answer in (one, other))
    if not first or not second:
        return not first and not second
    return any(overlap(quote, again) for quote in first for again in second)


def stability_lines(found: Sequence[Stability], repeat: int) -> list[str]:
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
