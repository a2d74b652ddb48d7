"""The description of the API: what FastAPI knows of requests, and msgspec of the values that answer them."""

from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from methodlens._version import __version__
from methodlens.web.http.api import FILES, SHAPES

_REF = "#/components/schemas/{name}"
_REFUSED = {
    "400": "The input cannot be used; `detail` says what to do.",
    "403": "The token is missing, or the request comes from another site.",
    "404": "There is no such thing in this run.",
}


def described(app: FastAPI) -> dict[str, Any]:
    """Once: the routes never change."""
    if app.openapi_schema:
        return app.openapi_schema
    found = get_openapi(
        title="methodlens review room",
        version=__version__,
        description="Send the token as `Authorization: Bearer TOKEN`, or open the printed address once and keep the cookie.",
        routes=app.routes,
    )
    shapes = list(SHAPES.values())
    schemas, components = msgspec.json.schema_components(shapes, ref_template=_REF)
    by_name = dict(zip(SHAPES, schemas, strict=True))
    for methods in found["paths"].values():
        for operation in methods.values():
            name = operation["operationId"].split("_api_")[0]
            operation["summary"] = operation.pop("description", operation["summary"])
            for status, response in operation["responses"].items():
                if status.startswith("2") and name in by_name:
                    response["content"] = {"application/json": {"schema": by_name[name]}}
                elif status.startswith("2"):
                    response["content"] = {kind: {} for kind in FILES[name]}
            for status, why in _REFUSED.items():
                operation["responses"].setdefault(status, {"description": why})
    found.setdefault("components", {}).setdefault("schemas", {}).update(_plain(components))
    app.openapi_schema = found
    return found


def _plain(schema: Any) -> Any:
    """Tuples of one kind as lists of it, as long as they are: not every generator of clients knows `prefixItems`."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items()}
    kinds = plain.get("prefixItems")
    if kinds and all(kind == kinds[0] for kind in kinds):
        del plain["prefixItems"]
        plain["items"] = kinds[0]
    return plain
