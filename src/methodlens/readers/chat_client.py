"""Chat completions from one OpenAI-compatible server: JSON formats, usage and price, and what a refusal means."""

import re
import threading
from collections.abc import Sequence
from typing import Any

from methodlens.errors import ReaderAbandoned, ReaderError, ReaderFailed
from methodlens.http_client import RETRYABLE, ClientClosed, HttpClient, RateLimiter, RequestFailed, Response, excerpt
from methodlens.readers.prompting import Message, estimate_tokens
from methodlens.readers.replies import SCHEMA, InvalidReply, Reply, parse_completion, parse_models
from methodlens.records import Usage
from methodlens.settings import ChatServer

MAX_BYTES = 1_000_000
_NEXT_SCHEMA = {"json_schema": "json_object", "json_object": "none"}
_TOO_LONG = re.compile(r"context|too (?:long|large|many tokens)|maximum.{0,20}token|token.{0,20}(?:limit|exceed)", re.IGNORECASE)


class ChatClient:
    """Thread-safe. Raises ReaderFailed when one call fails, ReaderError when every other call would fail too."""

    def __init__(self, name: str, server: ChatServer, key: str | None = None) -> None:
        self.name = name
        self.schema: str = "json_schema" if server.schema == "auto" else server.schema
        """The response_format in use; a weaker one after the server refuses it."""
        self._server = server
        self._accepted: set[str] = set()  # response formats that the server has answered
        self._slots = threading.BoundedSemaphore(max(1, server.concurrency))
        self._limiter = RateLimiter(requests_per_minute=server.requests_per_minute, tokens_per_minute=server.tokens_per_minute)
        self._http = HttpClient(
            name,
            server.base_url,
            key=key,
            timeout_s=server.timeout_s,
            max_bytes=MAX_BYTES,
            max_wait_s=server.longest_wait_s,
            limiter=self._limiter,
        )

    def __repr__(self) -> str:
        return f"ChatClient({self.name!r}, model={self._server.model!r}, url={self._http.url!r})"

    def complete(self, messages: Sequence[Message], *, json: bool, max_tokens: int = 0, attempts: int = 0) -> Reply:
        """The model's reply to the messages."""
        server = self._server
        # a broken font map can leave half a surrogate pair in a paper's text, which UTF-8 cannot encode
        sent = [{**message, "content": message["content"].encode("utf-8", "replace").decode("utf-8")} for message in messages]
        body: dict[str, Any] = {
            "model": server.model,
            "messages": sent,
            "temperature": server.temperature,
            server.tokens_field: max_tokens or server.max_tokens,
        }
        if server.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        tokens = estimate_tokens("".join(message["content"] for message in sent))
        with self._slots:
            return self._complete(body, json=json, attempts=attempts or server.attempts, tokens=tokens)

    def models(self) -> list[str]:
        """The models the server lists; empty if it lists none."""
        try:
            return parse_models(self._http.request("GET", "/models").content)
        except RequestFailed:
            return []

    def close(self) -> None:
        """Cancel the calls in progress: they raise ReaderAbandoned. Idempotent."""
        self._http.close()

    def _complete(self, body: dict[str, Any], *, json: bool, attempts: int, tokens: int) -> Reply:
        while True:
            schema = self.schema if json else "none"
            response = self._post({**body, **_response_format(schema)}, attempts, tokens)
            if response.status != 400 or schema == "none" or schema in self._accepted:
                break
            if self.schema == schema:  # unless another thread has moved on already
                self.schema = _NEXT_SCHEMA[schema]
        if response.status != 200:
            raise self._with_usage(self._refusal(response), response.requests)
        try:
            reply = parse_completion(response.content, source=self._http.url)
        except InvalidReply as err:
            problem = f"{self.name}: {err.problem} {excerpt(response.content)}".strip()
            raise self._with_usage(InvalidReply(problem, err.fix), response.requests) from err
        self._accepted.add(schema)
        return reply._replace(usage=self._usage(reply, tokens, response.requests))

    def _post(self, body: dict[str, Any], attempts: int, tokens: int) -> Response:
        try:
            return self._http.request("POST", "/chat/completions", body, attempts=attempts, tokens=tokens)
        except ClientClosed as err:
            raise ReaderAbandoned(err.problem, err.fix) from err
        except RequestFailed as err:
            raise self._with_usage(ReaderFailed(err.problem, err.fix), err.requests) from err

    def _usage(self, reply: Reply, tokens_asked: int, requests: int) -> Usage:
        """Tokens and cost. Tokens are estimated where the server does not count them."""
        server, tokens_in, tokens_out = self._server, reply.usage.tokens_in, reply.usage.tokens_out
        estimated = tokens_in + tokens_out == 0
        if estimated:
            tokens_in, tokens_out = tokens_asked, estimate_tokens(reply.content)
        self._limiter.add_tokens(tokens_out)
        cost = None
        if server.price_in is not None or server.price_out is not None:
            cost = (tokens_in * (server.price_in or 0.0) + tokens_out * (server.price_out or 0.0)) / 1e6
        return Usage(tokens_in, tokens_out, requests, cost, server.watts, estimated=estimated)

    def _with_usage(self, error: ReaderError, requests: int) -> ReaderError:
        if isinstance(error, ReaderFailed):
            error.usage = Usage(requests=requests, watts=self._server.watts)
        return error

    def _refusal(self, response: Response) -> ReaderError:
        """The error for a status other than 200."""
        status, server, details = response.status, self._server, excerpt(response.content)
        problem = f"{self.name}: the server answered HTTP {status} {details}".strip()
        if status == 429:
            return ReaderFailed(problem, "wait, or set requests_per_minute, tokens_per_minute and concurrency")
        if status in RETRYABLE:
            return ReaderFailed(problem, "see the server's log")
        if status in (401, 402, 403):
            reason = "requires payment" if status == 402 else "refused the key"
            fix = (
                f"check the key in {server.key_variable}"
                if server.key_variable
                else "set key_variable to the name of the variable that holds the key"
            )
            return ReaderError(f"{self.name}: the server {reason} (HTTP {status}) {details}".strip(), fix)
        if status == 404:
            fix = f"check that model {server.model!r} exists there and that base_url is as documented (it often ends in /v1)"
            return ReaderError(f"{self.name}: {self._http.url} was not found (HTTP 404) {details}".strip(), fix)
        if status == 413 or (status == 400 and _TOO_LONG.search(response.content.decode("utf-8", "replace"))):
            return ReaderFailed(problem, "lower context_tokens, or use a model with a longer context")
        if self._accepted:  # the server accepts our requests, so the problem is this cell
            return ReaderFailed(problem, "see the server's log")
        return ReaderError(problem, f"check model {server.model!r}, base_url, max_tokens and tokens_field")


def _response_format(schema: str) -> dict[str, Any]:
    if schema == "json_schema":
        return {"response_format": {"type": schema, "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}}
    return {"response_format": {"type": schema}} if schema == "json_object" else {}
