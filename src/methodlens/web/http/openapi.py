"""The OpenAPI schema of the API: requests as FastAPI describes them, responses as msgspec describes their types."""

from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from methodlens._version import __version__
from methodlens.web.http.api import MEDIA_TYPES
from methodlens.web.http.json_responses import RESPONSE_TYPES

_REF = "#/components/schemas/{name}"
_ERRORS = {
    "400": "The input cannot be used; `detail` says what to do.",
    "401": "In a team's room: you are not signed in.",
    "403": "The token is missing, your role does not allow it, or the request comes from another site.",
    "404": "The run has no such paper, question or page.",
}


def openapi_schema(app: FastAPI) -> dict[str, Any]:
    """Built once, since the routes never change."""
    if app.openapi_schema:
        return app.openapi_schema
    schema = get_openapi(
        title="methodlens review room",
        version=__version__,
        description="Send the token as `Authorization: Bearer TOKEN`, or open the printed address once and keep the cookie.",
        routes=app.routes,
    )
    types, components = msgspec.json.schema_components(list(RESPONSE_TYPES.values()), ref_template=_REF)
    type_of = dict(zip(RESPONSE_TYPES, types, strict=True))
    for methods in schema["paths"].values():
        for operation in methods.values():
            name = operation["operationId"].split("_api_")[0]
            operation["summary"] = operation.pop("description", operation["summary"])
            for status, response in operation["responses"].items():
                if status.startswith("2") and name in type_of:
                    response["content"] = {"application/json": {"schema": type_of[name]}}
                elif status.startswith("2"):
                    response["content"] = {media_type: {} for media_type in MEDIA_TYPES[name]}
            for status, description in _ERRORS.items():
                operation["responses"].setdefault(status, {"description": description})
    schema.setdefault("components", {}).setdefault("schemas", {}).update(_without_prefix_items(components))
    app.openapi_schema = schema
    return schema


def _without_prefix_items(schema: Any) -> Any:
    """Tuples of one type become lists with a fixed length, because some client generators do not support `prefixItems`."""
    if isinstance(schema, list):
        return [_without_prefix_items(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    simplified = {key: _without_prefix_items(value) for key, value in schema.items()}
    items = simplified.get("prefixItems")
    if items and all(item == items[0] for item in items):
        del simplified["prefixItems"]
        simplified["items"] = items[0]
    return simplified
