"""How long a server asks its clients to wait: in Retry-After, in the reset headers of its rate limits, or in the body."""

import contextlib
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TOO_MANY_REQUESTS = 429
_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = r"(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)"
_DURATION = re.compile(rf"(?:{_PART})+")
_EPOCH_S = 1e9  # a number of seconds since 1970; a pause of thirty years is not meant
_EPOCH_MS = 1e12
_IN_BODY = re.compile(rb'"retryDelay":\s*"(\d+(?:\.\d+)?m?s)"|try again in ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)')
_BODY_BYTES = 20_000  # of an error, searched for a delay


def retry_delay(status: int, headers: Mapping[str, str], content: bytes, *, at_most: float) -> float | None:
    """Seconds to wait before the next request, None if the response does not say.

    Reset headers count only for "too many requests": servers send them with every response.
    """
    seconds = retry_after(headers, at_most=at_most)
    if seconds is not None or status != TOO_MANY_REQUESTS:
        return seconds
    seconds = _from_reset_headers(headers)
    if seconds is None and (match := _IN_BODY.search(content, 0, _BODY_BYTES)):
        seconds = seconds_until((match[1] or match[2]).decode())
    return None if seconds is None else min(seconds, at_most)


def retry_after(headers: Mapping[str, str], *, at_most: float) -> float | None:
    """Seconds to wait, from retry-after-ms, or from Retry-After in seconds or as a date.

    >>> retry_after({"retry-after": "3"}, at_most=60), retry_after({"retry-after": "86400"}, at_most=60)
    (3.0, 60)
    >>> retry_after({"retry-after": "soon"}, at_most=60) is None
    True
    """
    date = headers.get("retry-after", "")
    for value, per_second in ((headers.get("retry-after-ms", ""), 1000), (date, 1)):
        with contextlib.suppress(ValueError):
            if not math.isnan(number := float(value)):
                return min(max(number / per_second, 0.0), at_most)
    seconds = _until_date(date)
    return None if seconds is None else min(seconds, at_most)


def seconds_until(value: str) -> float | None:
    """From a duration, a number of seconds, or a time: an ISO or HTTP date, or seconds or milliseconds since 1970.

    >>> [seconds_until(value) for value in ("1m30s", "120ms", "2.5", "1h0m1s", "soon", "")]
    [90.0, 0.12, 2.5, 3601.0, None, None]
    """
    value = value.strip().lower()
    if _DURATION.fullmatch(value):
        return sum(float(number) * _UNITS[unit] for number, unit in re.findall(_PART, value))
    try:
        number = float(value)
    except ValueError:
        return _until_date(value)
    if math.isnan(number):
        return None
    if number > _EPOCH_S:
        number = (number / 1000 if number > _EPOCH_MS else number) - datetime.now(UTC).timestamp()
    return max(number, 0.0)


def _from_reset_headers(headers: Mapping[str, str]) -> float | None:
    """The reset of the limit that is used up. If requests remain, it is the tokens that do not suffice."""
    resets = {name.lower(): value for name, value in headers.items() if "ratelimit" in name.lower() and "reset" in name.lower()}
    used_up = [name for name in resets if not _remains(headers.get(name.replace("reset", "remaining"), ""))]
    names = used_up or [name for name in resets if "token" in name] or list(resets)
    waits = [seconds for name in names if (seconds := seconds_until(resets[name])) is not None]
    return max(waits, default=None)


def _remains(value: str) -> bool:
    with contextlib.suppress(ValueError):
        return float(value) > 0
    return False


def _until_date(value: str) -> float | None:
    for parse in (parsedate_to_datetime, datetime.fromisoformat):
        with contextlib.suppress(ValueError, OverflowError):
            at = parse(value.upper())
            return max(((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds(), 0.0)
    return None
