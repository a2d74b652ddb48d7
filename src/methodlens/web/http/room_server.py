"""Starts the review room: a listening socket, an access token, and uvicorn."""

import contextlib
import ipaddress
import secrets
import socket
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

import uvicorn
from msgspec.structs import replace

from methodlens.errors import InputError
from methodlens.ledger.store import Ledger
from methodlens.lens import Lens
from methodlens.papers import WorkerPool
from methodlens.settings import Settings
from methodlens.web.http.app_state import AppState, RoomOptions
from methodlens.web.http.application import create_app
from methodlens.web.http.team_access import TeamAccess
from methodlens.web.http.timed_protocol import TimedProtocol
from methodlens.web.http.token_access import TokenAccess, base_path

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_RENDERERS = 2  # processes that render pages: the one on screen, and the next


class Address(NamedTuple):
    host: str = "127.0.0.1"
    port: int = 0
    """0 for any free port."""


class RunningRoom(NamedTuple):
    """`url` includes the token, if there is no team; `stop` shuts the server down."""

    url: str
    stop: Callable[[], None]


def serve(
    options: RoomOptions, settings: Settings, ledger: Ledger, *, address: Address, ready: Callable[[RunningRoom], None]
) -> None:
    """Runs until interrupted or stopped. Calls `ready` as soon as the server accepts requests."""
    if options.team and not _is_private(options.public_url, address.host):
        raise InputError(
            "tokens would cross the network unencrypted",
            "put a TLS proxy in front, and give its address: --public-url https://...",
        )
    token = secrets.token_urlsafe(24)
    with _listening(address) as listener:
        port = listener.getsockname()[1]
        with WorkerPool(_RENDERERS, settings.papers, settings.reading) as pool:
            options = replace(options, cookie=f"methodlens-{port}", base="" if options.team else base_path(token))
            state = AppState(options, ledger, pool, lambda readers: Lens(readers, options.questions, settings=settings))
            own = [f"http://{name}:{port}" for name in (*map(_bracketed, _LOOPBACK), _bracketed(address.host))]
            public = [options.public_url] if options.public_url else []
            access = _team_access(state) if options.team else TokenAccess(token, cookie=options.cookie)
            app = create_app(state, access=access, origins=[*own, *public])
            config = uvicorn.Config(
                app,
                http=TimedProtocol,
                log_level="warning",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,  # the guard knows the address of the proxy
                timeout_graceful_shutdown=2,
            )
            url = f"{(public or own[-1:])[0]}/" + ("" if options.team else f"?token={token}")
            server = _Server(config, lambda stop: ready(RunningRoom(url, stop)), state.closing.set)
            server.run(sockets=[listener])


def _team_access(state: AppState) -> TeamAccess:
    options = state.options
    behind_proxy = bool(options.public_url)
    return TeamAccess(state.authentication, cookie=options.cookie, blind=options.blind, behind_proxy=behind_proxy)


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
        self._closing()  # ends the event streams, which would delay the shutdown
        await super().shutdown(sockets)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_every_interface(host: str) -> bool:
    """In any spelling: 0, 0x0 and ::0 are addresses too."""
    return host == "*" or any(address.is_unspecified for address in _addresses(host))


def _is_private(public_url: str, host: str) -> bool:
    """Whether TLS or the machine itself keeps tokens from the network."""
    public = urlsplit(public_url)
    if public.scheme == "https":
        return True
    return public.hostname in (None, *_LOOPBACK) and all(address.is_loopback for address in _addresses(host))


def _addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """Empty for a name that cannot be found, which cannot be bound either."""
    try:
        found = socket.getaddrinfo(host.strip("[]") or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return []
    return [ipaddress.ip_address(str(address[0]).partition("%")[0]) for *_, address in found]


@contextlib.contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    if _is_every_interface(address.host):
        raise InputError(
            f"--host {address.host!r} listens on every network of this machine",
            "name one of its addresses, or use 127.0.0.1 for local access",
        )
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # with create_server the protocol is 0, and asyncio then leaves Nagle's algorithm on: 40 ms more per response
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host.strip("[]"), address.port))
        listener.listen(128)
    except (OSError, OverflowError, UnicodeError) as err:
        listener.close()
        reason = getattr(err, "strerror", None) or err
        raise InputError(
            f"cannot listen on {address.host}:{address.port} ({reason})", "choose another --port, or omit it for a free one"
        ) from err
    with listener:
        yield listener
