"""The forms of messages: what each sends, and how it reads answers, thoughts and tokens."""

import json
from contextlib import closing
from typing import Any

import pytest

from methodlens.engine.execute import decide
from methodlens.errors import ReaderError
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.presets import presets, resolve
from methodlens.readers.replies import SCHEMA, parse_answer
from methodlens.readers.thoughts import without_thoughts
from methodlens.readers.wire import form_of
from methodlens.readers.wire.form import ChatCall
from methodlens.records import Usage
from methodlens.settings import ChatServer, Settings
from tests.loopback import Reply, chat_server, json_reply
from tests.readers.chat_setup import HITS, PAPER, QUESTION, QUOTE, reader_at, server_at

ANSWER = {"reported": True, "answer": "Two Titan RTX cards.", "quotes": [QUOTE]}
TALK = [
    {"role": "system", "content": "Answer from the paper."},
    {"role": "user", "content": "The paper."},
    {"role": "user", "content": "The question."},
    {"role": "assistant", "content": "Hm."},
    {"role": "user", "content": "Again."},
]
THOUSANDS: dict[str, Any] = {"price_in": 1000.0, "price_cached": 100.0, "price_out": 10_000.0}


def body_of(form: str, **changes: Any) -> tuple[str, dict[str, Any]]:
    server = ChatServer(base_url="http://a", model="fern-7b", form=form, **changes)  # type: ignore[arg-type]
    return form_of(server).request(server, ChatCall(TALK, 800, SCHEMA, mode="json_schema"))


def test_the_openai_form_alternates_roles_and_asks_for_the_schema() -> None:
    path, body = body_of("openai", effort="low")
    assert path == "/chat/completions"
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["messages"][1]["content"] == "The paper.\n\nThe question."
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (body["max_tokens"], body["temperature"], body["reasoning_effort"]) == (800, 0.0, "low")


def test_the_anthropic_form_has_a_system_field_and_marks_what_calls_share_for_the_cache() -> None:
    path, body = body_of("anthropic", effort="low", effort_field="output_config.effort")
    assert path == "/messages"
    assert body["system"] == [{"type": "text", "text": "Answer from the paper.", "cache_control": {"type": "ephemeral"}}]
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    paper, question = body["messages"][0]["content"]
    assert (paper["text"], question["text"]) == ("The paper.", "The question.")
    assert "cache_control" in paper
    assert "cache_control" not in question
    assert body["max_tokens"] == 800
    assert body["output_config"] == {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}


def test_the_gemini_form_has_a_system_instruction_and_a_schema_without_unknown_keywords() -> None:
    path, body = body_of("gemini", effort="medium")
    assert path == "/models/fern-7b:generateContent"
    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user"]
    assert body["systemInstruction"] == {"parts": [{"text": "Answer from the paper."}]}
    config = body["generationConfig"]
    assert (config["maxOutputTokens"], config["responseMimeType"]) == (800, "application/json")
    assert config["responseSchema"] == {key: value for key, value in SCHEMA.items() if key != "additionalProperties"}
    assert config["thinkingConfig"] == {"thinkingLevel": "medium"}
    server = ChatServer(base_url="http://a", model="gemini-2.5-flash", form="gemini", effort="none")
    assert form_of(server).request(server, ChatCall(TALK, 8))[1]["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}


def test_a_property_that_is_named_like_a_keyword_stays_in_a_gemini_schema() -> None:
    schema = {"type": "object", "properties": {"strict": {"type": "object", "additionalProperties": False}}}
    server = ChatServer(base_url="http://a", model="m", form="gemini")
    config = form_of(server).request(server, ChatCall(TALK, 8, schema, "json_schema"))[1]["generationConfig"]
    assert config["responseSchema"]["properties"] == {"strict": {"type": "object"}}


@pytest.mark.parametrize(
    ("base_url", "path", "model"),
    [
        ("http://a", "/openai/deployments/fern%2F7b/chat/completions?api-version=2024-10-21", None),
        ("http://a/openai/v1/", "/chat/completions", "fern/7b"),
    ],
)
def test_azure_names_the_deployment_in_its_path_or_in_the_body(base_url: str, path: str, model: str | None) -> None:
    server = ChatServer(base_url=base_url, model="fern/7b", form="azure")
    sent = form_of(server).request(server, ChatCall(TALK, 8))
    assert (sent[0], sent[1].get("model")) == (path, model)


ANTHROPIC = {
    "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": json.dumps(ANSWER)}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10, "output_tokens": 20},
}
TOOL = {
    **ANTHROPIC,
    "content": [{"type": "tool_use", "name": "answer", "input": ANSWER}],
    "stop_reason": "tool_use",
}
GEMINI = {
    "candidates": [
        {"content": {"parts": [{"text": "Hm.", "thought": True}, {"text": json.dumps(ANSWER)}]}, "finishReason": "STOP"},
    ],
    "usageMetadata": {
        "promptTokenCount": 100,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 80,
    },
}


def openai(usage: dict[str, Any], **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": json.dumps(ANSWER), **message}, "finish_reason": "stop"}], "usage": usage}


DETAILS = {"prompt_tokens_details": {"cached_tokens": 80}, "completion_tokens_details": {"reasoning_tokens": 5}}


@pytest.mark.parametrize(
    ("form", "sent", "reasoning"),
    [
        ("anthropic", ANTHROPIC, 0),
        ("anthropic", TOOL, 0),
        ("gemini", GEMINI, 5),
        ("openai", openai({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, **DETAILS}), 5),
        ("openai", openai({"prompt_tokens": 100, "completion_tokens": 15, "total_tokens": 120, **DETAILS}), 5),
        ("openai", openai({"prompt_tokens": 100, "completion_tokens": 20, "prompt_cache_hit_tokens": 80}, reasoning="Hm."), 0),
    ],
    ids=["anthropic", "anthropic tool", "gemini", "openai", "thoughts counted apart", "deepseek"],
)
def test_an_answer_is_read_and_its_cached_and_reasoning_tokens_are_counted_and_priced(
    form: str, sent: dict[str, Any], reasoning: int
) -> None:
    with chat_server(Reply(json.dumps(sent))) as double, reader_at(double.url, form=form, **THOUSANDS) as reader:
        answer = reader.read(QUESTION, PAPER, HITS)
    assert decide(answer).status == "reported"
    cost = (20 * 1000 + 80 * 100 + 20 * 10_000) / 1e6
    assert answer.usage == Usage(100, 20, 1, cost, tokens_cached=80, tokens_reasoning=reasoning)
    assert "Hm." not in answer.raw


def test_a_claude_model_without_structured_outputs_is_given_a_tool_and_then_the_prompt_alone() -> None:
    def old(request: Any) -> Reply:
        if "output_config" in request:
            return Reply(json.dumps({"error": {"type": "invalid_request_error", "message": "output_config.format: no"}}), 400)
        return Reply(json.dumps(TOOL if "tools" in request else ANTHROPIC))

    with chat_server(old) as double, reader_at(double.url, form="anthropic") as reader:
        for _ in range(2):
            assert decide(reader.read(QUESTION, PAPER, HITS)).status == "reported"
        assert reader._transport.schema == "tool"
    assert ["tools" in request for request in double.requests] == [False, True, True]
    assert double.headers[0]["anthropic-version"] == "2023-06-01"
    assert double.paths[0] == "/v1/messages"


def test_parts_of_a_mistral_reply_are_told_apart() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": json.dumps(ANSWER)}]
    sent = Reply(json.dumps(openai({}, content=parts)))
    with chat_server(sent) as double, closing(ChatClient("chat:fern", server_at(double.url))) as client:
        reply = client.complete(TALK, json=True)
    assert (json.loads(reply.content), reply.reasoning) == (ANSWER, "Hm.")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>No.</think>Yes.", "Yes."),
        ("No.</think>Yes.", "Yes."),
        ("<think>No.", ""),
        ("<think>No.</think>Yes.<think>Or no", "Yes."),
        ("<reasoning>No.</reasoning>Yes.", "Yes."),
        ("[THINK]No.[/THINK]Yes.", "Yes."),
        ("<|channel|>analysis<|message|>No.<|channel|>final<|message|>Yes.", "Yes."),
        ("Yes.", "Yes."),
        ("Yes.</think>", "Yes.</think>"),
    ],
)
def test_thoughts_are_not_part_of_the_answer(reply: str, answer: str) -> None:
    assert without_thoughts(reply) == answer


def test_an_answer_in_thoughts_that_never_end_is_not_an_answer() -> None:
    assert parse_answer(f"<think>I could say {json.dumps(ANSWER)} but") is None


# --- presets --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(presets()))
def test_every_preset_makes_a_client_whose_schema_its_form_knows(name: str) -> None:
    preset = presets()[name]
    base_url = preset.base_url or "https://fern.openai.azure.com"
    table = ChatServer(preset=name, model="m", base_url="" if preset.base_url else base_url)
    server = resolve("mine", Settings(readers={"mine": table}))
    with closing(ChatClient("chat:mine", server)) as client:
        assert client.schema == preset.schema
    assert server.base_url == base_url
    assert not preset.key_variable or preset.base_url, "a key would be sent to an address of the user's"


def test_a_way_to_request_json_that_the_form_does_not_have_is_refused() -> None:
    with pytest.raises(ReaderError, match="use auto, json_schema, tool, none"):
        ChatClient("chat:x", ChatServer(base_url="http://a", model="m", form="anthropic", schema="json_object"))


def test_the_fingerprint_changes_with_the_effort() -> None:
    with reader_at("http://127.0.0.1:1/v1") as plain, reader_at("http://127.0.0.1:1/v1", effort="low") as low:
        assert plain.info.fingerprint != low.info.fingerprint


def test_consecutive_user_messages_reach_an_openai_server_as_one() -> None:
    with chat_server(json_reply(True, "Yes.", QUOTE)) as double, closing(ChatClient("chat:x", server_at(double.url))) as client:
        client.complete(TALK[:3], json=True)
    assert [message["role"] for message in double.requests[0]["messages"]] == ["system", "user"]
