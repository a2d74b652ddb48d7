"""The application: endpoints, pages and files behind the guard, and every error as one line with its fix."""

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
from methodlens.web.expected_errors import explained
from methodlens.web.http import api, openapi
from methodlens.web.http import html_pages as pages
from methodlens.web.http.app_state import Services
from methodlens.web.http.guard import Guard
from methodlens.web.review.page_view import PageGone
from methodlens.web.review.room import NotThere

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

_MOST_UPLOADED = 4  # papers of the largest size at once
# Newer FastAPIs can report to a collector when a variable asks for it; older ones ignore this
_NO_TELEMETRY: "TelemetryConfig" = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def create(services: Services, *, token: str, hosts: Iterable[str]) -> FastAPI:
    """`hosts` are the names, with port, under which the server may be called."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        services.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=lifespan, telemetry=_NO_TELEMETRY)
    app.state.services = services
    app.include_router(api.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=str(pages.STATIC)))
    app.add_exception_handler(MethodlensError, _explained)
    app.add_exception_handler(SQLAlchemyError, _explained)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.openapi = lambda: openapi.described(app)  # type: ignore[method-assign]
    app.add_middleware(
        Guard, token=token, hosts=tuple(hosts), cookie=services.cookie, max_body=_MOST_UPLOADED * services.max_file_mb << 20
    )
    return app


async def _misunderstood(_: Request, error: Exception) -> Response:
    """Which field is wrong and why, without what was sent: it may be anything, and no answer should carry it back."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    detail = [{"loc": one["loc"], "msg": one["msg"], "type": one["type"]} for one in found]
    return Response(encode_line({"detail": detail}), 422, media_type="application/json")


async def _explained(request: Request, error: Exception) -> Response:
    """409: the ledger or the disk is the trouble, not what was asked."""
    status = 404 if isinstance(error, NotThere | PageGone) else 400 if isinstance(error, InputError) else 409
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": explained(error)}, status)
    services: Services = request.app.state.services
    return HTMLResponse(pages.problem(services, explained(error)), status)
