"""How stable are a reader's answers? Compares the answers to the same question, asked several times."""

from collections.abc import Collection, Sequence
from itertools import combinations

from msgspec import Struct

from methodlens.evaluation.similarity import cosines
from methodlens.ledger.repeats import repeat_names
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.vote_answer import overlap
from methodlens.records import Answer, Cell, Match, Status

_ANSWERED = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})


class Stability(Struct, frozen=True):
    """The stability of one reader over the cells that it answered at least twice.

    `answers`, `verdicts` and `quotes` are the shares of `pairs` of answers with the same text, the same verdict, and quotes
    from the same place (or no quotes); `likeness` is the mean cosine of their words. All are None without pairs.
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
    """One entry per reader of the run. Deterministic readers are asked only once."""
    sums = {reader: _Sums() for reader in run.readers}
    for entry, parser in ledger.entries(run):
        cells = {(cell.question, cell.reader): cell for cell in ledger.cells(run, entry, parser)}
        for reader, reader_sums in sums.items():
            names = (reader, *repeat_names(reader, run.repeat))
            for question in run.questions:
                repeats = [cells[question.id, name] for name in names if (question.id, name) in cells]
                reader_sums.add([cell for cell in repeats if cell.verdict.status is not Status.UNREADABLE])
    return [reader_sums.stability(reader, reader in deterministic) for reader, reader_sums in sums.items()]


class _Sums:
    """Running sums for one reader, so that no cells are held in memory."""

    def __init__(self) -> None:
        self._asked = self._cells = self._pairs = self._failed = 0
        self._answers = self._verdicts = self._quotes = 0
        self._likeness = 0.0

    def add(self, repeats: Sequence[Cell]) -> None:
        """Add all cells of one paper and question."""
        answered = [cell for cell in repeats if cell.verdict.status in _ANSWERED]
        self._asked = max(self._asked, len(repeats))
        self._failed += len(repeats) - len(answered)
        if len(answered) < 2:
            return
        self._cells += 1
        similarity = cosines([cell.answer.text for cell in answered])
        for (i, first), (j, second) in combinations(enumerate(answered), 2):
            self._pairs += 1
            self._answers += _normalise(first.answer) == _normalise(second.answer)
            self._verdicts += first.verdict.status is second.verdict.status
            self._quotes += _quote_same_place(first.answer, second.answer)
            self._likeness += min(1.0, similarity[i][j])

    def stability(self, reader: str, deterministic: bool) -> Stability:
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


def _normalise(answer: Answer) -> str:
    return " ".join(answer.text.casefold().split())


def _quote_same_place(first: Answer, second: Answer) -> bool:
    a, b = ([quote for quote in answer.evidence if quote.match is not Match.ABSENT] for answer in (first, second))
    return any(overlap(quote, other) for quote in a for other in b) if a and b else not a and not b


def stability_lines(results: Sequence[Stability], repeat: int) -> list[str]:
    """The summary that a run prints when it ends."""
    return [f"asked {repeat} times:", *(f"  {_line(result)}" for result in results)]


def _line(result: Stability) -> str:
    if result.deterministic:
        return f"{result.reader}: deterministic, asked once"
    failed = f"; {result.failed} answers failed" if result.failed else ""
    if not result.pairs:
        return f"{result.reader}: no cell was answered twice{failed}"
    rates = (("verdicts", result.verdicts), ("quotes", result.quotes), ("words", result.answers))
    shares = ", ".join(f"{name} {value:.0%}" for name, value in rates if value is not None)
    return (
        f"{result.reader}: {result.cells} cells, {result.pairs} pairs of answers: "
        f"same {shares} (similarity {result.likeness:.2f}){failed}"
    )
