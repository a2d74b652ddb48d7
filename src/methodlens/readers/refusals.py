"""From what a chat server sent instead of an answer to an error: about this cell, or about every cell of the run."""

import re

from methodlens.errors import ReaderError, ReaderFailed
from methodlens.http_client import Response, excerpt
from methodlens.readers.thoughts import without_thoughts
from methodlens.readers.wire.form import Ending, Reply
from methodlens.readers.wire.server_errors import Kind, kind_of, names_field
from methodlens.settings import ChatServer

_SHORTER = "lower context_tokens or retrieval.shown_chars, or use a model with a longer context"
_ANOTHER_MODEL = "use another model for this cell; the others are not affected"
_CANNOT_SEE = (400, 415, 422, 500, 501)
_PICTURES = re.compile(  # that the model cannot see, not that one picture is too large
    r"(?=.*(?:image|vision|multi-?modal|picture))(?=.*(?:support|mmproj|not allowed|text.only|cannot|not a ))"
    r"|content.{0,30}(?:must be|valid) (?:a )?string",
    re.IGNORECASE | re.DOTALL,
)
_EFFORT_FIELDS = ("reasoning_effort", "effort", "reasoning", "thinking", "thinkingLevel", "thinkingBudget", "thinking_level")


def refusal(name: str, server: ChatServer, response: Response, *, url: str, accepted: bool) -> ReaderError:
    """The error for a status other than 200. `accepted`: the server has answered before, so this is about one cell."""
    kind, details = kind_of(response.status, response.content), excerpt(response.content)
    status = f"HTTP {response.sent_status}"
    if response.sent_status == 200:
        status = f"HTTP 200 with error {response.status}"
    problem = f"{name}: the server answered {status} {details}".strip()
    if kind is Kind.TOO_LONG:
        return ReaderFailed(f"{name}: the passages do not fit into the model's context ({status}) {details}".strip(), _SHORTER)
    if kind is Kind.FILTERED:
        return ReaderFailed(
            f"{name}: the provider's content filter refused the request ({status}) {details}".strip(), _ANOTHER_MODEL
        )
    if kind is Kind.QUOTA:
        fix = "add credit or raise the spending limit with the provider, then rerun to resume"
        return ReaderError(f"{name}: the server requires payment ({status}) {details}".strip(), fix)
    if kind is Kind.KEY:
        fix = "set key_variable to the name of the variable that holds the key"
        fix = f"check the key in {server.key_variable}" if server.key_variable else fix
        return ReaderError(f"{name}: the server refused the key ({status}) {details}".strip(), fix)
    if kind is Kind.MODEL:
        fix = f"list its models with 'methodlens models {models_argument(name)}', and check model in the settings"
        return ReaderError(f"{name}: {url} has no model {server.model!r} ({status}) {details}".strip(), fix)
    if response.status == 404:
        fix = (
            f"check base_url (it often ends in /v1), and model {server.model!r} with 'methodlens models {models_argument(name)}'"
        )
        return ReaderError(f"{name}: {url} was not found ({status}) {details}".strip(), fix)
    if response.status == 429:
        return ReaderFailed(problem, "wait, or set requests_per_minute, tokens_per_minute and concurrency")
    if kind is Kind.ANSWER_LENGTH:
        return (ReaderFailed if accepted else ReaderError)(problem, "lower max_tokens")
    if server.effort and names_field(response.content, _EFFORT_FIELDS):
        return ReaderError(problem, f"remove effort = {server.effort!r}, or use another level")
    if server.vision and response.status in _CANNOT_SEE and _PICTURES.search(details):
        problem = f"{name}: the model takes no pictures ({status}) {details}".strip()
        return ReaderError(problem, "remove vision, or use another model")
    if kind is Kind.TRANSIENT or accepted:
        return ReaderFailed(problem, "see the server's log")
    return ReaderError(problem, f"check model {server.model!r}, base_url, max_tokens and tokens_field")


def models_argument(name: str) -> str:
    """What `methodlens models` calls the server of a reader.

    >>> models_argument("chat:openai/gpt-5")
    'openai'
    """
    return name.removeprefix("chat:").partition("/")[0]


def ended_without_answer(name: str, reply: Reply, *, max_tokens: int) -> ReaderFailed | None:
    """The reason why a complete reply has no answer, from the way it ended; None if it may have one."""
    detail = excerpt(reply.detail.encode())
    answer = without_thoughts(reply.content).strip()
    if reply.ending is Ending.FILTERED:
        return ReaderFailed(f"{name}: the provider's content filter stopped the answer {detail}".strip(), _ANOTHER_MODEL)
    if reply.ending is Ending.DECLINED:
        return ReaderFailed(f"{name}: the model declined to answer {detail}".strip(), _ANOTHER_MODEL)
    if reply.ending is Ending.CONTEXT:
        return ReaderFailed(f"{name}: the answer was cut off at the end of the model's context", _SHORTER)
    if answer:
        return None
    if reply.ending is Ending.TOOL:
        problem = f"{name}: the model called a tool instead of answering {detail}".strip()
        return ReaderFailed(problem, "use another model, or switch off its tools on the server")
    if reply.ending is Ending.LIMIT and (reply.reasoning or reply.content.strip()):
        problem = f"{name}: the model spent max_tokens = {max_tokens} on reasoning and did not answer"
        return ReaderFailed(problem, "raise max_tokens, or set a lower effort")
    if reply.reasoning and not reply.content.strip():
        problem = f"{name}: the reply has reasoning and no answer"
        return ReaderFailed(problem, "raise max_tokens, or check the server's reasoning parser and chat template")
    return None
