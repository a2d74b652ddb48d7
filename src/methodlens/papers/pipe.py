"""Messages over a pipe: four bytes of length, then that many bytes. Nothing is ever unpickled."""

import os
import select
import time

HEADER = 4
LIMIT = 64 << 20
"""No message is larger: a child gone wild cannot fill its parent's memory. Two thousand dense pages need less; decoded, a
message takes six times its size."""


class PipeTimeout(Exception):
    pass


class PipeTooBig(Exception):
    pass


def send(fd: int, message: bytes) -> None:
    view = memoryview(len(message).to_bytes(HEADER, "big") + message)
    while view:
        view = view[os.write(fd, view) :]


def receive(fd: int, *, deadline: float | None = None, limit: int = LIMIT) -> bytes | None:
    """The next message, or None when the other side is gone. `deadline` is on the monotonic clock."""
    header = _exactly(fd, HEADER, deadline)
    if header is None:
        return None
    size = int.from_bytes(header, "big")
    if size > limit:
        raise PipeTooBig(f"a message of {size} bytes")
    return _exactly(fd, size, deadline)


def _exactly(fd: int, size: int, deadline: float | None) -> bytes | None:
    parts: list[bytes] = []
    left = size
    while left:
        if deadline is not None:
            wait = deadline - time.monotonic()
            if wait <= 0 or not select.select([fd], [], [], wait)[0]:
                raise PipeTimeout
        part = os.read(fd, min(left, 1 << 20))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
