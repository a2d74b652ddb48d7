"""Progress of long work: a bar with an ETA in a terminal or notebook, a plain line now and then elsewhere. On stderr."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

_EVERY_S = 2.0
Item = TypeVar("Item")


def stderr_console() -> "Console":
    from rich.console import Console

    return Console(stderr=True, highlight=False)


@contextmanager
def run_progress(
    *, papers: int, cells: int, cost: Callable[[int], str] = lambda _left: ""
) -> Iterator[Callable[[int, int], None]]:
    """A function to call with the papers read and the cells done so far. `cost` is called with the number of cells left."""
    console = stderr_console()
    if not (console.is_terminal or console.is_jupyter):
        yield _PlainProgress(console, papers, cells, cost).show
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[cost]}"), console=console, transient=True) as bar:
        task = bar.add_task("cells", total=cells, cost="")
        yield lambda _papers, done: bar.update(task, completed=done, cost=cost(cells - done))


class _PlainProgress:
    """For logs: at most one line every two seconds, and the last."""

    def __init__(self, console: "Console", papers: int, cells: int, cost: Callable[[int], str]) -> None:
        self._console, self._papers, self._cells, self._cost = console, papers, cells, cost
        self._started, self._last = time.monotonic(), 0.0

    def show(self, papers: int, cells: int) -> None:
        now = time.monotonic()
        if cells == self._cells or now - self._last >= _EVERY_S:
            self._last = now
            self._console.print(self._line(papers, cells, now - self._started), markup=False)

    def _line(self, papers: int, cells: int, elapsed: float) -> str:
        line = f"{papers}/{self._papers} papers read, {cells}/{self._cells} cells, {elapsed:.0f} s"
        if 0 < cells < self._cells:
            line += f", about {elapsed / cells * (self._cells - cells):.0f} s left"
        cost = self._cost(self._cells - cells)
        return f"{line}, {cost}" if cost else line


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[object], None]]:
    """A function to call once per item."""
    console = stderr_console()
    if console.is_terminal:
        from rich.progress import Progress

        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda _: bar.advance(task)
        return
    done, started = 0, time.monotonic()
    last = started

    def show(_: object) -> None:
        nonlocal done, last
        done += 1
        if time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            left = (last - started) / done * max(total - done, 0)
            console.print(f"{done}/{total} {what}, about {left:.0f} s left", markup=False)

    yield show


def counted(items: Iterable[Item], what: str, total: int, *, show: bool = True) -> Iterator[Item]:
    """The items, with progress as they are done."""
    if not show:
        yield from items
        return
    with counting(what, total) as step:
        for item in items:
            yield item
            step(item)
