"""Limits how often an expensive operation is repeated."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

_FACTOR = 10


class Cooldown:
    """After an operation that takes longer than `quick_s`, stays active for ten times as long as the operation took."""

    def __init__(self, quick_s: float) -> None:
        self._quick_s = quick_s
        self._until = 0.0

    @property
    def active(self) -> bool:
        return time.monotonic() < self._until

    @contextmanager
    def timing(self) -> Iterator[None]:
        started = time.monotonic()
        yield
        ended = time.monotonic()
        if ended - started > self._quick_s:
            self._until = max(self._until, ended + _FACTOR * (ended - started))
