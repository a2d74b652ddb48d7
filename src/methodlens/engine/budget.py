"""The limit on what a run may spend. Calls in progress are finished, so they may exceed it."""

import threading
from collections.abc import Sequence

from methodlens.errors import InputError
from methodlens.records import Usage
from methodlens.seams import Reader


class Budget:
    """Applies to one start of a run; a rerun may spend as much again. Thread-safe."""

    def __init__(self, max_cost: float | None = None, max_tokens: int | None = None) -> None:
        self._max_cost, self._max_tokens = max_cost, max_tokens
        self._spent = Usage()
        self._asked = 0
        self._lock = threading.Lock()

    def check(self, readers: Sequence[Reader]) -> None:
        """Raises InputError if the limit cannot be enforced because a reader has no price."""
        unpriced = [reader.info.name for reader in readers if reader.info.remote and not reader.info.priced]
        if self._max_cost is not None and unpriced:
            raise InputError(
                f"--max-cost cannot be enforced: {', '.join(unpriced)} has no price",
                "set its price_in and price_out (per million tokens; 0 if it is free), or use --max-tokens",
            )

    def spend(self, usage: Usage | None) -> None:
        with self._lock:
            self._spent += usage or Usage()

    def note_asked(self, cells: int) -> None:
        """How many cells were asked so far, for the forecast."""
        self._asked = cells

    def forecast(self, left: int) -> str:
        """The cost so far, and what is expected if the cells that are left cost as much on average; empty without prices."""
        cost = self._spent.cost
        if cost is None:
            return ""
        if not left or not self._asked:
            return f"cost {cost:.2f}"
        expected = cost + cost / self._asked * left
        limited = self._max_cost is not None and expected > self._max_cost
        return f"cost {cost:.2f} so far, about {expected:.2f} expected{f', limit {self._max_cost:g}' if limited else ''}"

    @property
    def exhausted(self) -> str:
        """Why no further call may be made, or an empty string."""
        tokens, cost = self._spent.tokens_in + self._spent.tokens_out, self._spent.cost or 0.0
        if self._max_cost is not None and cost >= self._max_cost:
            return f"--max-cost {self._max_cost:g} is reached ({cost:.4g})"
        if self._max_tokens is not None and tokens >= self._max_tokens:
            return f"--max-tokens {self._max_tokens} is reached ({tokens})"
        return ""
