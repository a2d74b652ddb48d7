"""What each reader alone, each vote and each cascade would have got right, at what price: from stored cells, without any call."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from methodlens.errors import InputError
from methodlens.evaluation.counts import count, kappa
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Cell, CellRef, Status, Verdict
from methodlens.settings import CascadeSettings
from methodlens.verdicts import voting_rule
from methodlens.verdicts.cascade import combine, doubt

CASCADE = "cascade:"
ARROW = ">"
_JUDGE = "judge:"
_EMBEDDED = "embedded"
Stored = Mapping[CellRef, Mapping[str, Cell]]
"""The cells of each paper and question by reader."""


class PlanScore(Struct, frozen=True):
    """A plan on the labelled cells that the ledger can tell about: `cells` of `labelled`.

    `right` counts cells without a decision as wrong, `kappa` as not reported; it is None where it is undefined. `calls` and
    `cost` are what the answers on these cells took, None without prices.
    """

    plan: str
    labelled: int
    cells: int
    decided: int
    right: int
    kappa: float | None
    calls: int
    cost: float | None

    @property
    def accuracy(self) -> float:
        return self.right / self.cells if self.cells else 0.0

    @property
    def coverage(self) -> float:
        return self.decided / self.cells if self.cells else 0.0


class _Outcome(Struct, frozen=True):
    status: Status
    used: tuple[Cell, ...]


def stored_cells(ledger: Ledger, runs: Sequence[Run]) -> Stored:
    """Of all papers of the runs, with the cells of the readers inside a cascade and without repeats."""
    stored: dict[CellRef, dict[str, Cell]] = {}
    for run in runs:
        for entry, parser in ledger.entries(run):
            for cell in ledger.cells(run, entry, parser):
                if "#" not in cell.reader:
                    stored.setdefault(CellRef(entry.name, cell.question), {})[cell.reader] = cell
    return stored


def compare(
    stored: Stored, truth: Mapping[CellRef, bool], *, cascades: Sequence[str] = (), vote: str, settings: CascadeSettings
) -> list[PlanScore]:
    """Readers alone, votes, then cascades: those asked for, and the obvious ones of the stored readers."""
    for name in cascades:
        _check(name, stored)
    labelled = {ref: stored.get(ref, {}) for ref in truth}
    readers = _readers(labelled.values())
    plain = [reader for reader in readers if not reader.startswith((CASCADE, _JUDGE))]
    scores = [_score(reader, truth, {ref: _alone(cells, reader) for ref, cells in labelled.items()}) for reader in readers]
    for rule in dict.fromkeys((vote, "majority")) if len(plain) > 1 else ():
        votes = {ref: _vote(cells, plain, rule) for ref, cells in labelled.items()}
        scores.append(_score(f"vote of {', '.join(plain)} ({rule})", truth, votes))
    for name in dict.fromkeys((*cascades, *suggested(plain, _mean_costs(labelled.values())))):
        if name not in readers:
            parts = parts_of(name)
            outcomes = {ref: simulate(cells, parts, settings) for ref, cells in labelled.items()}
            scores.append(_score(name, truth, outcomes))
    return [score for score in scores if score.cells]


def suggested(readers: Sequence[str], cost: Mapping[str, float]) -> list[str]:
    """The embedded reader before each other one, and before all of them, the cheapest first."""
    others = [reader for reader in readers if reader != _EMBEDDED]
    if _EMBEDDED not in readers or not others:
        return []
    ordered = sorted(others, key=lambda reader: cost.get(reader, 0.0))
    names = [(_EMBEDDED, reader) for reader in others] + ([(_EMBEDDED, *ordered)] if len(others) > 1 else [])
    return [CASCADE + ARROW.join(parts) for parts in names]


def parts_of(cascade: str) -> list[str]:
    return [part.strip() for part in cascade.removeprefix(CASCADE).split(ARROW)]


def simulate(cells: Mapping[str, Cell], parts: Sequence[str], settings: CascadeSettings) -> _Outcome | None:
    """The cascade of stored answers; None if a reader that it needs has none."""
    used: list[Cell] = []
    for part in parts:
        cell = cells.get(part)
        if cell is None:
            return None
        reason = doubt(cell, used, settings)
        used.append(cell)
        if not reason:
            break
    verdict, _ = combine(used, [""] * len(used))
    return _Outcome(verdict.status, tuple(used))


def _check(name: str, stored: Stored) -> None:
    known = _readers(stored.values())
    parts = parts_of(name)
    unknown = [part for part in parts if part not in known]
    if not name.startswith(CASCADE) or unknown:
        what = f"the ledger has no answers of {', '.join(unknown)}" if name.startswith(CASCADE) else f"{name!r} is not a cascade"
        raise InputError(what, f"write cascade:A>B, with readers out of: {', '.join(known)}")


def _readers(cells: Iterable[Mapping[str, Cell]]) -> list[str]:
    found = dict.fromkeys(reader for by_reader in cells for reader in by_reader)
    return sorted(found, key=lambda reader: (reader.startswith(CASCADE), reader != _EMBEDDED, reader))


def _alone(cells: Mapping[str, Cell], reader: str) -> _Outcome | None:
    cell = cells.get(reader)
    return _Outcome(cell.verdict.status, (cell,)) if cell else None


def _vote(cells: Mapping[str, Cell], readers: Sequence[str], rule: str) -> _Outcome | None:
    if not all(reader in cells for reader in readers):
        return None
    verdicts: Mapping[str, Verdict] = {reader: cells[reader].verdict for reader in readers}
    return _Outcome(voting_rule(rule, readers)(verdicts).status, tuple(cells[reader] for reader in readers))


def _score(plan: str, truth: Mapping[CellRef, bool], outcomes: Mapping[CellRef, _Outcome | None]) -> PlanScore:
    found = [(truth[ref], outcome) for ref, outcome in outcomes.items() if outcome]
    decisions = [(real, outcome.status.reported) for real, outcome in found]
    agreed = float(kappa(count((real, bool(given)) for real, given in decisions)))
    usages = [cell.answer.usage for cell in _once(outcome for _, outcome in found) if cell.answer.usage]
    costs = [usage.cost for usage in usages if usage.cost is not None]
    return PlanScore(
        plan,
        labelled=len(truth),
        cells=len(found),
        decided=sum(given is not None for _, given in decisions),
        right=sum(real is given for real, given in decisions),
        kappa=None if agreed != agreed else agreed,
        calls=sum(usage.requests for usage in usages),
        cost=sum(costs) if costs else None,
    )


def _once(outcomes: Iterable[_Outcome]) -> Iterator[Cell]:
    for outcome in outcomes:
        yield from outcome.used


def _mean_costs(cells: Iterable[Mapping[str, Cell]]) -> dict[str, float]:
    costs: dict[str, list[float]] = {}
    for by_reader in cells:
        for reader, cell in by_reader.items():
            if cell.answer.usage and cell.answer.usage.cost is not None:
                costs.setdefault(reader, []).append(cell.answer.usage.cost)
    return {reader: sum(values) / len(values) for reader, values in costs.items()}
