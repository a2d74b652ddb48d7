"""Resource usage from /proc: current memory, and CPU seconds of process trees, including processes that have ended."""

import os
import re
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_EVERY_S = 0.25


class Process(NamedTuple):
    pid: int
    parent: int
    born: int
    """Start time: with the pid it identifies a process, because pids are reused."""
    cpu_s: float
    """Without its children."""
    rss_kb: int
    name: str


def all_processes() -> dict[int, Process]:
    return {int(entry): seen for entry in os.listdir("/proc") if entry.isdigit() and (seen := _process(int(entry)))}


def _process(pid: int) -> Process | None:
    """None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        name = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return None
    words = stat[stat.rindex(")") + 2 :].split()  # the name before it may contain anything
    cpu = (int(words[11]) + int(words[12])) / _TICKS
    return Process(pid, int(words[1]), int(words[19]), cpu, int(words[21]) * os.sysconf("SC_PAGE_SIZE") // 1024, name)


def below(roots: Iterable[int], seen: Mapping[int, Process]) -> list[Process]:
    """All descendants of these processes, without themselves."""
    children: dict[int, list[int]] = {}
    for one in seen.values():
        children.setdefault(one.parent, []).append(one.pid)
    todo, found = [child for root in roots for child in children.get(root, ())], []
    while todo:
        pid = todo.pop()
        found.append(seen[pid])
        todo += children.get(pid, ())
    return found


def peak_kb(pid: int) -> int:
    """Its peak memory; 0 if it has ended."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0


class Tally(threading.Thread):
    """Samples a driver and its workers four times per second: its children, and those of `elsewhere` (a cluster).

    The last moments of a process that dies between two looks are not seen.
    """

    def __init__(self, driver: int, elsewhere: Iterable[int] = ()) -> None:
        super().__init__(daemon=True)
        self._driver, self._elsewhere = driver, tuple(elsewhere)
        self._ended = threading.Event()
        self._spent: dict[tuple[int, int], float] = {}
        self._before = {(one.pid, one.born): one.cpu_s for one in below(self._elsewhere, all_processes())}
        self.driver_kb = self.driver_peak_kb = self.workers_kb = self.most_workers_kb = 0
        self.driver_cpu_s = 0.0

    def run(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self.sample()

    def sample(self) -> None:
        seen = all_processes()
        if driver := seen.get(self._driver):
            self.driver_kb, self.driver_cpu_s = driver.rss_kb, driver.cpu_s
            self.driver_peak_kb = max(self.driver_peak_kb, peak_kb(self._driver))
        workers = below((self._driver, *self._elsewhere), seen)
        for one in (*workers, *([driver] if driver else ())):
            self._spent[one.pid, one.born] = one.cpu_s
        self.workers_kb = sum(one.rss_kb for one in workers if _works(one, workers))
        self.most_workers_kb = max(self.most_workers_kb, self.workers_kb)

    def stop(self) -> None:
        self._ended.set()
        self.join()

    @property
    def cpu_s(self) -> float:
        """Of all processes since the first sample, including a cluster's, but without their startup."""
        return sum(spent - self._before.get(who, 0.0) for who, spent in self._spent.items())


def _works(one: Process, all: Iterable[Process]) -> bool:
    """Whether it does papers: our workers, Ray workers that run tasks, and their children."""
    by_pid = {each.pid: each for each in all}
    while one.pid in by_pid:
        if " methodlens." in one.name or one.name.startswith(("ray::do", "ray::IDLE")):
            return True
        if one.parent not in by_pid:
            return False
        one = by_pid[one.parent]
    return False
