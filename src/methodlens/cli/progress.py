"""How a run looks while it goes: a bar with an ETA on a terminal, a plain line now and then elsewhere. Always on stderr."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from methodlens.engine.driver import Event

_EVERY_S = 2.0


@contextmanager
def progress(console: "Console", *, papers: int, cells: int) -> "Iterator[Callable[[Event], None]]":
    """A function to be told of every event of the run."""
    if not console.is_terminal:
        yield _PlainProgress(console, papers, cells).tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("cells", total=cells)

        def tell(event: "Event") -> None:
            bar.advance(task, _counted(event)[1])

        yield tell


def _counted(event: "Event") -> tuple[int, int]:
    """Papers and cells that it brings."""
    from methodlens.engine.engine import PaperDone
    from methodlens.engine.execute import PaperRead

    if isinstance(event, PaperDone):
        return 1, len(event.parcel.cells) + len(event.parcel.known)
    return (1, 0) if isinstance(event, PaperRead) else (0, 1)


class _PlainProgress:
    """For logs: a line when the first paper is read, then at most one every two seconds, and the last."""

    def __init__(self, console: "Console", papers: int, cells: int) -> None:
        self.console, self.papers, self.cells = console, papers, cells
        self.read = self.done = 0
        self.started = time.monotonic()
        self.last = 0.0

    def tell(self, event: "Event") -> None:
        papers, cells = _counted(event)
        self.read += papers
        self.done += cells
        now = time.monotonic()
        if self.done == self.cells or now - self.last >= _EVERY_S:
            self.last = now
            self.console.print(self._line(now - self.started), markup=False)

    def _line(self, elapsed: float) -> str:
        line = f"{self.read}/{self.papers} papers read, {self.done}/{self.cells} cells, {elapsed:.0f} s"
        if 0 < self.done < self.cells:
            line += f", about {elapsed / self.done * (self.cells - self.done):.0f} s left"
        return line


@contextmanager
def counting(console: "Console", what: str, total: int) -> Iterator[Callable[[object], None]]:
    """For work that is one kind of thing after the other: a function to be told of each."""
    if console.is_terminal:
        from rich.progress import Progress

        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda _: bar.advance(task)
        return
    done, last = 0, time.monotonic()
    started = last

    def tell(_: object) -> None:
        nonlocal done, last
        done += 1
        if time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            left = (last - started) / done * max(total - done, 0)
            console.print(f"{done}/{total} {what}, about {left:.0f} s left", markup=False)

    yield tell
