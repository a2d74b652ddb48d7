"""API keys, from the environment or the system keyring. They are never written to a file or shown."""

import re
from collections.abc import Mapping

from methodlens.errors import ReaderError

SERVICE = "methodlens"


def find_key(reader: str, variable: str, environ: Mapping[str, str]) -> str | None:
    """None if the reader needs no key. Raises ReaderError if its key is not set."""
    if not variable:
        return None
    key = environ.get(variable, "").strip() or _from_keyring(variable)
    if not key:
        raise ReaderError(
            f"{reader} needs a key, and {variable} is not set",
            f"export {variable}=... (or, with the extra 'keyring': keyring set {SERVICE} {variable})",
        )
    if not re.fullmatch(r"[!-~]+", key):
        # httpx would print the invalid header, key included
        raise ReaderError(f"the key in {variable} has spaces or special characters", "set it again, without quotes")
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
