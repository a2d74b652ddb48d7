"""Access to a team's room: members sign in, and their role decides what they may do."""

from http import HTTPStatus
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from methodlens.ledger.team_members import Member, Role
from methodlens.web.expected_errors import EXPECTED_ERRORS, error_message
from methodlens.web.http.cookies import bearer_token, cookie_value
from methodlens.web.http.refusals import refuse
from methodlens.web.review.reviewer import Reviewer
from methodlens.web.team.authentication import Authentication, TooManyAttempts, WrongToken
from methodlens.web.team.permissions import needed_role

SIGN_IN = "/sign-in"


class TeamAccess:
    """`blind`: hide verdicts from everybody but adjudicators. `behind_proxy`: the proxy names the address of the client."""

    base = ""

    def __init__(self, authentication: Authentication, *, cookie: str, blind: bool, behind_proxy: bool) -> None:
        self._authentication = authentication
        self._cookie = cookie
        self._blind = blind
        self._behind_proxy = behind_proxy

    async def refusal(self, scope: Scope, headers: Headers, *, below_base: bool) -> Response | None:
        scope.setdefault("state", {})["client"] = client = self._client(scope, headers)
        if scope["path"] == SIGN_IN:
            return None
        try:
            member = await run_in_threadpool(self._member, scope, headers, client)
        except TooManyAttempts as err:
            return refuse(HTTPStatus.TOO_MANY_REQUESTS, str(err), headers)
        except EXPECTED_ERRORS as err:
            return refuse(HTTPStatus.CONFLICT, error_message(err), headers)
        if member is None:
            return _ask_to_sign_in(scope, headers)
        reviewer = Reviewer(member.name, member.blind or (self._blind and member.role is not Role.ADJUDICATOR), member.role)
        needed = needed_role(scope["method"], scope["path"])
        if not reviewer.role.includes(needed):
            reason = f"this needs the role {needed}, and yours is {reviewer.role}: ask the person who runs the room"
            return refuse(HTTPStatus.FORBIDDEN, reason, headers, home="/")
        scope["state"]["reviewer"] = reviewer
        return None

    def _member(self, scope: Scope, headers: Headers, client: str) -> Member | None:
        if token := bearer_token(headers):
            try:
                return self._authentication.with_token(token, client=client)
            except WrongToken:
                return None
        return self._authentication.with_session(cookie_value(headers, session_cookie(self._cookie, scope["scheme"])))

    def _client(self, scope: Scope, headers: Headers) -> str:
        """Behind a proxy, the last address of the last X-Forwarded-For is the one that the proxy saw; others can be made up."""
        named = headers.getlist("x-forwarded-for") if self._behind_proxy else []
        forwarded = named[-1].rpartition(",")[2].strip() if named else ""
        return forwarded[:50] or (scope["client"] or ("unknown",))[0]


def session_cookie(name: str, scheme: str) -> str:
    """With TLS, the prefix makes browsers refuse a cookie of this name that another host or an unencrypted page has set.

    >>> session_cookie("methodlens", "https")
    '__Host-methodlens'
    """
    return f"__Host-{name}" if scheme == "https" else name


def _ask_to_sign_in(scope: Scope, headers: Headers) -> Response:
    if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
        query = scope["query_string"].decode("latin-1")
        page = quote(scope["path"], errors="replace") + (f"?{query}" if query else "")
        return RedirectResponse(f"{SIGN_IN}?{urlencode({'page': page})}" if page != "/" else SIGN_IN, HTTPStatus.SEE_OTHER)
    response = refuse(HTTPStatus.UNAUTHORIZED, "you are not signed in: open /sign-in, or send your token", headers)
    response.headers["www-authenticate"] = "Bearer"
    return response
