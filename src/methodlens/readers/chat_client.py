"""Completions from one chat server: its form of messages, how it takes JSON, usage and price, and what its refusals mean."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from methodlens.errors import ReaderAbandoned, ReaderError, ReaderFailed
from methodlens.http_client import ClientClosed, HttpClient, RateLimiter, RequestFailed, Response, excerpt
from methodlens.readers.prompting import Message, estimate_tokens
from methodlens.readers.refusals import ended_without_answer, refusal
from methodlens.readers.replies import SCHEMA, InvalidReply, parse_completion
from methodlens.readers.wire import ChatCall, ModelEntry, encodable_messages, form_of
from methodlens.readers.wire.form import Reply
from methodlens.readers.wire.pictures import Picture
from methodlens.readers.wire.server_errors import Kind, kind_of, names_field, true_status
from methodlens.records import Usage
from methodlens.settings import ChatServer

MAX_BYTES = 1_000_000
_MAX_LIST_BYTES = 30_000_000  # of a list of models: a gateway offers thousands
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_PROBE = {"role": "user", "content": 'Reply with this JSON object: {"reported": false, "answer": "yes", "quotes": []}'}
_PROBE_TOKENS = 64
_JSON_FIELDS = (
    *("response_format", "json_schema", "json_object", "output_config", "output_format", "tool_choice"),
    *("responseSchema", "response_schema", "responseMimeType", "response_mime_type", "guided_json"),
)
_OWN_FAULT = (Kind.TOO_LONG, Kind.FILTERED, Kind.QUOTA, Kind.KEY, Kind.MODEL, Kind.ANSWER_LENGTH)
"""Errors that another form of the same request does not avoid."""


class ChatClient:
    """Thread-safe. Raises ReaderFailed when one call fails, ReaderError when every other call would fail too.

    What the server cannot take (a JSON format, a temperature) is found out at its first use and left out from then on.
    """

    def __init__(self, name: str, server: ChatServer, key: str | None = None) -> None:
        self.name = name
        self._form = form_of(server)
        if server.schema not in ("auto", *self._form.modes):
            known = ", ".join(("auto", *self._form.modes))
            raise ReaderError(f"{name}: schema = {server.schema!r} does not exist for form = {server.form!r}", f"use {known}")
        self.schema: str = self._form.modes[0] if server.schema == "auto" else server.schema
        """How JSON is requested; a weaker way after the server refuses it."""
        self._server = server
        self._changed: set[str] = set()  # fields that the server does not take as configured
        self._accepted: set[str] = set()  # ways to request JSON that the server has answered
        self._probing = threading.Lock()
        self._slots = threading.BoundedSemaphore(max(1, server.concurrency))
        self._limiter = RateLimiter(requests_per_minute=server.requests_per_minute, tokens_per_minute=server.tokens_per_minute)
        self._http = _http_client(name, server, key, MAX_BYTES, self._limiter)

    def __repr__(self) -> str:
        return f"ChatClient({self.name!r}, model={self._server.model!r}, url={self._http.url!r})"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        json: bool,
        max_tokens: int = 0,
        attempts: int = 0,
        schema: Mapping[str, Any] | None = None,
        pictures: Sequence[Picture] = (),
    ) -> Reply:
        """The model's reply to the messages. `schema` is the JSON Schema it must match; None means that of one answer."""
        wanted = (schema or SCHEMA) if json else None
        call = ChatCall(encodable_messages(messages), max_tokens or self._server.max_tokens, wanted, pictures=pictures)
        with self._slots:
            return self._complete(call, attempts=attempts or self._server.attempts, tokens=call.tokens)

    def models(self) -> list[str]:
        """The models the server lists; empty if it lists none."""
        try:
            response = self._http.request("GET", self._form.models_path(self._server))
            return [model.id for model in self._form.parse_models(response.content)]
        except (RequestFailed, *_UNREADABLE):
            return []

    def close(self) -> None:
        """Cancel the calls in progress: they raise ReaderAbandoned. Idempotent."""
        self._http.close()

    def _complete(self, call: ChatCall, *, attempts: int, tokens: int) -> Reply:
        spent = Usage()  # by requests that gave no answer
        try:
            while True:
                server, mode = self._server, self.schema if call.schema is not None else "none"
                response = self._post(server, call._replace(mode=mode), attempts, tokens)
                if response.status == 200:
                    break
                spent += Usage(requests=response.requests, watts=server.watts)
                send_again, probe = self._adapt(response, server, call._replace(mode=mode))
                spent += probe
                if not send_again:
                    raise refusal(self.name, server, response, url=self._http.url, accepted=bool(self._accepted))
            reply = self._parse(response)
        except ReaderFailed as err:
            err.usage = spent + (err.usage or Usage())
            raise
        self._accepted.add(mode)
        usage = spent + self._usage(reply, tokens, response.requests)
        if failed := ended_without_answer(self.name, reply, max_tokens=call.max_tokens):
            failed.usage = usage
            raise failed
        return reply._replace(usage=usage)

    def _post(self, server: ChatServer, call: ChatCall, attempts: int, tokens: int) -> Response:
        path, body = self._form.request(server, call)
        try:
            return self._http.request("POST", path, body, attempts=attempts, tokens=tokens)
        except ClientClosed as err:
            raise ReaderAbandoned(err.problem, err.fix) from err
        except RequestFailed as err:
            failed = ReaderFailed(err.problem, err.fix)
            failed.usage = Usage(requests=err.requests, watts=server.watts)
            raise failed from err

    def _parse(self, response: Response) -> Reply:
        try:
            return parse_completion(response.content, source=self._http.url, form=self._form)
        except InvalidReply as err:
            invalid = InvalidReply(f"{self.name}: {err.problem} {excerpt(response.content)}".strip(), err.fix)
            invalid.usage = Usage(requests=response.requests, watts=self._server.watts)
            raise invalid from err

    # --- what the server cannot take ----------------------------------------------------------------------------------

    def _adapt(self, response: Response, server: ChatServer, call: ChatCall) -> tuple[bool, Usage]:
        """Whether to send the call again in another form, and what it took to find out."""
        asked = response.status in (400, 422)
        if not (asked or response.status in (500, 501)) or kind_of(response.status, response.content) in _OWN_FAULT:
            return False, Usage()
        if asked and (changed := self._without_refused_field(response, server)):
            with self._probing:
                self._server = changed if self._server is server else self._server
            return True, Usage()
        if call.schema is None or call.mode == "none" or call.mode in self._accepted:
            return False, Usage()
        if names_field(response.content, _JSON_FIELDS):
            return self._weaken(call.mode), Usage()
        return self._probe(server, call) if asked else (False, Usage())

    def _without_refused_field(self, response: Response, server: ChatServer) -> ChatServer | None:
        """The settings without the field that the error names, such as the temperature of a model that allows only its own."""
        if self._server is not server:
            return self._server  # another caller has found out
        options: dict[tuple[str, ...], dict[str, Any]] = {("stream_options",): {"stream": False}} if server.stream else {}
        if server.temperature is not None:
            options["temperature",] = {"temperature": None}
        if server.tokens_field in ("max_tokens", "max_completion_tokens"):
            other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[server.tokens_field]
            options[server.tokens_field,] = {"tokens_field": other}
        for (field,), change in options.items():
            if field not in self._changed and names_field(response.content, (field,)):
                self._changed |= {field, *map(str, change.values())}
                return replace(server, **change)
        return None

    def _weaken(self, mode: str) -> bool:
        with self._probing:
            if self.schema == mode:  # unless another thread has moved on already
                self.schema = self._form.modes[self._form.modes.index(mode) + 1]
        return True

    def _probe(self, server: ChatServer, call: ChatCall) -> tuple[bool, Usage]:
        """An error that does not say why: a tiny request tells whether the JSON format is refused, or only this cell."""
        with self._probing:
            if call.mode in self._accepted or self.schema != call.mode:
                return self.schema != call.mode, Usage()
            probe = call._replace(messages=[_PROBE], max_tokens=_PROBE_TOKENS, pictures=())
            response = self._post(server, probe, 1, _PROBE_TOKENS)
            if response.status == 200:
                self._accepted.add(call.mode)
        if response.status == 200:
            return False, self._usage(self._parse(response), estimate_tokens(_PROBE["content"]), response.requests)
        refused = response.status in (400, 422)
        return refused and self._weaken(call.mode), Usage(requests=response.requests, watts=server.watts)

    # --- usage --------------------------------------------------------------------------------------------------------

    def _usage(self, reply: Reply, tokens_asked: int, requests: int) -> Usage:
        """Tokens and cost. Tokens are estimated where the server does not count them."""
        server, counted = self._server, reply.usage
        estimated = counted.tokens_in + counted.tokens_out == 0
        if estimated:
            counted = Usage(tokens_asked, estimate_tokens(reply.content + reply.reasoning))
        self._limiter.add_tokens(counted.tokens_out)
        cost = cost_of(counted, server)
        return replace(counted, requests=requests, cost=cost, watts=server.watts, estimated=estimated)


def cost_of(usage: Usage, server: ChatServer) -> float | None:
    """None without prices."""
    if server.price_in is None and server.price_out is None:
        return None
    price_in = server.price_in or 0.0
    price_cached = price_in if server.price_cached is None else server.price_cached
    paid_in = (usage.tokens_in - usage.tokens_cached) * price_in + usage.tokens_cached * price_cached
    return (paid_in + usage.tokens_out * (server.price_out or 0.0)) / 1e6


def list_models(name: str, server: ChatServer, key: str | None = None) -> list[ModelEntry]:
    """The models that a server offers. Raises ReaderError if it does not say."""
    form = form_of(server)
    http = _http_client(name, server, key, _MAX_LIST_BYTES)
    try:
        response = http.request("GET", form.models_path(server), attempts=min(2, server.attempts))
    except RequestFailed as err:
        raise ReaderError(err.problem, err.fix) from err
    finally:
        http.close()
    if response.status == 404:
        problem = f"{name}: {http.url} has no list of models (HTTP 404) {excerpt(response.content)}".strip()
        raise ReaderError(problem, "check base_url: it often ends in /v1")
    if response.status != 200:
        raise refusal(name, server, response, url=http.url, accepted=False)
    try:
        return form.parse_models(response.content)
    except _UNREADABLE as err:
        problem = f"{name}: {http.url} did not send a list of models {excerpt(response.content)}".strip()
        raise ReaderError(problem, "check base_url and form") from err


def _http_client(
    name: str, server: ChatServer, key: str | None, max_bytes: int, limiter: RateLimiter | None = None
) -> HttpClient:
    form = form_of(server)
    return HttpClient(
        name,
        server.base_url,
        key=key,
        timeout_s=server.timeout_s,
        max_bytes=max_bytes,
        max_wait_s=server.longest_wait_s,
        limiter=limiter,
        key_header=form.key_header,
        headers=form.headers,
        true_status=true_status,
    )
