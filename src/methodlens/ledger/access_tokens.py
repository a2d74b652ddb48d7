"""Personal access tokens. A token is shown once; the ledger keeps a salted hash of it, from which it cannot be found."""

import hashlib
import hmac
import secrets

from msgspec import Struct

_PREFIX = "ml"
_ID_BYTES, _SECRET_BYTES, _SALT_BYTES = 8, 24, 16
_MAX_LENGTH = 200


class TokenHash(Struct, frozen=True):
    """`id` is the part of a token that is not secret: it finds the member whose hash to compare."""

    id: str
    salt: str
    digest: str


def new_token() -> tuple[str, TokenHash]:
    """
    >>> token, stored = new_token()
    >>> is_token(token, stored), is_token(token[:-1], stored)
    (True, False)
    """
    public, secret, salt = (secrets.token_hex(size) for size in (_ID_BYTES, _SECRET_BYTES, _SALT_BYTES))
    return f"{_PREFIX}_{public}_{secret}", TokenHash(public, salt, _digest(secret, salt))


def token_id(token: str) -> str:
    """The part that is not secret; empty for text that cannot be a token."""
    prefix, public, secret = _parts(token)
    plausible = len(token) <= _MAX_LENGTH and token.isascii() and token.isprintable()
    return public if prefix == _PREFIX and secret and plausible else ""


def is_token(token: str, stored: TokenHash) -> bool:
    """Takes about 50 ms of CPU, on purpose."""
    if token_id(token) != stored.id:
        return False
    *_, secret = _parts(token)
    return hmac.compare_digest(_digest(secret, stored.salt), stored.digest)


def _parts(token: str) -> tuple[str, str, str]:
    prefix, _, rest = token.partition("_")
    public, _, secret = rest.partition("_")
    return prefix, public, secret


def _digest(secret: str, salt: str) -> str:
    return hashlib.scrypt(secret.encode(), salt=bytes.fromhex(salt), n=2**14, r=8, p=1, dklen=32).hex()
