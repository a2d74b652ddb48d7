"""The FastAPI application: endpoints, pages and static files behind the guard, and errors as one-line messages."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.staticfiles import StaticFiles

from methodlens.errors import InputError, MethodlensError
from methodlens.reports.formats.jsonl import encode_line
from methodlens.web.expected_errors import error_message
from methodlens.web.http import adding_api, api, event_stream, html_pages, sign_in_pages
from methodlens.web.http.app_state import AppState
from methodlens.web.http.guard import Access, Guard
from methodlens.web.http.openapi import openapi_schema
from methodlens.web.review.page_view import PageUnavailable
from methodlens.web.review.reviewer import NotAllowed
from methodlens.web.review.shown_run import NotInRun

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

_MAX_UPLOADS = 4  # files of the maximum size per request
# newer versions of FastAPI can send telemetry if a variable enables it; older ones ignore this
_NO_TELEMETRY: "TelemetryConfig" = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}

_STATUSES: dict[type[Exception], int] = {NotAllowed: 403, NotInRun: 404, PageUnavailable: 404, InputError: 400}


def create_app(state: AppState, *, access: Access, origins: Iterable[str]) -> FastAPI:
    """`origins` are the addresses of the room, such as http://127.0.0.1:8000."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        state.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=lifespan, telemetry=_NO_TELEMETRY)
    app.state.room = state
    for module in (api, event_stream, adding_api, html_pages):
        app.include_router(module.router)
    if state.options.team:
        app.include_router(sign_in_pages.router)
    app.mount("/static", StaticFiles(directory=str(html_pages.STATIC)))
    app.add_exception_handler(MethodlensError, _expected_error)
    app.add_exception_handler(SQLAlchemyError, _expected_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.openapi = lambda: openapi_schema(app)  # type: ignore[method-assign]
    max_upload = _MAX_UPLOADS * state.options.max_file_mb << 20
    app.add_middleware(Guard, access=access, origins=tuple(origins), max_upload=max_upload)
    return app


async def _validation_error(_: Request, error: Exception) -> Response:
    """Which field is wrong and why, without its value: input is never echoed."""
    errors = error.errors() if isinstance(error, RequestValidationError) else []
    detail = [{name: error[name] for name in ("loc", "msg", "type")} for error in errors]
    return Response(encode_line({"detail": detail}), 422, media_type="application/json")


async def _expected_error(request: Request, error: Exception) -> Response:
    """Status 409 means that the ledger or the disk failed, not that the request was wrong."""
    status = next((status for kind, status in _STATUSES.items() if isinstance(error, kind)), 409)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": error_message(error)}, status)
    return html_pages.error_page(request, error_message(error), status)
