"""The HTTP client and its rate limiter. tests/readers/test_chat_client.py has its retries and deadlines against real servers."""

import asyncio
import base64
import contextlib
import gc
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from methodlens.api_keys import forms_of
from methodlens.http_client import ClientClosed, HttpClient, RateLimiter, RequestFailed
from methodlens.retry_delay import retry_after
from tests.loopback import Reply, chat_server, closed_port


def test_retry_after_is_parsed_in_all_its_forms_and_capped() -> None:
    in_an_hour = datetime.now(UTC) + timedelta(hours=1)
    by_date = retry_after({"retry-after": format_datetime(in_an_hour, usegmt=True)}, at_most=7200)
    assert by_date is not None
    assert 1800 < by_date <= 3600
    for value, seconds in [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("86400", 60),
        ("1e400", 60),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 60),
        ("Mon, 01 Jan 1990 00:00:00 GMT", 0.0),
        ("nan", None),
        ("soon", None),
        ("", None),
    ]:
        assert retry_after({"retry-after": value}, at_most=60) == seconds, value
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}, at_most=60) == 0.25
    assert retry_after({}, at_most=60) is None


def time_for_three(limiter: RateLimiter, *, tokens: int, response_tokens: int) -> float:
    """Seconds that three requests in a row take."""

    async def send() -> float:
        started = time.monotonic()
        for _ in range(3):
            await limiter.wait(tokens)
            limiter.add_tokens(response_tokens)
        return time.monotonic() - started

    return asyncio.run(send())


def test_requests_and_tokens_per_minute_are_limited_and_response_tokens_count() -> None:
    assert time_for_three(RateLimiter(requests_per_minute=600), tokens=10, response_tokens=10) >= 0.19
    assert time_for_three(RateLimiter(tokens_per_minute=12_000), tokens=10, response_tokens=10) >= 0.19
    assert time_for_three(RateLimiter(tokens_per_minute=12_000), tokens=20, response_tokens=0) >= 0.19


def test_a_pause_applies_to_every_caller() -> None:
    async def send() -> float:
        limiter = RateLimiter()
        started = time.monotonic()
        limiter.pause(0.2)
        waits = [asyncio.create_task(limiter.wait(0)) for _ in range(3)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        waited = time.monotonic() - started
        await asyncio.gather(*waits)
        return waited

    assert asyncio.run(send()) >= 0.19


def client_at(url: str, *, key: str | None = None) -> HttpClient:
    return HttpClient("fern", url, key=key, timeout_s=60, max_bytes=100, max_wait_s=0.05)


def test_after_the_last_attempt_the_response_is_returned_whatever_its_status() -> None:
    with chat_server(Reply("busy", 503)) as double, closing(client_at(double.url)) as client:
        assert client.request("POST", "/x", {}, attempts=2)[:3] == (503, b"busy", 2)
        assert client.request("POST", "/x", {})[:3] == (503, b"busy", 1)


def test_a_response_over_the_size_limit_is_refused_without_a_retry() -> None:
    with (
        chat_server(Reply(b" " * 101)) as double,
        closing(client_at(double.url)) as client,
        pytest.raises(RequestFailed, match="larger than 100 bytes") as caught,
    ):
        client.request("POST", "/x", {}, attempts=3)
    assert caught.value.requests == len(double.requests) == 1


def test_neither_the_key_nor_a_password_in_the_url_is_shown() -> None:
    with chat_server(Reply("the key is hunter2")) as double, closing(client_at(double.url, key="hunter2")) as client:
        assert client.request("POST", "/x", {}).content == b"the key is ***"

    for password in ("hunter2", "tulip@hunter2", "tu@lip@hunter2"):  # an @ should be %40, but may not be
        url = closed_port().replace("//", f"//user:{password}@")
        with closing(client_at(url)) as client, pytest.raises(RequestFailed, match="cannot connect to http://127") as caught:
            client.request("GET", "/x")
        assert "hunter2" not in str(caught.value)


def test_responses_that_are_not_read_to_the_end_leave_no_warning_of_python(capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(30):
        with (
            chat_server(Reply(b"x" * 3_000_000)) as double,
            closing(client_at(double.url)) as client,
            pytest.raises(RequestFailed, match="larger than"),
        ):
            client.request("POST", "/x", {})
    gc.collect()
    assert capfd.readouterr().err == ""


def test_a_closed_client_sends_nothing_and_can_be_closed_again() -> None:
    client = client_at(closed_port())
    client.close()
    client.close()
    with pytest.raises(ClientClosed):
        client.request("GET", "/x")


@pytest.mark.parametrize(
    "form",
    [
        lambda key: key,
        lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
        lambda key: "".join(f"\\u{ord(char):04X}" if index % 2 else char for index, char in enumerate(key)),
        lambda key: "".join(f"%{ord(char):02X}" for char in key),
        lambda key: key.encode().hex(),
        lambda key: base64.b64encode(key.encode()).decode(),
        lambda key: base64.b64encode(f"x{key}".encode()).decode(),
        lambda key: base64.b64encode(f"Bearer {key}!".encode()).decode(),
        lambda key: base64.b64encode(f"xy{key}".encode()).decode(),
    ],
)
def test_the_key_is_redacted_in_every_usual_encoding(form: Callable[[str], str]) -> None:
    key = "sk-canary-0123456789"
    redacted = forms_of(key).sub(b"***", form(key).encode()).decode()
    assert "***" in redacted
    for shift in range(3):
        with contextlib.suppress(ValueError):
            assert "canary" not in base64.b64decode(redacted.replace("*", "") + "=" * shift).decode("latin-1")
