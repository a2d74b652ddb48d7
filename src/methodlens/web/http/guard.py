"""Access control. Every request is checked for its host, its origin, the token and its size.

Any website can make a browser send requests to 127.0.0.1. It does not know the token, cannot make the browser send our cookie
(SameSite=Strict), and cannot fake the Host (DNS rebinding) and Origin headers. Browsers do send cookies of 127.0.0.1 to servers
on its other ports, but only for the cookie's path. So the room is served below a path that nobody can guess.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Iterable
from html import escape
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
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


def base_path(token: str) -> str:
    """The path that the room is served below.

    >>> len(base_path("token"))
    25
    """
    return "/" + hashlib.sha256(f"path {token}".encode()).hexdigest()[:24]


class Guard:
    """ASGI middleware. `origins` are the allowed addresses of the room, such as http://127.0.0.1:8000.

    The application sees paths without the base path. Programs that send the token as a bearer token may leave it out.
    """

    def __init__(self, app: ASGIApp, *, token: str, origins: Iterable[str], cookie: str, max_upload: int) -> None:
        self._app = app
        self._token = token
        self._base = base_path(token)
        self._origins = frozenset(origin.lower() for origin in origins)
        self._hosts = frozenset(origin.partition("://")[2] for origin in self._origins)
        self._cookie = cookie
        self._max_upload = max_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # no websockets
        headers = Headers(scope=scope)
        path: str = scope["path"]
        below_base = path == self._base or path.startswith(f"{self._base}/")
        if below_base:
            path = path.removeprefix(self._base) or "/"
            scope = {**scope, "path": path, "raw_path": path.encode("utf-8", "surrogateescape")}
        max_body = self._max_upload if path == _UPLOADS else _MAX_BODY
        respond: ASGIApp = self._refusal(scope, headers, below_base=below_base, max_body=max_body) or self._app
        await respond(scope, _limited(receive, max_body), _with_headers(send, self._base if below_base else ""))

    def _refusal(self, scope: Scope, headers: Headers, *, below_base: bool, max_body: int) -> Response | None:
        if headers.get("host", "").lower() not in self._hosts:
            return _refuse(HTTPStatus.BAD_REQUEST, "unknown host: open the address that 'methodlens serve' printed", headers)
        if scope["method"] not in _SAFE and not self._same_origin(headers):
            return _refuse(HTTPStatus.FORBIDDEN, "the request comes from another site", headers)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > max_body:
            return _refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is larger than {max_body >> 20} MB", headers)
        if scope["path"].startswith(_PUBLIC):
            return None
        if redirect := self._log_in(scope, secure=f"https://{headers['host']}".lower() in self._origins):
            return redirect
        if self._has_bearer(headers) or (below_base and self._has_cookie(headers)):
            return None
        return _refuse(HTTPStatus.FORBIDDEN, "the token is missing: open the address that 'methodlens serve' printed", headers)

    def _same_origin(self, headers: Headers) -> bool:
        """Browsers send the origin of a POST request. Programs that send none need the token in any case."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if site not in (None, "same-origin", "none"):
            return False
        return origin is None or origin.lower() in self._origins

    def _log_in(self, scope: Scope, *, secure: bool) -> Response | None:
        """For the printed address: moves the token from the address bar to a cookie of the base path."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=None)
        given = [value for key, value in query if key == "token"]
        if scope["method"] != "GET" or not given or not self._is_token(given[0]):
            return None
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # a path of //other.host would redirect to another server
        path = "/" + scope["path"].lstrip("/\\") if scope["path"].isprintable() else "/"
        path = self._base + path
        response = RedirectResponse(f"{path}?{rest}" if rest else path, HTTPStatus.SEE_OTHER)
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path=self._base, secure=secure)
        return response

    def _has_bearer(self, headers: Headers) -> bool:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._is_token(bearer.strip())

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return morsel is not None and self._is_token(morsel.value)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._token.encode())


_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<title>methodlens</title><link rel="stylesheet" href="/static/shared.css"><link rel="stylesheet" href="/static/room.css">'
    "<main><h1>This page cannot be shown</h1><p>{reason}</p></main></html>"
)


def _refuse(status: HTTPStatus, reason: str, headers: Headers) -> Response:
    """As a page for browsers, as JSON for programs."""
    if "text/html" in headers.get("accept", ""):
        return HTMLResponse(_PAGE.format(reason=escape(f"{reason[0].upper()}{reason[1:]}.")), status)
    return JSONResponse({"detail": reason}, status)


def _limited(receive: Receive, max_bytes: int) -> Receive:
    """Counts a body without a Content-Length as it arrives. A body that is too long, or of which nothing arrives for a while,
    looks like a disconnect to the application."""
    received, complete = 0, False

    async def limited() -> Message:
        nonlocal received, complete
        try:
            # after the body only a disconnect can follow, which may take as long as the response
            message = await asyncio.wait_for(receive(), None if complete else _MAX_SILENCE_S)
        except TimeoutError:
            return {"type": "http.disconnect"}
        received += len(message.get("body", b""))
        complete = not message.get("more_body", False)
        return message if received <= max_bytes else {"type": "http.disconnect"}

    return limited


def _with_headers(send: Send, base: str) -> Send:
    """Adds the headers of every response, and `base` to redirects."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
            location = headers.get("location", "")
            if base and location.startswith("/") and not location.startswith(base):
                headers["location"] = base + location
        await send(message)

    return send_with_headers
