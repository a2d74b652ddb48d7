"""Sign-in and sign-out of a team's members. The pages work without scripts."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from methodlens.web.expected_errors import EXPECTED_ERRORS, error_message
from methodlens.web.http.app_state import State
from methodlens.web.http.cookies import cookie_value
from methodlens.web.http.html_pages import render
from methodlens.web.http.refusals import sentence
from methodlens.web.http.team_access import SIGN_IN, session_cookie
from methodlens.web.team.authentication import SESSION, TooManyAttempts, WrongToken

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
_MAX_PAGE = 2000
_STATUSES = {TooManyAttempts: HTTPStatus.TOO_MANY_REQUESTS, WrongToken: HTTPStatus.UNAUTHORIZED}


@router.get(SIGN_IN)
def show_sign_in(page: Annotated[str, Query(max_length=_MAX_PAGE)] = "/") -> Response:
    """`page` is where the member wanted to go."""
    return HTMLResponse(render("sign_in.html", page=_local(page), problem=""))


@router.post(SIGN_IN)
def sign_in(
    request: Request,
    state: State,
    token: Annotated[str, Form(max_length=1000)] = "",
    page: Annotated[str, Form(max_length=_MAX_PAGE)] = "/",
) -> Response:
    name, secure = _cookie(request, state), request.url.scheme == "https"
    previous = cookie_value(request.headers, name)
    try:
        session = state.authentication.sign_in(token, client=request.state.client, previous=previous)
    except EXPECTED_ERRORS as err:
        status = next((status for kind, status in _STATUSES.items() if isinstance(err, kind)), HTTPStatus.CONFLICT)
        return HTMLResponse(render("sign_in.html", page=_local(page), problem=sentence(error_message(err))), status)
    response = RedirectResponse(_local(page), HTTPStatus.SEE_OTHER)
    # lax, so that a link to a cell in a message opens it
    response.set_cookie(name, session, int(SESSION.total_seconds()), httponly=True, samesite="lax", secure=secure)
    return response


@router.post("/sign-out")
def sign_out(request: Request, state: State) -> Response:
    name = _cookie(request, state)
    state.authentication.sign_out(cookie_value(request.headers, name))
    response = RedirectResponse(SIGN_IN, HTTPStatus.SEE_OTHER)
    response.delete_cookie(name, httponly=True, samesite="lax", secure=request.url.scheme == "https")
    return response


def _cookie(request: Request, state: State) -> str:
    return session_cookie(state.options.cookie, request.url.scheme)


def _local(page: str) -> str:
    """A path of this room; '/' for anything that could lead to another server.

    >>> _local("/cells/ab/CQ1?queue=all"), _local("//other.example"), _local("https://other.example")
    ('/cells/ab/CQ1?queue=all', '/', '/')
    """
    safe = page.isascii() and page.isprintable() and page.startswith("/") and not page.startswith(("//", "/\\"))
    return page if safe else "/"
