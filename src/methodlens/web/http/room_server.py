"""Open the room: a socket on loopback, a token, and uvicorn behind it."""

import contextlib
import os
import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import uvicorn
from msgspec.structs import replace

from methodlens import readers, retrieval
from methodlens.engine.add import Tools
from methodlens.engine.budget import Budget
from methodlens.engine.expand import understood
from methodlens.errors import InputError
from methodlens.ledger.ledger import Ledger
from methodlens.papers import WorkerPool
from methodlens.records import Question
from methodlens.seams import close_reader
from methodlens.settings import Settings
from methodlens.web.http.app_state import Opening, Services
from methodlens.web.http.application import create

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ANY = frozenset({"", "0.0.0.0", "::", "*"})  # noqa: S104  (refused, not bound)
_DRAWERS = 2  # processes that draw pages: the one looked at, and the next


class Address(NamedTuple):
    host: str = "127.0.0.1"
    port: int = 0
    """0: any free one."""


class Opened(NamedTuple):
    """The address to open, with its token, and what closes the room again."""

    url: str
    stop: Callable[[], None]


def serve(opening: Opening, settings: Settings, ledger: Ledger, *, address: Address, ready: Callable[[Opened], None]) -> None:
    """Until interrupted or stopped. `ready` is told once the server can be reached."""
    token = secrets.token_urlsafe(24)
    with listening(address) as listener:
        port = listener.getsockname()[1]
        with WorkerPool(_DRAWERS, settings.papers, settings.reading) as pool:
            here = Services(replace(opening, cookie=f"methodlens-{port}"), ledger, pool, _Workshop(settings, opening))
            app = create(here, token=token, hosts=[f"{name}:{port}" for name in (*_LOOPBACK, address.host)])
            config = uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, date_header=False, timeout_graceful_shutdown=2
            )
            url = f"http://{address.host}:{port}/?token={token}"
            server = _Server(config, lambda stop: ready(Opened(url, stop)), here.closing.set)
            server.run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[Callable[[], None]], None], closing: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self._closing = ready, closing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready(self.stop)

    def stop(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._closing()  # streams of events end by themselves then
        await super().shutdown(sockets)


@contextlib.contextmanager
def listening(address: Address) -> Iterator[socket.socket]:
    if address.host in _ANY:
        raise InputError(
            f"--host {address.host!r} is every network at once", "name the one address that others use; 127.0.0.1 is only for you"
        )
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # create_server leaves the protocol open, and asyncio then leaves Nagle's algorithm on: 40 ms more for every answer
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host.strip("[]"), address.port))
        listener.listen(128)
    except (OSError, OverflowError, UnicodeError) as err:
        listener.close()
        why = getattr(err, "strerror", None) or err
        raise InputError(
            f"cannot listen on {address.host}:{address.port} ({why})", "choose another --port, or leave it out for a free one"
        ) from err
    with listener:
        yield listener


class _Workshop:
    """Makes what a job works with, by the settings of this room."""

    def __init__(self, settings: Settings, opening: Opening) -> None:
        self._settings, self._opening = settings, opening

    @contextlib.contextmanager
    def tools(self, names: Sequence[str]) -> Iterator[Tools]:
        settings = self._settings
        with contextlib.ExitStack() as stack:
            answering = [readers.create(name, settings, os.environ) for name in names]
            for reader in answering:
                stack.callback(close_reader, reader)
            retriever = retrieval.create(settings.retrieval, os.environ)
            pool = stack.enter_context(WorkerPool(settings.worker_count, settings.papers, settings.reading))
            budget = Budget(self._opening.max_cost, self._opening.max_tokens)
            yield Tools(pool, retriever, answering, settings, budget=budget)

    def question(self, id: str, text: str) -> Question:
        """With what is known of its like, as `methodlens ask` has it."""
        (found,) = understood([Question(id, text)], self._settings.retrieval)
        return found
