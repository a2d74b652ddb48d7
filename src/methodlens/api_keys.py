"""API keys, from the environment or the system keyring. They are never written to a file or shown."""

import re
from collections.abc import Mapping

from methodlens.errors import MethodlensError

SERVICE = "methodlens"


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
