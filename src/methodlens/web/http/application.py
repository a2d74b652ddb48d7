"""The FastAPI application: endpoints, pages and static files behind the guard, and errors as one-line messages."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.staticfiles import StaticFiles

from methodlens.errors import InputError, MethodlensError
from methodlens.reports.formats.jsonl import encode_line
from methodlens.web.expected_errors import error_message
from methodlens.web.http import api, html_pages
from methodlens.web.http.app_state import AppState
from methodlens.web.http.guard import Guard
from methodlens.web.http.openapi import openapi_schema
from methodlens.web.review.page_view import PageUnavailable
from methodlens.web.review.room import NotInRun

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

_MAX_UPLOADS = 4  # files of the maximum size per request
# newer versions of FastAPI can send telemetry if a variable enables it; older ones ignore this
_NO_TELEMETRY: "TelemetryConfig" = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def create_app(state: AppState, *, token: str, origins: Iterable[str]) -> FastAPI:
    """`origins` are the addresses of the room, such as http://127.0.0.1:8000."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        state.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=lifespan, telemetry=_NO_TELEMETRY)
    app.state.room = state
    app.include_router(api.router)
    app.include_router(html_pages.router)
    app.mount("/static", StaticFiles(directory=str(html_pages.STATIC)))
    app.add_exception_handler(MethodlensError, _expected_error)
    app.add_exception_handler(SQLAlchemyError, _expected_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.openapi = lambda: openapi_schema(app)  # type: ignore[method-assign]
    max_upload = _MAX_UPLOADS * state.options.max_file_mb << 20
    app.add_middleware(Guard, token=token, origins=tuple(origins), cookie=state.options.cookie, max_upload=max_upload)
    return app


async def _validation_error(_: Request, error: Exception) -> Response:
    """Which field is wrong and why, without its value: input is never echoed."""
    errors = error.errors() if isinstance(error, RequestValidationError) else []
    detail = [{name: error[name] for name in ("loc", "msg", "type")} for error in errors]
    return Response(encode_line({"detail": detail}), 422, media_type="application/json")


async def _expected_error(request: Request, error: Exception) -> Response:
    """Status 409 means that the ledger or the disk failed, not that the request was wrong."""
    status = 404 if isinstance(error, NotInRun | PageUnavailable) else 400 if isinstance(error, InputError) else 409
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": error_message(error)}, status)
    return HTMLResponse(html_pages.error_page(request.app.state.room, error_message(error)), status)
