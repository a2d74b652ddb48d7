"""Messages over a pipe: four bytes of length, then that many bytes. Nothing is ever unpickled."""

import os
import select
import threading
import time
from collections.abc import Callable

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


def serve(answer: Callable[[bytes], bytes]) -> None:
    """The life of a child: each message on stdin is answered, until its parent is gone."""
    answers = os.dup(1)
    os.dup2(2, 1)  # libraries may print: the answers go to a descriptor of their own
    _leave_with_parent()
    while (message := receive(0)) is not None:
        send(answers, answer(message))


def _leave_with_parent() -> None:
    """Also in the middle of a long answer: a parent that was killed can stop nobody, and nobody would read it."""
    if not hasattr(select, "poll"):  # Windows: it goes when it has answered
        return

    def wait() -> None:
        other_end = select.poll()
        other_end.register(0, 0)  # that it hung up is told without being asked for
        other_end.poll()
        os._exit(0)

    threading.Thread(target=wait, name="parent", daemon=True).start()
