"""The HTTP client for chat and embeddings servers: total deadline, size limit, retries, rate limit and key redaction.

Any thread may call `HttpClient.request`. Requests run on an event loop in a background thread, because asyncio can limit the time
of a whole request. httpx limits each read instead, so a server that sends one byte now and then would never time out.
"""

import asyncio
import concurrent.futures
import logging
import random
import re
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from methodlens.api_keys import forms_of
from methodlens.errors import MethodlensError
from methodlens.retry_delay import retry_delay
from methodlens.text.printable import one_line
from methodlens.text.url_secrets import redact_url

if TYPE_CHECKING:
    import httpx

RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_AUTHORIZATION = "Authorization"
_EXCERPT_CHARS = 120
_JITTER = 0.1  # of a pause, so that waiting callers do not all resume at once


class RequestFailed(MethodlensError):
    """No complete response arrived. Callers turn it into an error of their own stage."""

    requests = 0
    """Requests sent, retries included."""
    retryable = False
    response: "Response | None" = None
    """If its status was RETRYABLE."""


class ClientClosed(RequestFailed):
    """`close` was called before or during the request."""


class Response(NamedTuple):
    status: int
    content: bytes
    requests: int
    """Requests sent, retries included."""
    sent_status: int = 200
    """The status line; `status` may differ if the body of a 200 is an error."""


class RateLimiter:
    """Spreads requests evenly over the minute, and pauses when the server asks for it. Shared by all callers of a client."""

    def __init__(self, *, requests_per_minute: float = 0, tokens_per_minute: float = 0) -> None:
        self._per_request = 60 / requests_per_minute if requests_per_minute > 0 else 0.0
        self._per_token = 60 / tokens_per_minute if tokens_per_minute > 0 else 0.0
        self._lock = threading.Lock()
        self._next = 0.0
        self._paused_until = 0.0

    async def wait(self, tokens: int) -> None:
        """Wait until a request with this many tokens may be sent."""
        with self._lock:
            at = max(time.monotonic(), self._next)
            self._next = at + max(self._per_request, tokens * self._per_token)
        while (pause := max(at, self._paused_until) - time.monotonic()) > 0:
            await asyncio.sleep(pause + random.uniform(0, _JITTER * pause))  # noqa: S311 - no secret depends on it

    def add_tokens(self, tokens: int) -> None:
        """Count the tokens of a response."""
        with self._lock:
            self._next += tokens * self._per_token

    def pause(self, seconds: float) -> None:
        """Send nothing for this long."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)


class HttpClient:
    """A client for one server. `name` starts every error message.

    The key is sent as a bearer token, or alone in `key_header`, and replaced by *** in response bodies, so that it cannot reach
    an answer or the ledger. `true_status` gets the status and the body of a response: gateways send errors with status 200.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key: str | None = None,
        timeout_s: float,
        max_bytes: int,
        max_wait_s: float = 60.0,
        limiter: RateLimiter | None = None,
        key_header: str = _AUTHORIZATION,
        headers: Mapping[str, str] | None = None,
        true_status: Callable[[int, bytes], int] | None = None,
    ) -> None:
        self.name = name
        self.url = re.sub(r"//[^/]*@", "//", redact_url(base_url.rstrip("/")))
        """The base URL without user name and password, for messages."""
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._timeout_s, self._max_bytes, self._max_wait_s = timeout_s, max_bytes, max_wait_s
        self._limiter = limiter or RateLimiter()
        self._key_header, self._headers, self._true_status = key_header, dict(headers or {}), true_status
        self._unreachable = False
        self._closed = False
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: httpx.AsyncClient | None = None

    def request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, attempts: int = 1, tokens: int | None = None
    ) -> Response:
        """Send a request and retry connection errors and RETRYABLE statuses. Raises RequestFailed if no response arrives.

        The last response is returned whatever its status. The rate limiter applies if `tokens`, the request's size, is given.
        """
        work = self._with_retries(method, path, body, attempts=attempts, tokens=tokens)
        with self._lock:
            if self._closed:
                work.close()
                raise ClientClosed(f"{self.name}: closed", "rerun to resume")
            future = asyncio.run_coroutine_threadsafe(work, self._loop or self._start_loop())
        try:
            return future.result()
        except (concurrent.futures.CancelledError, asyncio.CancelledError) as err:
            raise ClientClosed(f"{self.name}: closed during the request", "rerun to resume") from err

    def close(self) -> None:
        """Cancel the requests in progress: their callers get ClientClosed. Idempotent."""
        with self._lock:
            self._closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop and thread:
            asyncio.run_coroutine_threadsafe(self._cancel_all(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _start_loop(self) -> asyncio.AbstractEventLoop:
        logging.getLogger("stamina").addHandler(logging.NullHandler())  # otherwise Python prints each retry on stderr
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"http {self.name}", daemon=True)
        self._thread.start()
        return self._loop

    # --- on the event loop ------------------------------------------------------------------------------------------

    async def _cancel_all(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client:
            await self._client.aclose()
        await asyncio.get_running_loop().shutdown_asyncgens()  # of responses that broke; otherwise Python prints a warning
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    async def _with_retries(
        self, method: str, path: str, body: Mapping[str, Any] | None, *, attempts: int, tokens: int | None
    ) -> Response:
        import httpx
        import stamina

        requests = 0
        retries = stamina.retry_context(
            on=lambda err: isinstance(err, RequestFailed) and err.retryable,
            attempts=1 if self._unreachable else attempts,  # while a server is down, each call tries only once
            timeout=2 * self._timeout_s,
            wait_initial=min(0.5, self._max_wait_s),
            wait_max=self._max_wait_s,
            wait_jitter=min(1.0, self._max_wait_s),
        )
        try:
            async for attempt in retries:
                with attempt:
                    if tokens is not None:
                        await self._limiter.wait(tokens)
                    requests += 1
                    response = await self._send(method, path, body)
            self._unreachable = False
        except RequestFailed as err:
            err.requests = requests
            self._unreachable = isinstance(err.__cause__, httpx.ConnectError)
            if err.response is None:
                raise
            response = err.response
        return response._replace(requests=requests)

    async def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> Response:
        """Send one request. The deadline covers connecting, headers and body."""
        import httpx

        try:
            client = self._client or self._open_client()
            async with asyncio.timeout(self._timeout_s), client.stream(method, self._base_url + path, json=body) as response:
                content = await self._read(response)
        except (TimeoutError, httpx.TimeoutException) as err:
            problem = f"no complete response from {self.url} within {self._timeout_s:g} s"
            raise self._error(problem, "raise timeout_s, or use a faster model", retryable=True) from err
        except httpx.ConnectError as err:
            if "certificate" in str(err).lower():
                problem = f"the certificate of {self.url} is not valid ({one_line(str(err))[:_EXCERPT_CHARS]})"
                raise self._error(problem, "correct the address, or add its authority with SSL_CERT_FILE") from err
            raise self._error(f"cannot connect to {self.url}", "check that the server is running", retryable=True) from err
        except (httpx.HTTPError, httpx.InvalidURL) as err:
            problem = f"the connection to {self.url} broke ({type(err).__name__})"
            raise self._error(problem, "see the server's log, then rerun", retryable=True) from err
        sent = response.status_code
        status = self._true_status(sent, content) if self._true_status else sent
        complete = Response(status, content, 1, sent)
        if status in RETRYABLE:
            self._limiter.pause(retry_delay(status, response.headers, content, at_most=self._max_wait_s) or 0.0)
            busy = self._error(f"HTTP {status}", "see the server's log", retryable=True)
            busy.response = complete
            raise busy
        return complete

    def _open_client(self) -> "httpx.AsyncClient":
        import httpx

        # proxy settings of the environment do not apply to a server on this machine
        trust_env = httpx.URL(self._base_url).host not in ("localhost", "127.0.0.1", "::1")
        headers = {"Accept-Encoding": "identity", **self._headers}
        if self._key:
            headers[self._key_header] = f"Bearer {self._key}" if self._key_header == _AUTHORIZATION else self._key
        self._client = httpx.AsyncClient(timeout=self._timeout_s, trust_env=trust_env, headers=headers)
        return self._client

    async def _read(self, response: "httpx.Response") -> bytes:
        received = bytearray()
        async for chunk in response.aiter_raw():
            received += chunk
            if len(received) > self._max_bytes:
                raise self._too_large()
        content = self._decoded(bytes(received), response.headers.get("content-encoding", "identity").strip().lower())
        return forms_of(self._key).sub(b"***", content) if self._key else content

    def _decoded(self, received: bytes, encoding: str) -> bytes:
        """A few kilobytes may unpack to gigabytes: unpack no more than is allowed, and only once."""
        if encoding in ("", "identity"):
            return received
        if encoding not in ("gzip", "deflate"):
            raise self._error(f"{self.url} sent the encoding {encoding[:40]!r}, which was not asked for", "check base_url")
        try:
            content = zlib.decompressobj(wbits=47).decompress(received, self._max_bytes + 1)  # 47: gzip or zlib
        except zlib.error as err:
            raise self._error(f"the response of {self.url} cannot be unpacked ({err})", "check base_url") from err
        if len(content) > self._max_bytes:
            raise self._too_large()
        return content

    def _too_large(self) -> RequestFailed:
        return self._error(f"the response of {self.url} is larger than {self._max_bytes:,} bytes", "check base_url")

    def _error(self, problem: str, fix: str, *, retryable: bool = False) -> RequestFailed:
        error = RequestFailed(f"{self.name}: {problem}", fix)
        error.retryable = retryable
        return error


def excerpt(content: bytes) -> str:
    """The start of a response body on one line, in parentheses, for an error message.

    >>> excerpt(b"no such\\n model"), excerpt(b"")
    ('(no such model)', '')
    """
    text = one_line(content.decode("utf-8", "replace"))
    return f"({text if len(text) <= _EXCERPT_CHARS else f'{text[:_EXCERPT_CHARS]}...'})" if text else ""
