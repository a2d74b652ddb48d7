"""Who may come in. Everything passes here first: the right address, the right origin, the token, no more than so many bytes.

A page on the internet can make a browser send requests to 127.0.0.1. It cannot know the token, cannot make the browser send
our cookie (SameSite=Strict), and cannot hide its own name in Host (DNS rebinding) or Origin.
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
_OPEN = "/static/"  # the same for everybody
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
    """ASGI middleware. `hosts` are the values of Host that are ours, with their port."""

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
            return  # nobody speaks websocket here
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        answer: ASGIApp = refusal if refusal else self._app
        await answer(scope, _capped(receive, self._max_body), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if headers.get("host", "").lower() not in self._hosts:
            return _no(HTTPStatus.BAD_REQUEST, "this address is not ours: open the one that 'methodlens serve' printed")
        if scope["method"] not in _SAFE and not self._same_origin(headers):
            return _no(HTTPStatus.FORBIDDEN, "the request comes from another site")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > self._max_body:
            return _no(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {self._max_body >> 20} MB at once")
        if scope["path"].startswith(_OPEN):
            return None
        if refused_or_welcome := self._welcome(scope):
            return refused_or_welcome
        if not self._known(headers):
            return _no(HTTPStatus.FORBIDDEN, "the token is missing: open the address that 'methodlens serve' printed")
        return None

    def _same_origin(self, headers: Headers) -> bool:
        """A browser says where a POST comes from; a program that says nothing has the token, or gets no further."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if site not in (None, "same-origin", "none"):
            return False
        return origin is None or origin.lower().removeprefix("http://") in self._hosts

    def _welcome(self, scope: Scope) -> Response | None:
        """The printed address: the token becomes a cookie and leaves the address bar."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=None)
        given = [value for key, value in query if key == "token"]
        if scope["method"] != "GET" or not given or not self._is_token(given[0]):
            return None
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # //elsewhere would leave this server
        path = "/" + scope["path"].lstrip("/\\") if scope["path"].isprintable() else "/"
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, HTTPStatus.SEE_OTHER)
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
        return answer

    def _known(self, headers: Headers) -> bool:
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


def _no(status: HTTPStatus, why: str) -> JSONResponse:
    return JSONResponse({"detail": why}, status)


def _capped(receive: Receive, most: int) -> Receive:
    """A body that claims no length is counted as it comes; too much of it looks like a peer that hung up."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return message if seen <= most else {"type": "http.disconnect"}

    return counted


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending
