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

    @property
    def exhausted(self) -> str:
        """Why no further call may be made, or an empty string."""
        tokens, cost = self._spent.tokens_in + self._spent.tokens_out, self._spent.cost or 0.0
        if self._max_cost is not None and cost >= self._max_cost:
            return f"--max-cost {self._max_cost:g} is reached ({cost:.4g})"
        if self._max_tokens is not None and tokens >= self._max_tokens:
            return f"--max-tokens {self._max_tokens} is reached ({tokens})"
        return ""
