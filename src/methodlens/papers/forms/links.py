"""How a link is written in the text: with its address, unless that is what is printed."""

import re

_SCHEME = re.compile(r"^(?:https?|ftp)://(?:www\.)?", re.IGNORECASE)
_DOI = re.compile(r"^https?://(?:dx\.)?doi\.org/", re.IGNORECASE)


def with_address(text: str, address: str) -> str:
    """
    >>> with_address("our repository", "https://example.org/frogs")
    'our repository (https://example.org/frogs)'
    >>> with_address("example.org/frogs", "https://example.org/frogs/")
    'example.org/frogs'
    """
    text, address = " ".join(text.split()), address.strip()
    if not _SCHEME.match(address) or len(address) > 2000 or any(char.isspace() for char in address):
        return text
    if not text:
        return address
    bare = _SCHEME.sub("", address).rstrip("/").lower()
    printed = text.replace(" ", "").lower()
    if bare in printed or _DOI.sub("", address).lower() in printed:
        return text
    return f"{text} ({address})"
