"""Names that every file system takes, whatever the paper or the reader is called."""

import hashlib
import re
import unicodedata

_LONGEST = 80
_RESERVED = frozenset(["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))])


def slug(name: str) -> str:
    """Letters, digits, dots, dashes and underscores only; never empty, hidden, long or reserved.

    What had to be shortened or had nothing to keep gets a piece of its hash, so that two such names stay two.

    >>> slug("chat:groq"), slug("../../etc/passwd"), slug("CON")
    ('chat-groq', 'etc-passwd', 'CON-a3dbc4b6')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)
    safe = re.sub(r"\.{2,}", ".", safe).strip("-. ")
    if not safe or len(safe) > _LONGEST or safe.split(".")[0].lower() in _RESERVED:
        return with_hash(safe, name)
    return safe


def with_hash(safe: str, name: str) -> str:
    """`safe`, shortened if need be, with the first eight digits of the hash of `name`."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    # the digest goes before the first dot: CON.txt-1234 would still be the device CON
    stem = safe[:_LONGEST].split(".")[0] if safe.split(".")[0].lower() in _RESERVED else safe[:_LONGEST].rstrip("-. ")
    return f"{stem}-{digest}" if stem else digest
