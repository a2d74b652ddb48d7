"""Checks on every request: its host, its origin, its size, and whether whoever sends it may enter.

Any website can make a browser send requests to 127.0.0.1. It cannot fake the Host (DNS rebinding) and Origin headers, and does
not have the token or cookie that `Access` asks for.
"""

import asyncio
from collections.abc import Iterable
from http import HTTPStatus
from typing import Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from methodlens.web.http.refusals import refuse
from methodlens.web.team.permissions import SAFE_METHODS

_PUBLIC = "/static/"
_UPLOADS = "/api/papers"
_MAX_BODY = 1 << 20  # of any other request
_MAX_SILENCE_S = 30.0  # between two parts of a body
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Access(Protocol):
    """Who may enter: `TokenAccess` for one person's room, `TeamAccess` for a team's."""

    base: str
    """The path that the room is served below."""

    async def refusal(self, scope: Scope, headers: Headers, *, below_base: bool) -> Response | None:
        """The response to a request that may not enter; None to let it in. May add the reviewer to the state of the scope."""


class Guard:
    """ASGI middleware. `origins` are the allowed addresses of the room, such as http://127.0.0.1:8000.

    The application sees paths without the base path, and the scheme that the browser sees.
    """

    def __init__(self, app: ASGIApp, *, access: Access, origins: Iterable[str], max_upload: int) -> None:
        self._app = app
        self._access = access
        self._origins = frozenset(origin.lower() for origin in origins)
        self._hosts = frozenset(origin.partition("://")[2] for origin in self._origins)
        self._max_upload = max_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # no websockets
        headers = Headers(scope=scope)
        path: str = scope["path"]
        base = self._access.base
        below_base = path == base or path.startswith(f"{base}/")
        if below_base:
            path = path.removeprefix(base) or "/"
        secure = f"https://{headers.get('host', '')}".lower() in self._origins  # a proxy terminates TLS
        raw_path = path.encode("utf-8", "surrogateescape")
        scope = {**scope, "path": path, "raw_path": raw_path, "scheme": "https" if secure else "http"}
        max_body = self._max_upload if path == _UPLOADS else _MAX_BODY
        refusal = self._unacceptable(scope, headers, max_body=max_body)
        if refusal is None and not path.startswith(_PUBLIC):
            refusal = await self._access.refusal(scope, headers, below_base=below_base)
        respond: ASGIApp = refusal or self._app
        body = _LimitedBody(receive, max_body)
        await respond(scope, body.receive, _with_headers(send, base if below_base else "", body))

    def _unacceptable(self, scope: Scope, headers: Headers, *, max_body: int) -> Response | None:
        """The response to a request that nobody may send."""
        if headers.get("host", "").lower() not in self._hosts:
            return refuse(HTTPStatus.BAD_REQUEST, "unknown host: open the address that 'methodlens serve' printed", headers)
        if scope["method"] not in SAFE_METHODS and not self._same_origin(headers):
            return refuse(HTTPStatus.FORBIDDEN, "the request comes from another site", headers)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > max_body:
            return refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is larger than {max_body >> 20} MB", headers)
        return None

    def _same_origin(self, headers: Headers) -> bool:
        """Browsers send the origin of a POST request. Programs that send none need the token in any case."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if site not in (None, "same-origin", "none"):
            return False
        return origin is None or origin.lower() in self._origins


class _LimitedBody:
    """Counts a body without a Content-Length as it arrives. A body that is too long, or of which nothing arrives for a while,
    looks like a disconnect to the application."""

    def __init__(self, receive: Receive, max_bytes: int) -> None:
        self._receive = receive
        self._bytes_left = max_bytes
        self._complete = False
        self.cut_off = False

    async def receive(self) -> Message:
        try:
            # after the body only a disconnect can follow, which may take as long as the response
            message = await asyncio.wait_for(self._receive(), None if self._complete else _MAX_SILENCE_S)
        except TimeoutError:
            self.cut_off = True
            return {"type": "http.disconnect"}
        self._bytes_left -= len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        self.cut_off |= self._bytes_left < 0
        return {"type": "http.disconnect"} if self.cut_off else message


def _with_headers(send: Send, base: str, body: _LimitedBody) -> Send:
    """Adds the headers of every response, and `base` to redirects. The connection of a request that was cut off is closed."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
            if body.cut_off:
                headers["connection"] = "close"
            location = headers.get("location", "")
            if base and location.startswith("/") and not location.startswith(base):
                headers["location"] = base + location
        await send(message)

    return send_with_headers
