"""What providers send besides answers, each as a row: the reason it gives, how often it is tried, and whom it harms."""

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest

from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers.chat_client import ChatClient
from tests.loopback import FakeChatServer, Reply, chat_reply, chat_server, json_reply
from tests.readers.chat_setup import CANARY, HITS, PAPER, QUESTION, QUOTE, reader_at, server_at

ASKED = [{"role": "user", "content": "Which hardware?"}]
ANSWER = {"reported": True, "answer": "Two Titan RTX cards.", "quotes": [QUOTE]}
GOOD = json_reply(True, "Two Titan RTX cards.", QUOTE)
GOOD_ANTHROPIC = Reply(
    json.dumps(
        {"content": [{"type": "text", "text": json.dumps(ANSWER)}], "stop_reason": "end_turn", "usage": {"input_tokens": 9}}
    )
)
GOOD_GEMINI = Reply(
    json.dumps({"candidates": [{"content": {"parts": [{"text": json.dumps(ANSWER)}]}, "finishReason": "STOP"}]}),
)
GOOD_OF = {"openai": GOOD, "azure": GOOD, "anthropic": GOOD_ANTHROPIC, "gemini": GOOD_GEMINI}


def error(status: int, body: object, **headers: str) -> Reply:
    return Reply(json.dumps(body), status, headers={name.replace("_", "-"): value for name, value in headers.items()})


def choice(finish_reason: str | None, **message: Any) -> Reply:
    choices = [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}]
    return Reply(json.dumps({"choices": choices, "usage": {"prompt_tokens": 30, "completion_tokens": 12}}))


@contextmanager
def client_of(server: FakeChatServer, **changes: Any) -> Iterator[ChatClient]:
    with closing(ChatClient("chat:fern", server_at(server.url, **changes), CANARY)) as client:
        yield client


# --- one cell, or the whole run -------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """`sent` is the reply to one cell; the requests it takes are counted, and `problem` is what the error says."""

    name: str
    sent: Reply
    problem: str
    requests: int = 1
    form: str = "openai"


ONE_CELL = [
    Row(
        "openai context",
        error(
            400, {"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}}
        ),
        r"do not fit.*context_tokens or retrieval\.shown_chars",
    ),
    Row(
        "vllm context",
        error(400, {"message": "'max_tokens' is too large: 800. This model's maximum context length is 512"}),
        "do not fit",
    ),
    Row(
        "llamacpp context",
        error(400, {"error": {"code": 400, "type": "exceed_context_size_error", "message": "exceeds"}}),
        "do not fit",
    ),
    Row(
        "groq too large",
        error(413, {"error": {"message": "Request too large for model", "code": "rate_limit_exceeded"}}),
        "do not fit",
    ),
    Row(
        "anthropic context",
        error(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens"}}),
        "do not fit",
        form="anthropic",
    ),
    Row(
        "gemini context",
        error(
            400,
            {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (9) exceeds the maximum"}},
        ),
        "do not fit",
        form="gemini",
    ),
    Row(
        "azure filter",
        error(
            400, {"error": {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}, "message": "no"}}
        ),
        "content filter refused",
        form="azure",
    ),
    Row(
        "openrouter moderation",
        error(403, {"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["violence"], "flagged_input": "..."}}}),
        "content filter refused",
    ),
    Row(
        "openai policy",
        error(400, {"error": {"code": "content_policy_violation", "message": "rejected"}}),
        "content filter refused",
    ),
    Row("finish content_filter", choice("content_filter", content="Two Ti"), "content filter stopped the answer"),
    Row("message.refusal", choice("stop", content=None, refusal="I can't help with that."), r"declined to answer \(I can't help"),
    Row(
        "tool_calls",
        choice("tool_calls", content=None, tool_calls=[{"function": {"name": "search"}}]),
        r"called a tool.*\(search\)",
    ),
    Row(
        "thoughts only",
        choice("length", content="", reasoning_content="Let me think about cards"),
        "spent max_tokens = 800 on reasoning.*lower effort",
    ),
    Row("open think", choice("length", content="<think>Let me think"), "on reasoning.*raise max_tokens"),
    Row("no answer after thoughts", choice("stop", content=None, reasoning="Cards."), "reasoning and no answer"),
    Row(
        "gemini safety",
        error(200, {"candidates": [{"finishReason": "SAFETY"}], "usageMetadata": {"promptTokenCount": 7}}),
        r"content filter stopped the answer \(SAFETY\)",
        form="gemini",
    ),
    Row("gemini recitation", error(200, {"candidates": [{"finishReason": "RECITATION"}]}), "RECITATION", form="gemini"),
    Row(
        "gemini prompt",
        error(200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
        "PROHIBITED_CONTENT",
        form="gemini",
    ),
    Row(
        "gemini thoughts only",
        error(200, {"candidates": [{"content": {"parts": [{"text": "Hm", "thought": True}]}, "finishReason": "MAX_TOKENS"}]}),
        "on reasoning",
        form="gemini",
    ),
    Row("anthropic refusal", error(200, {"content": [], "stop_reason": "refusal"}), "declined to answer", form="anthropic"),
    Row(
        "anthropic max_tokens",
        error(200, {"content": [{"type": "thinking", "thinking": "Hm"}], "stop_reason": "max_tokens"}),
        "on reasoning",
        form="anthropic",
    ),
    Row(
        "anthropic window",
        error(200, {"content": [{"type": "text", "text": "{"}], "stop_reason": "model_context_window_exceeded"}),
        "end of the model's context",
        form="anthropic",
    ),
    Row("gateway 502 in 200", error(200, {"error": {"code": 502, "message": "Bad gateway"}}), r"HTTP 200 with error 502.*log", 3),
    Row("rate limit in 200", error(200, {"error": {"type": "rate_limit_error", "message": "slow"}}), "with error 429", 3),
    Row("finish error", choice("error", content="Two"), "HTTP 200 with error 502", 3),
    Row("deepseek busy", choice("insufficient_system_resource", content="Two"), "HTTP 200 with error 502", 3),
    Row("overloaded", error(529, {"type": "error", "error": {"type": "overloaded_error"}}), "HTTP 529", 3, "anthropic"),
    Row("gemini overloaded", error(503, {"error": {"code": 503, "status": "UNAVAILABLE"}}), "HTTP 503", 3, "gemini"),
    Row("server's own error", error(500, {"error": {"message": "CUDA error"}}), "HTTP 500", 3),
]


@pytest.mark.parametrize("row", ONE_CELL, ids=lambda row: row.name)
def test_what_concerns_one_cell_fails_only_that_cell_with_its_reason(row: Row) -> None:
    """Even if it is the first: JSON is requested as before from the cells after it."""
    script = [row.sent] * row.requests + [GOOD_OF[row.form]]
    with chat_server(*script) as double, client_of(double, form=row.form, attempts=3) as client:
        with pytest.raises(ReaderFailed, match=row.problem) as caught:
            client.complete(ASKED, json=True)
        assert len(double.requests) == caught.value.usage.requests == row.requests
        assert client.schema == "json_schema"
        assert "Titan" in client.complete(ASKED, json=True).content
    assert "base_url" not in str(caught.value)
    assert caught.value.fix
    assert CANARY not in str(caught.value)


WHOLE_RUN = [
    Row(
        "openai bad key",
        error(401, {"error": {"code": "invalid_api_key", "message": "Incorrect API key"}}),
        "check the key in FERN_KEY",
    ),
    Row(
        "gemini bad key",
        error(400, {"error": {"code": 400, "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}),
        "refused the key.*FERN_KEY",
        form="gemini",
    ),
    Row(
        "anthropic bad key",
        error(401, {"type": "error", "error": {"type": "authentication_error"}}),
        "refused the key",
        form="anthropic",
    ),
    Row("forbidden", error(403, {"error": {"message": "Your account was flagged for review of its API key"}}), "refused the key"),
    Row(
        "no credit",
        error(429, {"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}),
        r"payment.*HTTP 429.*credit",
    ),
    Row("deepseek no balance", error(402, {"error": {"message": "Insufficient Balance"}}), "requires payment"),
    Row(
        "anthropic no credit",
        error(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}}),
        "requires payment",
        form="anthropic",
    ),
    Row("no credit in 200", error(200, {"error": {"code": 402, "message": "Insufficient credits"}}), "HTTP 200 with error 402"),
    Row(
        "openai model",
        error(404, {"error": {"code": "model_not_found", "message": "no"}}),
        r"no model 'fern-7b'.*methodlens models fern",
    ),
    Row("ollama model", error(404, {"error": {"message": "model 'fern-7b' not found"}}), "methodlens models fern"),
    Row(
        "azure deployment",
        error(404, {"error": {"code": "DeploymentNotFound", "message": "no"}}),
        "methodlens models",
        form="azure",
    ),
    Row(
        "mistral model",
        error(400, {"message": "Invalid model: fern-7b", "type": "invalid_model", "code": "1500"}),
        "methodlens models",
    ),
    Row("no such path", Reply("<html>404</html>", 404, "text/html"), "check base_url"),
    Row(
        "too many answer tokens", error(400, {"error": {"message": "max_tokens: 900000 > 8192, the maximum"}}), "lower max_tokens"
    ),
]


@pytest.mark.parametrize("row", WHOLE_RUN, ids=lambda row: row.name)
def test_what_concerns_every_cell_stops_the_run_at_once_with_the_fix(row: Row) -> None:
    with chat_server(row.sent) as double, client_of(double, form=row.form) as client, pytest.raises(ReaderError) as caught:
        client.complete(ASKED, json=True)
    assert not isinstance(caught.value, ReaderFailed), caught.value
    assert caught.match(row.problem)
    assert len(double.requests) == row.requests


def test_a_filtered_cell_after_answers_fails_alone_and_a_revoked_key_still_stops_the_run() -> None:
    filtered = error(403, {"error": {"code": "content_filter", "message": "The text was blocked by moderation"}})
    revoked = error(403, {"error": {"message": "permission denied"}})
    with chat_server(GOOD, filtered, GOOD, revoked) as double, reader_at(double.url) as reader:
        for expected in (None, ReaderFailed, None, ReaderError):
            if expected is None:
                assert reader.read(QUESTION, PAPER, HITS).evidence
                continue
            with pytest.raises(ReaderError) as caught:
                reader.read(QUESTION, PAPER, HITS)
            assert type(caught.value) is expected


# --- waiting ------------------------------------------------------------------------------------------------------------------


def with_times(headers: dict[str, str]) -> dict[str, str]:
    """The placeholders of a row, replaced by times in 30 seconds from now."""
    at = datetime.now(UTC) + timedelta(seconds=30)
    times = {"iso": at.isoformat().replace("+00:00", "Z"), "s": f"{at.timestamp():.0f}", "ms": f"{at.timestamp() * 1000:.0f}"}
    return {name: times.get(value.removeprefix("in 30 s, as "), value) for name, value in headers.items()}


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"x-ratelimit-reset-requests": "0m30s"}, ""),
        ({"x-ratelimit-reset-tokens": "30000ms"}, ""),
        ({"x-ratelimit-reset-tokens": "30", "x-ratelimit-reset-requests": "1h", "x-ratelimit-remaining-requests": "99"}, ""),
        ({"x-ratelimit-reset": "in 30 s, as ms"}, ""),
        ({"ratelimit-reset": "in 30 s, as s"}, ""),
        ({"anthropic-ratelimit-tokens-reset": "in 30 s, as iso"}, ""),
        ({}, '{"error": {"code": 429, "message": "exceeded your current quota", "details": [{"retryDelay": "30s"}]}}'),
        ({}, "Please try again in 30.0s."),
        ({"Retry-After": "30", "x-ratelimit-reset": "1"}, ""),
    ],
    ids=[
        "m and s",
        "ms",
        "the limit that is used up",
        "epoch in ms",
        "epoch",
        "anthropic",
        "gemini",
        "groq",
        "Retry-After first",
    ],
)
def test_a_429_pauses_every_call_for_as_long_as_its_headers_or_body_say(headers: dict[str, str], body: str) -> None:
    with (
        chat_server(Reply(body, 429, headers=with_times(headers))) as double,
        client_of(double, longest_wait_s=300, attempts=1) as client,
    ):
        before = time.monotonic()
        with pytest.raises(ReaderFailed, match="HTTP 429"):
            client.complete(ASKED, json=True)
        assert 20 < client._limiter._paused_until - before < 60  # the tests may take some seconds to get here


def test_reset_headers_of_other_errors_are_not_a_reason_to_wait() -> None:
    broken = Reply("", 500, headers={"x-ratelimit-reset-requests": "1h", "x-ratelimit-remaining-requests": "0"})
    with chat_server(broken, GOOD) as double, client_of(double) as client:
        client.complete(ASKED, json=True)
        assert client._limiter._paused_until <= time.monotonic()


# --- what a server cannot take ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "message", "form"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model.", "openai"),
        ("temperature", "`temperature` is deprecated for this model.", "anthropic"),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "openai"),
    ],
)
def test_a_field_that_the_model_does_not_take_is_left_out_from_then_on(refused: str, message: str, form: str) -> None:
    def picky(request: Any) -> Reply:
        return error(400, {"error": {"message": message}}) if refused in request else GOOD_OF[form]

    with chat_server(picky) as double, client_of(double, form=form) as client:
        replies = [client.complete(ASKED, json=True) for _ in range(2)]
        assert client.schema == "json_schema"
    assert [refused in request for request in double.requests] == [True, False, False]
    assert [reply.usage.requests for reply in replies] == [2, 1]
    if refused == "max_tokens":
        assert double.requests[1]["max_completion_tokens"] == 800


def test_an_error_that_does_not_say_why_is_settled_by_one_probe() -> None:
    """The first cell has odd characters, as far as the server is concerned: its JSON format is fine."""

    def odd(request: Any) -> Reply:
        return Reply("bad request", 400) if "cursed" in request["messages"][-1]["content"] else GOOD

    cursed = [{"role": "user", "content": "cursed"}]
    with chat_server(odd) as double, client_of(double) as client:
        for _ in range(2):
            with pytest.raises(ReaderFailed, match="bad request") as caught:
                client.complete(cursed, json=True)
        assert client.schema == "json_schema"
        client.complete(ASKED, json=True)
    assert len(double.requests) == 4  # a cell, the probe, and two cells
    assert caught.value.usage.requests == 1


def test_a_format_that_is_refused_without_a_word_is_found_out_by_probes_and_the_cell_is_answered() -> None:
    def silent(request: Any) -> Reply:
        return Reply("", 400) if request.get("response_format", {}).get("type") == "json_schema" else GOOD

    with chat_server(silent) as double, client_of(double) as client:
        assert client.complete(ASKED, json=True).usage.requests == 3
        assert client.schema == "json_object"
        client.complete(ASKED, json=True)
    assert len(double.requests) == 4


def test_an_effort_that_the_model_does_not_know_stops_the_run_and_names_the_setting() -> None:
    refused = error(400, {"error": {"message": "Unrecognized value for reasoning_effort", "param": "reasoning_effort"}})
    with (
        chat_server(refused) as double,
        client_of(double, effort="max") as client,
        pytest.raises(ReaderError, match="remove effort"),
    ):
        client.complete(ASKED, json=False)


# --- keys ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "header"),
    [("openai", "authorization"), ("azure", "api-key"), ("anthropic", "x-api-key"), ("gemini", "x-goog-api-key")],
)
def test_the_key_is_in_its_header_and_in_no_path_body_or_error(form: str, header: str) -> None:
    echo = error(400, {"error": {"message": f"header {CANARY} was odd"}})
    with chat_server(echo) as double, client_of(double, form=form) as client, pytest.raises(ReaderError) as caught:
        client.complete(ASKED, json=False)
    assert double.headers[0][header].endswith(CANARY)
    assert CANARY not in f"{double.paths}{double.requests}{caught.value}{caught.value!r}"


def test_a_streamed_error_is_retried() -> None:
    broken = Reply('data: {"error": {"code": 502, "message": "provider"}}\n\ndata: [DONE]\n', content_type="text/event-stream")
    with chat_server(broken, GOOD) as double, client_of(double, stream=True) as client:
        assert client.complete(ASKED, json=True).usage.requests == 2


def test_a_plain_answer_cut_off_after_its_thoughts_is_a_failure() -> None:
    cut = chat_reply("<think>Hm.</think>Two Titan", finish_reason="length")
    with (
        chat_server(cut) as double,
        reader_at(double.url, prompt="seeds") as reader,
        pytest.raises(ReaderFailed, match="raise max_tokens"),
    ):
        reader.read(QUESTION, PAPER, HITS)
