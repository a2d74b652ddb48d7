"""The address that people open, where a proxy serves the room."""

from urllib.parse import urlsplit

from methodlens.errors import InputError

_PORTS = {"http": 80, "https": 443}
"""The ones that browsers leave out."""


def public_origin(url: str) -> str:
    """The scheme, host and port of the address that a proxy serves the room at, as browsers write it in the Origin header.

    >>> public_origin("https://Review.example.org:443/"), public_origin("https://[2001:DB8::1]:8443")
    ('https://review.example.org', 'https://[2001:db8::1]:8443')
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    origin = f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _PORTS.get(parts.scheme)) else "")
    rest = (parts.path.strip("/"), parts.query, parts.fragment, parts.username, parts.password)
    if parts.scheme not in _PORTS or not host or any(rest):
        raise InputError(
            f"--public-url {url!r} is not the address of a server", "give a scheme and a host: https://review.example.org"
        )
    return origin
