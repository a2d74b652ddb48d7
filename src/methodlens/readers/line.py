"""The line to one OpenAI-compatible server: one client, one pace, a deadline for every request, patience where it can help.

Any thread may call `complete`. The requests themselves run on one event loop in a thread of the line's own, since only there
can a clock cover all of a request: httpx counts each read for itself, and an endless drip has many.
"""

import asyncio
import concurrent.futures
import logging
import re
import threading
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from methodlens.errors import ReaderAbandoned, ReaderError, ReaderFailed
from methodlens.readers.context import tokens_of
from methodlens.readers.pace import Pace, retry_after
from methodlens.readers.replies import Garbled, Reply, read_models, read_reply
from methodlens.readers.structured import SCHEMA
from methodlens.records import Usage
from methodlens.settings import ChatServer

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 1_000_000
_SHOWN = 120  # characters of a server's own words in a message
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_WEAKER = {"json_schema": "json_object", "json_object": "none"}
_TOO_LONG = re.compile(r"context|too (?:long|large|many tokens)|maximum.{0,20}token|token.{0,20}(?:limit|exceed)", re.IGNORECASE)
T = TypeVar("T")


class _TryAgain(ReaderFailed):
    """What another try may mend."""


class Line:
    """Raises ReaderFailed when one call fails, ReaderError when there is no point in any other call."""

    def __init__(self, name: str, server: ChatServer, key: str | None = None) -> None:
        self.name = name
        self.schema: str = "json_schema" if server.schema == "auto" else server.schema
        """How JSON is asked for; weaker from the moment the server refuses it."""
        self._server = server
        self._key = key
        self._url = server.base_url.rstrip("/")
        self._shown_url = re.sub(r"//[^/@]*@", "//", self._url)
        self._answered = False
        self._down = False
        self._closed = False
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: httpx.AsyncClient | None = None
        self._slots = asyncio.Semaphore(max(1, server.concurrency))
        self._pace = Pace(requests_per_minute=server.requests_per_minute, tokens_per_minute=server.tokens_per_minute)

    def __repr__(self) -> str:
        return f"Line({self.name!r}, model={self._server.model!r}, url={self._shown_url!r})"

    def complete(self, messages: Sequence[dict[str, str]], *, json: bool, max_tokens: int = 0, attempts: int = 0) -> Reply:
        """The model's reply to the messages."""
        body: dict[str, Any] = {
            "model": self._server.model,
            "messages": list(messages),
            "temperature": self._server.temperature,
            self._server.tokens_field: max_tokens or self._server.max_tokens,
        }
        if self._server.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return self._wait_for(self._complete(body, json=json, attempts=attempts or self._server.attempts))

    def models(self) -> list[str]:
        """What the server says it has; nothing if it does not say."""
        try:
            return read_models(self._wait_for(self._send("GET", "/models", None))[1])
        except ReaderError:
            return []

    def close(self) -> None:
        """Whoever waits for a reply gets ReaderAbandoned. Closing twice does nothing more."""
        with self._lock:
            self._closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop and thread:
            asyncio.run_coroutine_threadsafe(self._hang_up(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    # --- the loop and its thread --------------------------------------------------------------------------------------

    def _wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        with self._lock:
            if self._closed:
                work.close()
                raise ReaderAbandoned(f"{self.name}: abandoned", "start it again")
            loop = self._loop or self._open()
            future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except (concurrent.futures.CancelledError, asyncio.CancelledError) as err:
            raise ReaderAbandoned(f"{self.name}: abandoned", "start it again") from err

    def _open(self) -> asyncio.AbstractEventLoop:
        logging.getLogger("stamina").addHandler(logging.NullHandler())  # else Python prints each retry on stderr
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"line {self.name}", daemon=True)
        self._thread.start()
        return self._loop

    async def _hang_up(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client:
            await self._client.aclose()

    # --- on the loop --------------------------------------------------------------------------------------------------

    async def _complete(self, body: dict[str, Any], *, json: bool, attempts: int) -> Reply:
        async with self._slots:
            while True:
                schema = self.schema if json else "none"
                status, content, requests = await self._patiently({**body, **_format(schema)}, attempts)
                if status == 400 and schema != "none" and not self._answered:
                    self.schema = _WEAKER[schema]
                    continue
                break
            if status != 200:
                raise self._spent(self._refusal(status, content), requests)
            try:
                reply = read_reply(content, source=self._shown_url)
            except Garbled as err:
                raise self._spent(
                    Garbled(f"{self.name}: {err.problem} {self._excerpt(content)}".strip(), err.fix), requests
                ) from err
            self._answered, self._down = True, False
            return self._counted(reply, body, requests)

    async def _patiently(self, body: dict[str, Any], attempts: int) -> tuple[int, bytes, int]:
        """Status, content and number of requests; what can be tried again was tried again."""
        import httpx
        import stamina

        tokens = tokens_of("".join(message["content"] for message in body["messages"]))
        requests = 0
        try:
            async for attempt in stamina.retry_context(
                on=_TryAgain,
                attempts=1 if self._down else attempts,
                timeout=2 * self._server.timeout_s,
                wait_initial=min(0.5, self._server.longest_wait_s),
                wait_max=self._server.longest_wait_s,
                wait_jitter=min(1.0, self._server.longest_wait_s),
            ):
                with attempt:
                    await self._pace.turn(tokens)
                    requests += 1
                    status, content = await self._send("POST", "/chat/completions", body)
        except _TryAgain as err:
            self._down = isinstance(err.__cause__, httpx.ConnectError)  # the next calls find out with one try
            raise self._spent(ReaderFailed(err.problem, err.fix), requests) from err
        return status, content, requests

    async def _send(self, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, bytes]:
        """One request. The clock covers all of it: connecting, headers and every drop of the body."""
        import httpx

        server, url = self._server, self._url + path
        if self._client is None:
            # a proxy from the environment has no business between us and a server on this machine
            trust_env = httpx.URL(url).host not in ("localhost", "127.0.0.1", "::1")
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._client = httpx.AsyncClient(timeout=server.timeout_s, trust_env=trust_env, headers=headers)
        try:
            async with asyncio.timeout(server.timeout_s), self._client.stream(method, url, json=body) as response:
                content = await self._body(response)
        except (TimeoutError, httpx.TimeoutException) as err:
            raise self._again(
                f"no whole answer from {self._shown_url} within {server.timeout_s:g} s", "raise timeout_s, or ask a faster model"
            ) from err
        except httpx.ConnectError as err:
            raise self._again(f"cannot connect to {self._shown_url}", "is the server running there?") from err
        except (httpx.HTTPError, httpx.InvalidURL) as err:
            raise self._again(
                f"the connection to {self._shown_url} broke ({type(err).__name__})", "look at the server's log, then run again"
            ) from err
        if response.status_code in _AGAIN:
            pause = retry_after(dict(response.headers), longest=server.longest_wait_s)
            if pause is not None:
                self._pace.hold(pause)
            problem = f"the server answered HTTP {response.status_code} {self._excerpt(content)}".strip()
            busy = "wait, or set requests_per_minute, tokens_per_minute and concurrency"
            raise self._again(problem, busy if response.status_code == 429 else "look at the server's log")
        return response.status_code, content

    async def _body(self, response: "httpx.Response") -> bytes:
        content = bytearray()
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > MOST_BYTES:
                raise ReaderFailed(
                    f"{self.name}: the answer is larger than {MOST_BYTES:,} bytes", "this is no chat server, or it has run wild"
                )
        # should a server say the key back, it must not get into an answer, a message or the ledger
        return bytes(content).replace(self._key.encode(), b"***") if self._key else bytes(content)

    # --- what it means ------------------------------------------------------------------------------------------------

    def _counted(self, reply: Reply, body: dict[str, Any], requests: int) -> Reply:
        """With what it took; where the server did not count, we estimate."""
        counted = reply.usage.tokens_in + reply.usage.tokens_out > 0
        asked = tokens_of("".join(message["content"] for message in body["messages"]))
        tokens_in = reply.usage.tokens_in if counted else asked
        tokens_out = reply.usage.tokens_out if counted else tokens_of(reply.content)
        self._pace.count(tokens_out)
        server, cost = self._server, None
        if server.price_in is not None or server.price_out is not None:
            cost = (tokens_in * (server.price_in or 0.0) + tokens_out * (server.price_out or 0.0)) / 1e6
        return reply._replace(usage=Usage(tokens_in, tokens_out, requests, cost, server.watts, estimated=not counted))

    def _refusal(self, status: int, content: bytes) -> ReaderError:
        said, variable = self._excerpt(content), self._server.key_variable
        if status in (401, 402, 403):
            where = f"check the key in {variable}" if variable else "name the key's variable in key_variable"
            what = "wants to be paid" if status == 402 else "refused the key"
            return ReaderError(f"{self.name}: the server {what} (HTTP {status}) {said}".strip(), where)
        if status == 404:
            fix = f"check that model {self._server.model!r} exists there and that base_url ends as its manual says (often /v1)"
            return ReaderError(f"{self.name}: nothing at {self._shown_url} (HTTP 404) {said}".strip(), fix)
        problem = f"{self.name}: the server answered HTTP {status} {said}".strip()
        if status == 413 or (status == 400 and _TOO_LONG.search(content.decode("utf-8", "replace"))):
            return ReaderFailed(problem, "lower context_tokens, or ask a model with a longer context")
        if self._answered:  # it takes our requests: this one cell is what it does not like
            return ReaderFailed(problem, "look at the server's log")
        return ReaderError(problem, f"check model {self._server.model!r}, base_url, max_tokens and tokens_field")

    def _again(self, problem: str, fix: str) -> _TryAgain:
        return _TryAgain(f"{self.name}: {problem}", fix)

    def _spent(self, error: ReaderError, requests: int) -> ReaderError:
        if isinstance(error, ReaderFailed):
            error.usage = Usage(requests=requests, watts=self._server.watts)
        return error

    def _excerpt(self, content: bytes) -> str:
        """A few of the server's own words on one line."""
        text = " ".join(content.decode("utf-8", "replace").split())
        text = "".join(char for char in text if char.isprintable())
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        return f"({shown})" if shown else ""


def _format(schema: str) -> dict[str, Any]:
    if schema == "json_schema":
        return {"response_format": {"type": schema, "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}}
    return {"response_format": {"type": schema}} if schema == "json_object" else {}
