"""A line of a results file in the form of OpenAI, Groq and Mistral."""

import json
from typing import Any

from methodlens.http_client import RETRYABLE
from methodlens.readers.batches.batch_api import Line
from methodlens.text.printable import one_line

_MAX_CHARS = 200
_AGAIN = ("server_error", "rate_limit")


def line_of(tree: Any) -> Line:
    """
    >>> line_of({"custom_id": "a", "response": {"status_code": 503, "body": {"error": "busy"}}}).again
    True
    """
    custom_id, response, error = str(tree.get("custom_id")), tree.get("response"), tree.get("error")
    if error or not isinstance(response, dict):
        code = str(error.get("code")) if isinstance(error, dict) else ""
        return Line(custom_id, problem=words(error or "no response"), again=any(word in code for word in _AGAIN))
    status = response.get("status_code")
    if status != 200:
        return Line(custom_id, problem=f"HTTP {status}: {words(response.get('body'))}", again=status in RETRYABLE)
    body = response.get("body")
    return Line(custom_id, body.encode() if isinstance(body, str) else json.dumps(body).encode())


def words(error: object) -> str:
    """An error in a few words."""
    if isinstance(error, dict):
        inner = error.get("error") if isinstance(error.get("error"), dict) else error
        message = inner.get("message") if isinstance(inner, dict) else None
        error = message or json.dumps(error)
    return one_line(str(error))[:_MAX_CHARS]
