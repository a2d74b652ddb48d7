"""Records as JSON with a checksum: plain SQL can read them, and a flipped bit is detected."""

import hashlib
import re
import zlib
from typing import Any, TypeVar

import msgspec

from methodlens.errors import LedgerDamaged

T = TypeVar("T")


_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def build_decoders(*types: Any) -> None:
    """To be called on import: msgspec crashes if two threads decode a Struct type for the first time at once."""
    for struct in types:
        msgspec.json.Decoder(struct)


def pack(value: object) -> str:
    """As JSON. A NUL character, which PostgreSQL's jsonb refuses, becomes U+FFFD.

    >>> pack(["a\\0\\0b", "c\\\\u0000"])
    '["a\\\\ufffd\\\\ufffdb","c\\\\\\\\u0000"]'
    """
    body = msgspec.json.encode(value).decode()
    return _NUL.sub(r"\1\\ufffd", body) if "\\u0000" in body else body


def unpack(body: str, type: type[T], *, key: str, expected: str, what: str) -> T:
    """The value; raises LedgerDamaged if a single bit has changed."""
    verify(key, body, expected=expected, what=what)
    return msgspec.json.decode(body, type=type)


def compress(value: object) -> bytes:
    """For what nobody queries: the text of a paper with its boxes, and the spans of passages."""
    return zlib.compress(msgspec.json.encode(value), 6)


def decompress(body: bytes, type: type[T]) -> T:
    return msgspec.json.decode(zlib.decompress(body), type=type)


def checksum(key: str, *parts: str | bytes) -> str:
    """Includes the key, so that a body under the wrong key is detected."""
    digest = hashlib.sha256(key.encode())
    for part in parts:
        digest.update(b"\0")
        digest.update(part.encode() if isinstance(part, str) else part)
    return digest.hexdigest()


def verify(key: str, *parts: str | bytes, expected: str, what: str) -> None:
    if checksum(key, *parts) != expected:
        raise LedgerDamaged(f"{what} in the ledger is damaged (its checksum does not match)", "rerun to rebuild it")
