"""The application: endpoints, pages and files behind the guard, and every error as one line with its fix."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from methodlens.errors import InputError, MethodlensError
from methodlens.web import api, openapi, pages
from methodlens.web.guard import Guard
from methodlens.web.pictures import PageGone
from methodlens.web.room import NotThere
from methodlens.web.services import Services

_MOST_UPLOADED = 4  # papers of the largest size at once


def create(services: Services, *, token: str, hosts: Iterable[str]) -> FastAPI:
    """`hosts` are the names, with port, under which the server may be called."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        services.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=lifespan)
    app.state.services = services
    app.include_router(api.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=str(pages.STATIC)))
    app.add_exception_handler(MethodlensError, _explained)
    app.openapi = lambda: openapi.described(app)  # type: ignore[method-assign]
    app.add_middleware(
        Guard, token=token, hosts=tuple(hosts), cookie=services.cookie, max_body=_MOST_UPLOADED * services.max_file_mb << 20
    )
    return app


async def _explained(request: Request, error: Exception) -> Response:
    """409: the ledger or the disk is the trouble, not what was asked."""
    status = 404 if isinstance(error, NotThere | PageGone) else 400 if isinstance(error, InputError) else 409
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": str(error)}, status)
    services: Services = request.app.state.services
    return HTMLResponse(pages.problem(services, str(error)), status)
