"""Access to one person's room: by the token in the address that 'methodlens serve' printed.

Browsers send cookies of 127.0.0.1 to servers on its other ports too, but only for the cookie's path. So the room is served below
a path that nobody can guess.
"""

import hashlib
import hmac
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from methodlens.web.http.cookies import bearer_token, cookie_value
from methodlens.web.http.refusals import refuse


def base_path(token: str) -> str:
    """The path that the room is served below.

    >>> len(base_path("token"))
    25
    """
    return "/" + hashlib.sha256(f"path {token}".encode()).hexdigest()[:24]


class TokenAccess:
    """Programs that send the token as a bearer token may leave the base path out."""

    def __init__(self, token: str, *, cookie: str) -> None:
        self._token = token
        self._cookie = cookie
        self.base = base_path(token)

    async def refusal(self, scope: Scope, headers: Headers, *, below_base: bool) -> Response | None:
        if redirect := self._log_in(scope):
            return redirect
        if self._is_token(bearer_token(headers)) or (below_base and self._is_token(cookie_value(headers, self._cookie))):
            return None
        return refuse(HTTPStatus.FORBIDDEN, "the token is missing: open the address that 'methodlens serve' printed", headers)

    def _log_in(self, scope: Scope) -> Response | None:
        """For the printed address: moves the token from the address bar to a cookie of the base path."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=None)
        given = [value for key, value in query if key == "token"]
        if scope["method"] != "GET" or not given or not self._is_token(given[0]):
            return None
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # a path of //other.host would redirect to another server
        path = "/" + scope["path"].lstrip("/\\") if scope["path"].isprintable() else "/"
        path = self.base + path
        response = RedirectResponse(f"{path}?{rest}" if rest else path, HTTPStatus.SEE_OTHER)
        secure = scope["scheme"] == "https"
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path=self.base, secure=secure)
        return response

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._token.encode())
