"""Anthropic's Messages API."""

import json
from collections.abc import Mapping
from typing import Any

from methodlens.readers.wire.form import ChatCall, Ending, ModelEntry, Reply, count, set_field, text_of, tree_of, turns
from methodlens.readers.wire.pictures import MEDIA_TYPE, Picture
from methodlens.records import Usage
from methodlens.settings import ChatServer

_TOOL = "answer"
_EPHEMERAL = {"cache_control": {"type": "ephemeral"}}
_ENDINGS = {
    "max_tokens": Ending.LIMIT,
    "model_context_window_exceeded": Ending.CONTEXT,
    "refusal": Ending.DECLINED,
    "tool_use": Ending.TOOL,
}


class AnthropicMessages:
    key_header = "x-api-key"
    headers: Mapping[str, str] = {"anthropic-version": "2023-06-01"}
    modes: tuple[str, ...] = ("json_schema", "tool", "none")

    def request(self, server: ChatServer, call: ChatCall) -> tuple[str, dict[str, Any]]:
        """The system prompt and what calls share are marked for the prompt cache."""
        joined = turns(call.messages)
        messages: list[dict[str, Any]] = [{"role": role, "content": _blocks(texts)} for role, texts in joined if role != "system"]
        if messages and call.pictures:
            messages[0]["content"] += [block for picture in call.pictures for block in _picture(picture)]
        body: dict[str, Any] = {"model": server.model, "max_tokens": call.max_tokens, "messages": messages}
        if system := [text for role, texts in joined if role == "system" for text in texts]:
            body["system"] = [{"type": "text", "text": "\n\n".join(system), **_EPHEMERAL}]
        if server.temperature is not None:
            body["temperature"] = server.temperature
        if server.effort:
            set_field(body, server.effort_field, server.effort)
        if call.schema is not None and call.mode == "json_schema":
            set_field(body, "output_config.format", {"type": "json_schema", "schema": call.schema})
        elif call.schema is not None and call.mode == "tool":
            body["tools"] = [{"name": _TOOL, "description": "Give the answer.", "input_schema": call.schema}]
            body["tool_choice"] = {"type": "tool", "name": _TOOL}
        return "/messages", body

    def parse(self, content: bytes) -> Reply:
        tree = tree_of(content)
        blocks = [block for block in tree["content"] if isinstance(block, dict)]
        texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
        thoughts = [text_of(block.get("thinking")) for block in blocks if block.get("type") == "thinking"]
        tools = [block for block in blocks if block.get("type") == "tool_use"]
        ending, detail = _ENDINGS.get(str(tree["stop_reason"]), Ending.DONE), ""
        if ours := [block for block in tools if block.get("name") == _TOOL]:  # our own tool is the form of the answer
            texts = [text_of(json.dumps(ours[0]["input"], ensure_ascii=False))]
            ending = Ending.DONE if ending is Ending.TOOL else ending
        elif ending is Ending.TOOL:
            detail = ", ".join(text_of(block.get("name")) for block in tools)
        if ending is Ending.DECLINED:
            details = tree.get("stop_details")
            detail = text_of(details.get("explanation")) if isinstance(details, dict) else ""
        return Reply("".join(texts), ending is Ending.LIMIT, _usage(tree.get("usage")), ending, detail, "".join(thoughts))

    def models_path(self, server: ChatServer) -> str:
        return "/models?limit=1000"

    def parse_models(self, content: bytes) -> list[ModelEntry]:
        return [
            ModelEntry(str(model["id"]), count(model, "max_input_tokens") or None, text_of(model.get("display_name")))
            for model in tree_of(content)["data"]
        ]


def _blocks(texts: list[str]) -> list[dict[str, Any]]:
    """One block per text: empty ones are refused, and all but the last are cached."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts if text.strip()]
    for block in blocks[:-1][-2:]:  # at most four marks are allowed, and the system prompt has one
        block |= _EPHEMERAL
    return blocks


def _picture(picture: Picture) -> list[dict[str, Any]]:
    source = {"type": "base64", "media_type": MEDIA_TYPE, "data": picture.base64}
    return [{"type": "text", "text": picture.name}, {"type": "image", "source": source}]


def _usage(tree: object) -> Usage:
    """`input_tokens` leaves out what was read from the cache or written to it."""
    cached = count(tree, "cache_read_input_tokens")
    tokens_in = count(tree, "input_tokens") + cached + count(tree, "cache_creation_input_tokens")
    tokens_out = count(tree, "output_tokens")
    reasoning = count(tree, "output_tokens_details", "thinking_tokens")
    return Usage(tokens_in, tokens_out, tokens_cached=cached, tokens_reasoning=min(reasoning, tokens_out))
