"""Wait for a condition, never for a fixed time: the tests pass on a busy machine as well."""

import time
from collections.abc import Callable

PATIENCE_S = 300.0
"""Long enough for any machine; reached only when a test fails."""


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "the condition was never met"
        time.sleep(0.01)
