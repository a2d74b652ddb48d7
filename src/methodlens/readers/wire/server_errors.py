"""What a server's error means: providers differ in status, shape and words, but only a few things can go wrong."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from methodlens.http_client import RETRYABLE

_OK = 200
_PAYMENT_REQUIRED = 402
_TOO_MANY_REQUESTS = 429
_BAD_GATEWAY = 502
_OVERLOADED = 529
_DATA = "data:"
_BROKEN = ("error", "abort", "insufficient_system_resource")
"""The finish_reason of an answer that broke off, at OpenRouter, vLLM and DeepSeek."""
_BYTES = 100_000  # of a body; errors are short
_WORDS_CHARS = 4000  # of an error's words


class Kind(StrEnum):
    """What went wrong. The first four are about one request, the next four about all of them."""

    TOO_LONG = "too_long"
    """The request does not fit into the model's context."""
    FILTERED = "filtered"
    """A moderation or content filter refused it."""
    TRANSIENT = "transient"
    """It may succeed later."""
    OTHER = "other"
    KEY = "key"
    QUOTA = "quota"
    """No credit is left."""
    MODEL = "model"
    """There is no such model."""
    ANSWER_LENGTH = "answer_length"
    """max_tokens is more than the model can write."""


class ServerError(NamedTuple):
    """An error body, whatever its shape."""

    code: str
    """The codes and types it names, in lower case."""
    message: str
    param: str = ""
    number: int = 0
    """A status in the body."""
    flagged: bool = False
    """It says what a moderation found."""


_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|context_length_exceeded|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|too long|(?:input|prompt|request).{0,30}(?:too large|exceeds?.{0,40}(?:tokens|limit|length))"
    r"|token count.{0,40}exceeds|request_too_large|exceed_context_size|reduce the length",
    re.IGNORECASE,
)
_ANSWER_LENGTH = re.compile(
    r"max(?:_completion|_output)?_tokens.{0,60}(?:too large|at most|maximum|<=|exceeds?)|maxOutputTokens", re.IGNORECASE
)
_FILTERED = re.compile(
    r"content[ _-]?(?:filter|policy|management policy|moderation|security)|moderation|responsibleaipolicyviolation|flagged"
    r"|data_inspection_failed|datainspectionfailed|guardrail|safety (?:system|filter|setting)|blocked by|usage polic"
    r"|prohibited_content|invalid_prompt",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(r"\b(?:account|organi[sz]ation|api[ _-]?key|credential|token|permission|billing)\b", re.IGNORECASE)
_QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|credit balance is too low|payment_required"
    r"|insufficient[ _](?:balance|credits?|funds)|out of credits?",
    re.IGNORECASE,
)
_KEY = re.compile(r"api_key_invalid|invalid_api_key|api key not valid|api key expired|invalid api key|authentication_error", re.I)
_MODEL = re.compile(
    r"model_not_found|deploymentnotfound|invalid_model|invalid model|model_decommissioned|not a valid model|unknown model"
    r"|no such model|models/\S+ is not found",
    re.IGNORECASE,
)
_MODEL_IN_404 = re.compile(r"model|deployment|no endpoints", re.IGNORECASE)
_STATUS_OF_WORD = (
    (re.compile(r"overloaded"), _OVERLOADED),
    (re.compile(r"rate_?limit|resource_exhausted|too_many_requests"), _TOO_MANY_REQUESTS),
    (re.compile(r"invalid_request|bad_request|invalid_argument"), 400),
    (re.compile(r"authentication|unauthenticated|invalid_api_key"), 401),
    (re.compile(r"permission"), 403),
    (re.compile(r"not_found"), 404),
)


def parse_error(content: bytes) -> ServerError | None:
    """None if the body is not an error in JSON, or not JSON at all."""
    tree = next((each for each in _trees(content) if _error_in(each) is not None), None)
    return None if tree is None else _as_error(_error_in(tree))


def true_status(status: int, content: bytes) -> int:
    """The status that fits the response: an error may be inside HTTP 200, and a 429 may mean that no credit is left."""
    if status not in (_OK, _TOO_MANY_REQUESTS):
        return status
    if status == _OK and not any(f'"{word}"'.encode() in content[:_BYTES] for word in _BROKEN):
        return status
    error = parse_error(content)
    if status == _TOO_MANY_REQUESTS:
        return _PAYMENT_REQUIRED if error and _QUOTA.search(f"{error.code} {error.message}") else status
    if error is None:
        return status
    if 400 <= error.number < 600:
        return true_status(error.number, content)
    if _QUOTA.search(error.code):
        return _PAYMENT_REQUIRED
    return next((number for word, number in _STATUS_OF_WORD if word.search(error.code)), _BAD_GATEWAY)


def kind_of(status: int, content: bytes) -> Kind:
    """Of a response that is not an answer."""
    error = parse_error(content)
    words = _words(error, content)
    if status == _PAYMENT_REQUIRED or _QUOTA.search(words):
        return Kind.QUOTA
    if status == 401 or _KEY.search(words):
        return Kind.KEY
    if status in (400, 403, 422, 451) and _is_filtered(status, error, words):
        return Kind.FILTERED
    if status in (400, 403, 404, 410, 422) and _MODEL.search(words):
        return Kind.MODEL
    if status in (404, 410) and _MODEL_IN_404.search(words):
        return Kind.MODEL
    if status == 403:
        return Kind.KEY
    if status in (400, 413, 422, 500) and _TOO_LONG.search(words):
        return Kind.TOO_LONG
    if status == 413:
        return Kind.TOO_LONG
    if status in (400, 422) and _ANSWER_LENGTH.search(words):
        return Kind.ANSWER_LENGTH
    return Kind.TRANSIENT if status in RETRYABLE else Kind.OTHER


def names_field(content: bytes, fields: tuple[str, ...]) -> bool:
    """The error is about one of these fields of the request."""
    error = parse_error(content)
    if error and error.param in fields:
        return True
    return re.search(rf"(?<![\w])(?:{'|'.join(map(re.escape, fields))})(?!\w)", _words(error, content)) is not None


def _is_filtered(status: int, error: ServerError | None, words: str) -> bool:
    """A 403 about the account is not a word on the passages."""
    if error and error.flagged:
        return True
    return bool(_FILTERED.search(words)) and not (status == 403 and _ACCOUNT.search(words))


def _words(error: ServerError | None, content: bytes) -> str:
    text = f"{error.code} {error.message}" if error else content[:_BYTES].decode("utf-8", "replace")
    return text[:_WORDS_CHARS]


def _trees(content: bytes) -> Iterator[Any]:
    """The JSON in a body: the whole of it, or the events of a stream."""
    text = content[:_BYTES].decode("utf-8", "replace").strip()
    lines = [line[len(_DATA) :] for line in text.splitlines() if line.startswith(_DATA) and '"error"' in line]
    for piece in lines or [text]:
        try:
            tree = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        yield tree[0] if isinstance(tree, list) and len(tree) == 1 else tree


def _error_in(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return None
    choices = tree.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    if choice is not None:
        broken = choice.get("finish_reason") in _BROKEN
        return choice.get("error") or (tree.get("error") or {"code": _BAD_GATEWAY, "message": ""} if broken else None)
    if tree.get("error"):
        return tree["error"]
    if "candidates" in tree or "content" in tree:
        return None
    spoken = tree.get("message") or tree.get("Message") or tree.get("detail")
    return {**tree, "message": spoken} if isinstance(spoken, str | list | dict) and spoken else None


def _as_error(error: Any) -> ServerError:
    if not isinstance(error, dict):
        return ServerError("", _spoken(error))
    inner = _object(error.get("innererror") or error.get("inner_error"))
    metadata = _object(error.get("metadata"))
    details = error.get("details")
    reasons = [_object(detail).get("reason") for detail in details] if isinstance(details, list) else []
    names = [
        str(name) for name in (error.get("code"), error.get("type"), error.get("status"), inner.get("code"), *reasons) if name
    ]
    # OpenRouter keeps the words of the provider behind it in `raw`
    message = f"{_spoken(error.get('message') or error.get('msg'))} {_spoken(metadata.get('raw'))}"
    return ServerError(
        " ".join(names).lower(),
        message.strip(),
        str(error.get("param") or ""),
        next((int(name) for name in names if re.fullmatch(r"[45]\d\d", name)), 0),
        bool(metadata.get("flagged_input") or metadata.get("reasons")),
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _spoken(value: object) -> str:
    """The words of an error. FastAPI's list repeats the whole request, which says nothing about the error."""
    if isinstance(value, list):
        places = [(_object(item).get("msg"), _object(item).get("type"), _object(item).get("loc")) for item in value]
        return "; ".join(" ".join(str(part) for part in place if part) for place in places)
    return value if isinstance(value, str) else json.dumps(value) if value else ""
