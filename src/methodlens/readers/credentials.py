"""A server's key: from the environment, or from the system's keyring. Never from a file of ours, never shown."""

import re
from collections.abc import Mapping

from methodlens.errors import ReaderError

SERVICE = "methodlens"


def key_for(reader: str, variable: str, environ: Mapping[str, str]) -> str | None:
    """None where the reader needs none. Raises ReaderError where it needs one that is not there."""
    if not variable:
        return None
    key = environ.get(variable, "").strip() or _from_keyring(variable)
    if not key:
        raise ReaderError(
            f"{reader} needs a key, and {variable} is not set",
            f"export {variable}=... (or, with the extra 'keyring': keyring set {SERVICE} {variable})",
        )
    if not re.fullmatch(r"[!-~]+", key):
        # an HTTP library would show the offending header, key and all
        raise ReaderError(f"the key in {variable} has blanks or odd characters", "set it again, without quotes")
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
