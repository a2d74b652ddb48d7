"""API keys, from the environment or the system keyring. They are never written to a file or shown."""

import base64
import re
from collections.abc import Mapping
from functools import lru_cache

from methodlens.errors import MethodlensError

SERVICE = "methodlens"
_SHORTEST_FORM = 8  # characters of Base64: fewer may be anything


def find_key(owner: str, variable: str, environ: Mapping[str, str], *, error: type[MethodlensError]) -> str | None:
    """None if `variable` is empty: no key is needed. Raises `error` if the key is not set; `owner` starts the message."""
    if not variable:
        return None
    key = environ.get(variable, "").strip() or _from_keyring(variable)
    if not key:
        fix = f"export {variable}=... (or, with the extra 'keyring': keyring set {SERVICE} {variable})"
        raise error(f"{owner} needs a key, and {variable} is not set", fix)
    if not re.fullmatch(r"[!-~]+", key):
        # httpx would print the invalid header, key included
        raise error(f"the key in {variable} has spaces or special characters", "set it again, without quotes")
    return key


def _from_keyring(variable: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return ""
    try:
        return (keyring.get_password(SERVICE, variable) or "").strip()
    except KeyringError:
        return ""


@lru_cache(maxsize=8)
def forms_of(key: str) -> re.Pattern[bytes]:
    """The key as a server may send it back: plain, with JSON escapes, percent-encoded, in hexadecimal or in Base64.

    >>> forms_of("sk-1").sub(b"***", rb"sk-1 \\u0073k-1 %73k%2d1 736b2d31")
    b'*** *** *** ***'
    """
    escaped = "".join(rf"(?:{re.escape(char)}|\\u00{ord(char):02x}|%{ord(char):02x}|\\{re.escape(char)})" for char in key)
    # in Base64 a key looks different at each of three positions; what depends on its neighbours is left out
    shifted = [base64.b64encode(b"\0" * shift + key.encode()).decode().rstrip("=") for shift in range(3)]
    encoded = [re.escape(text[-(-8 * shift // 6) : len(text) - (len(text) * 6 % 8 > 0)]) for shift, text in enumerate(shifted)]
    forms = [rf"(?i:{escaped})", rf"(?i:{key.encode().hex()})", *(form for form in encoded if len(form) > _SHORTEST_FORM)]
    return re.compile("|".join(forms).encode())
