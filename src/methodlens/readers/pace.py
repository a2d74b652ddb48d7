"""How fast a server may be asked: its limits a minute, and the pauses it asks for. All of its callers keep to one pace."""

import asyncio
import math
import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SPREAD = 0.1  # of a pause, so that those who waited do not come back all at once


class Pace:
    """Used from one event loop. Turns are spread evenly over the minute rather than taken in a burst."""

    def __init__(self, *, requests_per_minute: float = 0, tokens_per_minute: float = 0) -> None:
        self._per_request = 60 / requests_per_minute if requests_per_minute > 0 else 0.0
        self._per_token = 60 / tokens_per_minute if tokens_per_minute > 0 else 0.0
        self._next = 0.0
        self._held_until = 0.0

    async def turn(self, tokens: int) -> None:
        """Wait until it is time for a request with that many tokens in it."""
        at = max(time.monotonic(), self._next)
        self._next = at + max(self._per_request, tokens * self._per_token)
        while (pause := max(at, self._held_until) - time.monotonic()) > 0:
            await asyncio.sleep(pause + random.uniform(0, _SPREAD * pause))  # noqa: S311 - no secret depends on it

    def count(self, tokens: int) -> None:
        """Tokens that came back count too."""
        self._next += tokens * self._per_token

    def hold(self, seconds: float) -> None:
        """Nobody asks before that has passed."""
        self._held_until = max(self._held_until, time.monotonic() + seconds)


def retry_after(headers: "dict[str, str]", *, longest: float) -> float | None:
    """Seconds to wait, from Retry-After in seconds or as a date, or from retry-after-ms; never more than `longest`.

    >>> retry_after({"retry-after": "3"}, longest=60), retry_after({"retry-after": "86400"}, longest=60)
    (3.0, 60)
    >>> retry_after({"retry-after": "soon"}, longest=60) is None
    True
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    asked = milliseconds / 1000 if milliseconds is not None else _seconds(headers.get("retry-after", ""))
    return None if asked is None else min(max(asked, 0.0), longest)


def _seconds(value: str) -> float | None:
    number = _number(value)
    if number is not None or not value.strip():
        return number
    try:
        date = parsedate_to_datetime(value)
        return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return None if math.isnan(number) else number
