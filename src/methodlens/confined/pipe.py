"""Messages over a pipe: four bytes of length, then the message. Nothing is ever unpickled."""

import os
import select
import threading
import time
from collections.abc import Callable

HEADER = 4
LIMIT = 64 << 20
"""The largest message in bytes, so that a faulty child cannot fill its parent's memory.

Two thousand dense pages need less. Decoded, a message takes six times its size.
"""


class PipeTimeout(Exception):
    pass


class PipeTooBig(Exception):
    pass


def send(fd: int, message: bytes) -> None:
    view = memoryview(len(message).to_bytes(HEADER, "big") + message)
    while view:
        view = view[os.write(fd, view) :]


def receive(fd: int, *, deadline: float | None = None, limit: int = LIMIT) -> bytes | None:
    """The next message, or None if the other side has closed the pipe. `deadline` is on the monotonic clock."""
    header = _read_exactly(fd, HEADER, deadline)
    if header is None:
        return None
    size = int.from_bytes(header, "big")
    if size > limit:
        raise PipeTooBig(f"a message of {size} bytes")
    return _read_exactly(fd, size, deadline)


def _read_exactly(fd: int, size: int, deadline: float | None) -> bytes | None:
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


def serve(answer: Callable[[bytes], bytes]) -> None:
    """The main loop of a child: answers each message on stdin until its parent exits."""
    replies = os.dup(1)
    os.dup2(2, 1)  # libraries may print to stdout, so replies get a separate descriptor
    _exit_with_parent()
    while (message := receive(0)) is not None:
        send(replies, answer(message))


def _exit_with_parent() -> None:
    """Exits in the middle of a request too: a parent that was killed cannot stop its children."""
    if not hasattr(select, "poll"):  # on Windows it exits after the request
        return

    def wait() -> None:
        stdin = select.poll()
        stdin.register(0, 0)  # a hang-up is reported without being asked for
        stdin.poll()
        os._exit(0)

    threading.Thread(target=wait, name="parent", daemon=True).start()
