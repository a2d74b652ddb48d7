"""Access control. Every request is checked for its host, its origin, the token and its size.

Any website can make a browser send requests to 127.0.0.1. It does not know the token, cannot make the browser send our cookie
(SameSite=Strict), and cannot fake the Host (DNS rebinding) and Origin headers.
"""

import hmac
from collections.abc import Iterable
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_PUBLIC = "/static/"
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


class Guard:
    """ASGI middleware. `hosts` are the allowed values of the Host header, with port."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str], cookie: str, max_body: int) -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset(host.lower() for host in hosts)
        self._cookie = cookie
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # no websockets
        headers = Headers(scope=scope)
        respond: ASGIApp = self._refusal(scope, headers) or self._app
        await respond(scope, _limited(receive, self._max_body), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if headers.get("host", "").lower() not in self._hosts:
            return _refuse(HTTPStatus.BAD_REQUEST, "unknown host: open the address that 'methodlens serve' printed")
        if scope["method"] not in _SAFE and not self._same_origin(headers):
            return _refuse(HTTPStatus.FORBIDDEN, "the request comes from another site")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > self._max_body:
            return _refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is larger than {self._max_body >> 20} MB")
        if scope["path"].startswith(_PUBLIC):
            return None
        if redirect := self._log_in(scope):
            return redirect
        if not self._has_token(headers):
            return _refuse(HTTPStatus.FORBIDDEN, "the token is missing: open the address that 'methodlens serve' printed")
        return None

    def _same_origin(self, headers: Headers) -> bool:
        """Browsers send the origin of a POST request. Programs that send none need the token in any case."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if site not in (None, "same-origin", "none"):
            return False
        return origin is None or origin.lower().removeprefix("http://") in self._hosts

    def _log_in(self, scope: Scope) -> Response | None:
        """For the printed address: moves the token from the address bar to a cookie."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=None)
        given = [value for key, value in query if key == "token"]
        if scope["method"] != "GET" or not given or not self._is_token(given[0]):
            return None
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # a path of //other.host would redirect to another server
        path = "/" + scope["path"].lstrip("/\\") if scope["path"].isprintable() else "/"
        response = RedirectResponse(f"{path}?{rest}" if rest else path, HTTPStatus.SEE_OTHER)
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
        return response

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(bearer.strip()):
            return True
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return morsel is not None and self._is_token(morsel.value)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._token.encode())


def _refuse(status: HTTPStatus, reason: str) -> JSONResponse:
    return JSONResponse({"detail": reason}, status)


def _limited(receive: Receive, max_bytes: int) -> Receive:
    """Counts a body without a Content-Length as it arrives; beyond the limit, the application sees a disconnect."""
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        return message if received <= max_bytes else {"type": "http.disconnect"}

    return limited


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return send_with_headers
