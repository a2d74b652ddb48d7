"""Passwords and tokens in the URLs of papers: used to fetch them, but never stored, printed or exported."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

_HIDDEN = "***"
_CHAIN = "::"  # fsspec: zip://paper.pdf::https://host/papers.zip
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,40}:/{1,2})(?P<rest>.*)", re.DOTALL)
_PORT = re.compile(r"(?:[^:]*|\[[^\]]*\])(?::[0-9]*)?")
_SECRET_NAME = re.compile(r"key|token|secret|sig|pass|pwd|credential|auth|code", re.IGNORECASE)
_PARAMETER = re.compile(r"(?P<name>[?&;][^=&;?#]{1,200}=)(?P<value>[^&;#]+)")
_SHORTEST = 2
"""Shorter parts of a password say nothing, and occur in every message."""


def redact_url(url: str) -> str:
    """The URL without its password, and without parameters that are named like a secret.

    >>> redact_url("https://ann:p@ss@example.org/papers?token=123&page=2")
    'https://ann@example.org/papers?token=***&page=2'
    """
    return _CHAIN.join(_redact_part(part) for part in url.split(_CHAIN))


def redact_message(message: str, url: str) -> str:
    """A library's message about the URL, unless it repeats any part of a secret in it."""
    if any(secret in message or secret in unquote(message) for secret in _secrets(url)):
        return "its message contained the password"
    return message


def _redact_part(url: str) -> str:
    match = _URL.fullmatch(url)
    if not match:
        return url
    user_and_password, address = _split(match["rest"])
    user = user_and_password.partition(":")[0]
    if user and ":" not in user_and_password and match["scheme"].lower().startswith("http"):
        user = _HIDDEN  # a token; elsewhere it is a name, such as the container of abfs://papers@account
    shown = f"{user}@" if user_and_password else ""
    return match["scheme"] + shown + _PARAMETER.sub(_hide_value, address)


def _split(rest: str) -> tuple[str, str]:
    """What stands before the host, and the rest. An @ in a password should be %40, and a / in it %2F, but may not be."""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        end = authority.rindex("@")
    elif "@" in rest and not _PORT.fullmatch(authority):  # 'ann:pa' of ann:pa/ss@host is no host and port
        end = rest.rindex("@")
    else:
        return "", rest
    return rest[:end], rest[end + 1 :]


def _hide_value(match: re.Match[str]) -> str:
    return match["name"] + (_HIDDEN if _SECRET_NAME.search(match["name"]) else match["value"])


def _secrets(url: str) -> Iterator[str]:
    for part in url.split(_CHAIN):
        match = _URL.fullmatch(part)
        if not match:
            continue
        user_and_password, address = _split(match["rest"])
        user, colon, password = user_and_password.partition(":")
        hidden = re.split(r"[@/?#:]", password if colon else user)
        hidden += [found["value"] for found in _PARAMETER.finditer(address) if _SECRET_NAME.search(found["name"])]
        for secret in hidden:
            yield from (text for text in (secret, unquote(secret)) if len(text) >= _SHORTEST)
