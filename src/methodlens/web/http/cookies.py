"""What a request says about who sends it: a cookie or a bearer token."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie


def cookie_value(headers: Mapping[str, str], name: str) -> str:
    """Empty without that cookie, or if the cookies cannot be read."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def bearer_token(headers: Mapping[str, str]) -> str:
    """
    >>> bearer_token({"authorization": "Bearer abc"}), bearer_token({})
    ('abc', '')
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
