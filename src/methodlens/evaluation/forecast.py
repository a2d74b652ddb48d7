"""What a plan would take and how well it would agree with careful readers, before anything is asked.

A plan is a reader alone, the vote of several, or a cascade. The embedded reader's probabilities are calibrated, so the share of
its sure answers that are right is computable; a language model's must be measured on reviewed cells, or assumed.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from msgspec import Struct

from methodlens.evaluation.comparison import CASCADE, parts_of, suggested
from methodlens.evaluation.reader_statistics import Doubt, ReaderFigures

EMBEDDED = "embedded"
_HOUR_S = 3600


class Forecast(Struct, frozen=True):
    """`right` is the expected share of all cells with a right decision; `cost` is None if a model has no price."""

    plan: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    hours: float
    right: float


class Forecasts(Struct, frozen=True):
    """`best` is the plan with the highest expected agreement within the budget."""

    cells: int
    plans: tuple[Forecast, ...]
    best: str
    budget: float | None


class Model(Struct, frozen=True):
    """A language model: its figures per call, its prices per million tokens, and how many calls it takes at once."""

    figures: ReaderFigures
    price_in: float | None = None
    price_out: float | None = None
    concurrency: int = 1

    @property
    def cost(self) -> float | None:
        """Of one call."""
        if self.figures.cost is not None:
            return self.figures.cost
        if self.price_in is None and self.price_out is None:
            return None
        spent = self.figures.tokens_in * (self.price_in or 0.0) + self.figures.tokens_out * (self.price_out or 0.0)
        return spent / 1_000_000


def forecast(
    readers: Sequence[str],
    *,
    cells: int,
    embedded: Doubt,
    models: Mapping[str, Model],
    embedded_seconds: float,
    budget: float | None = None,
) -> Forecasts:
    """`readers` as on the command line; the embedded reader is always a plan, as it is free."""
    plain = list(dict.fromkeys((EMBEDDED, *(reader for reader in readers if not reader.startswith(CASCADE)))))
    prices = {name: model.cost or 0.0 for name, model in models.items()}
    cascades = dict.fromkeys((*(reader for reader in readers if reader.startswith(CASCADE)), *suggested(plain, prices)))
    shares = {reader: _alone(reader, embedded, models) for reader in plain}
    plans = [_forecast(reader, {reader: 1.0}, right, cells, models, embedded_seconds) for reader, (right, _) in shares.items()]
    if len(plain) > 1:
        right = vote_right([shares[reader] for reader in plain])
        plans.append(_forecast(f"vote of {', '.join(plain)}", dict.fromkeys(plain, 1.0), right, cells, models, embedded_seconds))
    for name in cascades:
        asked, right = _cascade(parts_of(name), embedded, models)
        plans.append(_forecast(name, asked, right, cells, models, embedded_seconds))
    affordable = [plan for plan in plans if budget is None or (plan.cost is not None and plan.cost <= budget)]
    best = max(affordable, key=lambda plan: (round(plan.right, 4), -(plan.cost or 0.0)), default=None)
    return Forecasts(cells, tuple(plans), best.plan if best else "", budget)


def vote_right(readers: Sequence[tuple[float, float]]) -> float:
    """How likely a majority is right if each reader is right and wrong with these probabilities, independently of the others.

    >>> round(vote_right([(0.9, 0.1), (0.9, 0.1), (0.9, 0.1)]), 3)
    0.972
    """
    total = 0.0
    for outcome in product((1, -1, 0), repeat=len(readers)):  # right, wrong, undecided
        likely = 1.0
        for (right, wrong), said in zip(readers, outcome, strict=True):
            likely *= {1: right, -1: wrong, 0: max(0.0, 1 - right - wrong)}[said]
        decided = sum(map(abs, outcome))
        total += likely * (sum(outcome) > 0 and 2 * decided >= len(readers))
    return total


def _alone(reader: str, embedded: Doubt, models: Mapping[str, Model]) -> tuple[float, float]:
    """How likely it is right and wrong on a cell."""
    if reader == EMBEDDED:
        return embedded.right, embedded.decided - embedded.right
    return models[reader].figures.right, 1 - models[reader].figures.right


def _cascade(parts: Sequence[str], embedded: Doubt, models: Mapping[str, Model]) -> tuple[dict[str, float], float]:
    """The share of cells that each reader is asked, and the share that is right in the end."""
    reached, right = 1.0, 0.0
    asked: dict[str, float] = {}
    for number, part in enumerate(parts):
        asked[part] = reached
        if part == EMBEDDED:
            right, reached = right + reached * embedded.right_sure, reached * (1 - embedded.sure)
            continue
        figures, last = models[part].figures, number == len(parts) - 1
        ends = reached if last else reached * (1 - figures.in_doubt)
        right, reached = right + ends * figures.right, reached - ends
    return asked, right


def _forecast(
    plan: str, asked: Mapping[str, float], right: float, cells: int, models: Mapping[str, Model], embedded_seconds: float
) -> Forecast:
    calls = {reader: share * cells for reader, share in asked.items() if reader != EMBEDDED}
    costs = [None if (cost := models[reader].cost) is None else cost * count for reader, count in calls.items()]
    seconds = sum(count * models[reader].figures.seconds / models[reader].concurrency for reader, count in calls.items())
    seconds += embedded_seconds * cells if EMBEDDED in asked else 0.0
    return Forecast(
        plan,
        round(sum(calls.values())),
        round(sum(count * models[reader].figures.tokens_in for reader, count in calls.items())),
        round(sum(count * models[reader].figures.tokens_out for reader, count in calls.items())),
        None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds / _HOUR_S,
        right,
    )


def model_names(readers: Sequence[str]) -> list[str]:
    """The language models in these readers, those inside cascades included."""
    parts = (part for reader in readers for part in (parts_of(reader) if reader.startswith(CASCADE) else [reader]))
    return [part for part in dict.fromkeys(parts) if part != EMBEDDED]
