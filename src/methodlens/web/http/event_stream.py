"""The state of the room as server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator

import msgspec
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from methodlens.reports.formats.jsonl import encode_line
from methodlens.web.expected_errors import EXPECTED_ERRORS, error_message
from methodlens.web.http.app_state import AppState, State, StateView

router = APIRouter(prefix="/api")

_POLL_S = 0.5
_POLL_AFTER_ERROR_S = 2.0
_POLLS_PER_KEEP_ALIVE = 30
_MAX_STREAM_S = 600.0  # then the browser connects again, which asks whether it still may


@router.get("/events", tags=["run"])
async def get_events(request: Request, state: State) -> StreamingResponse:
    """The state as server-sent events whenever it changes, including changes by other processes."""
    return StreamingResponse(_events(request, state), media_type="text/event-stream")


async def _events(request: Request, state: AppState) -> AsyncIterator[bytes]:
    last: StateView | None = None
    unchanged = 0
    until = time.monotonic() + _MAX_STREAM_S
    while time.monotonic() < until and not state.closing.is_set() and not await request.is_disconnected():
        try:
            view = await asyncio.to_thread(state.view)
        except EXPECTED_ERRORS as err:  # such as a lost database: report it, and continue when it is back
            last = None
            yield b"event: trouble\ndata: " + encode_line({"detail": error_message(err)}) + b"\n"
            await asyncio.sleep(_POLL_AFTER_ERROR_S)
            continue
        unchanged += 1
        if view != last:
            last, unchanged = view, 0
            yield b"event: state\ndata: " + encode_line(msgspec.to_builtins(view)) + b"\n"
        elif unchanged >= _POLLS_PER_KEEP_ALIVE:
            unchanged = 0
            yield b": keep-alive\n\n"
        await asyncio.sleep(_POLL_S)
