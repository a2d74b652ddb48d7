"""HTTP connections that are closed if a request does not arrive. uvicorn waits forever for the rest of a half-sent request."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_REQUEST_S = 20.0
"""For the request line and the headers. The guard limits the time between two parts of a body."""
MAX_CONNECTIONS = 400
"""A process may have 1,024 open files in many systems; the ledger and the PDFs need some too."""


class TimedProtocol(H11Protocol):
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.close()
        else:
            self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._responding():
            self._stop_waiting()
        elif self._timer is None and self.timeout_keep_alive_task is None:
            self._wait_for_request()  # the next request on this connection has begun

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _responding(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_request(self) -> None:
        self._timer = self.loop.call_later(MAX_REQUEST_S, self._close_if_waiting)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_if_waiting(self) -> None:
        self._timer = None
        if not self._responding():
            self.transport.close()
