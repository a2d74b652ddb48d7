"""Responses to requests that the room refuses."""

from collections.abc import Mapping
from html import escape
from http import HTTPStatus

from starlette.responses import HTMLResponse, JSONResponse, Response

_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<title>methodlens</title><link rel="icon" href="/static/icon.svg" type="image/svg+xml">'
    '<link rel="stylesheet" href="/static/shared.css"><link rel="stylesheet" href="/static/room.css">'
    "<main><h1>This page cannot be shown</h1><p>{reason}</p>{link}</main></html>"
)
_LINK = '<p><a class="button" href="{home}">Back to the matrix</a></p>'


def refuse(status: HTTPStatus, reason: str, headers: Mapping[str, str], *, home: str = "") -> Response:
    """As a page for browsers, with a link to `home` if there is one; as JSON for programs."""
    if "text/html" in headers.get("accept", ""):
        link = _LINK.format(home=escape(home)) if home else ""
        return HTMLResponse(_PAGE.format(reason=escape(sentence(reason)), link=link), status)
    return JSONResponse({"detail": reason}, status)


def sentence(reason: str) -> str:
    """
    >>> sentence("the token is missing: open the address again")
    'The token is missing: open the address again.'
    """
    return f"{reason[:1].upper()}{reason[1:]}."
