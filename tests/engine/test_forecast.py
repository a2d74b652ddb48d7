"""The cost that a run shows while it goes on."""

import io

from rich.console import Console

from methodlens.engine.budget import Budget
from methodlens.progress import _PlainProgress
from methodlens.records import Usage


def spent(budget: Budget, cost: float | None, *, asked: int) -> Budget:
    budget.spend(Usage(100, 10, 1, cost))
    budget.note_asked(asked)
    return budget


def test_the_expected_cost_follows_from_the_cells_asked_so_far() -> None:
    assert spent(Budget(), 0.42, asked=28).forecast(84) == "cost 0.42 so far, about 1.68 expected"
    assert spent(Budget(), 0.42, asked=28).forecast(0) == "cost 0.42"
    assert spent(Budget(max_cost=1), 0.42, asked=28).forecast(84) == "cost 0.42 so far, about 1.68 expected, limit 1"


def test_a_run_without_prices_shows_no_cost() -> None:
    assert Budget().forecast(10) == ""
    assert spent(Budget(), None, asked=3).forecast(10) == ""


def test_the_plain_progress_line_ends_with_the_cost() -> None:
    screen = io.StringIO()
    progress = _PlainProgress(Console(file=screen, width=200), 4, 112, spent(Budget(), 0.42, asked=28).forecast)
    progress.show(1, 28)
    assert screen.getvalue().startswith("1/4 papers read, 28/112 cells, ")
    assert screen.getvalue().endswith(", cost 0.42 so far, about 1.68 expected\n")
