"""JSON requests and responses of the endpoints, and their types for the OpenAPI schema."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from methodlens.reports.formats.jsonl import encode_line

Endpoint = TypeVar("Endpoint", bound=Callable[..., Response])

RESPONSE_TYPES: dict[str, Any] = {}
"""By function: the type of its JSON response, for `openapi`."""


def json_response(value: object, status: int = 200) -> Response:
    return Response(encode_line(msgspec.to_builtins(value)), status, media_type="application/json")


def returns(type: Any) -> Callable[[Endpoint], Endpoint]:
    """Registers the type of an endpoint's response."""

    def register(endpoint: Endpoint) -> Endpoint:
        RESPONSE_TYPES[endpoint.__name__] = type
        return endpoint

    return register


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
