"""Chat completions in OpenAI's form, which most servers understand."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from methodlens.readers.wire.form import ChatCall, Ending, ModelEntry, Reply, count, set_field, text_of, tree_of, turns
from methodlens.readers.wire.pictures import MEDIA_TYPE, Picture
from methodlens.records import Usage
from methodlens.settings import ChatServer

_DATA = "data:"
_ENDINGS = {
    "length": Ending.LIMIT,
    "max_tokens": Ending.LIMIT,
    "model_length": Ending.CONTEXT,
    "content_filter": Ending.FILTERED,
    "tool_calls": Ending.TOOL,
    "function_call": Ending.TOOL,
}
_REASONING = ("reasoning_content", "reasoning", "thinking")
_CONTEXT_FIELDS = ("context_length", "context_window", "max_model_len", "max_context_length", "max_input_tokens")


class OpenAIChat:
    key_header = "Authorization"
    headers: Mapping[str, str] = {}
    modes: tuple[str, ...] = ("json_schema", "json_object", "none")

    def request(self, server: ChatServer, call: ChatCall) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {"model": server.model, "messages": _messages(call), server.tokens_field: call.max_tokens}
        if server.temperature is not None:
            body["temperature"] = server.temperature
        if server.effort:
            set_field(body, server.effort_field, server.effort)
        if server.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if call.schema is not None and call.mode == "json_schema":
            schema = {"name": "answer", "schema": call.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif call.schema is not None and call.mode == "json_object":
            body["response_format"] = {"type": "json_object"}
        return "/chat/completions", body

    def parse(self, content: bytes) -> Reply:
        text = content.decode("utf-8")
        if text.lstrip().startswith((_DATA, ":", "event:")):
            return _streamed(text)
        tree = json.loads(text)
        choice = tree["choices"][0]
        return _reply(choice["message"], choice.get("finish_reason"), tree.get("usage"))

    def models_path(self, server: ChatServer) -> str:
        return "/models"

    def parse_models(self, content: bytes) -> list[ModelEntry]:
        tree = tree_of(content)
        models = tree if isinstance(tree, list) else tree["data"]  # Together sends a list
        return [ModelEntry(str(model["id"]), _context(model), text_of(model.get("name"))) for model in models]


def _messages(call: ChatCall) -> list[dict[str, Any]]:
    """Roles alternate, as many chat templates require. A content is a list only where it has pictures."""
    messages: list[dict[str, Any]] = [{"role": role, "content": "\n\n".join(texts)} for role, texts in turns(call.messages)]
    first = next((message for message in messages if message["role"] == "user"), None)
    if first and call.pictures:
        first["content"] = [_text(first["content"]), *(part for picture in call.pictures for part in _picture(picture))]
    return messages


def _picture(picture: Picture) -> list[dict[str, Any]]:
    url = f"data:{MEDIA_TYPE};base64,{picture.base64}"
    return [_text(picture.name), {"type": "image_url", "image_url": {"url": url}}]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _streamed(text: str) -> Reply:
    """A stream without [DONE] at its end was interrupted, however complete it looks."""
    events = [line[len(_DATA) :].strip() for line in text.splitlines() if line.startswith(_DATA)]
    if not events or events[-1] != "[DONE]":
        raise ValueError("no [DONE] at the end of the stream")
    pieces: dict[str, str] = {}
    finish, usage, tools = None, None, None
    for tree in map(json.loads, events[:-1]):
        usage = tree.get("usage") or usage
        for choice in tree["choices"][:1]:
            finish = choice.get("finish_reason") or finish
            tools = choice["delta"].get("tool_calls") or tools
            for name in ("content", "refusal", *_REASONING):
                if isinstance(piece := choice["delta"].get(name), str):
                    pieces[name] = pieces.get(name, "") + piece
    return _reply({**pieces, "tool_calls": tools}, finish, usage)


def _reply(message: Mapping[str, Any], finish: object, usage: object) -> Reply:
    content, reasoning = _content(message.get("content"))
    reasoning = reasoning or next((text for name in _REASONING if (text := text_of(message.get(name)))), "")
    ending, detail = _ENDINGS.get(str(finish), Ending.DONE), ""
    if not content.strip() and (refusal := text_of(message.get("refusal"))):
        ending, detail = Ending.DECLINED, refusal
    elif message.get("tool_calls") or message.get("function_call"):
        ending, detail = Ending.TOOL, ", ".join(_tools(message))
    return Reply(content, ending is Ending.LIMIT, _usage(usage), ending, detail, reasoning)


def _content(value: object) -> tuple[str, str]:
    """The answer and the thoughts. Mistral sends a list with parts of both."""
    if not isinstance(value, list):
        return text_of(value), ""
    texts = [text_of(part.get("text")) for part in value if isinstance(part, dict) and part.get("type") == "text"]
    thoughts = [_content(part.get("thinking"))[0] for part in value if isinstance(part, dict) and part.get("type") == "thinking"]
    return "".join(texts), "".join(thoughts)


def _tools(message: Mapping[str, Any]) -> Iterator[str]:
    calls = message.get("tool_calls") or [{"function": message.get("function_call")}]
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and (name := text_of(function.get("name"))):
            yield name


def _usage(tree: object) -> Usage:
    """Zero where the server does not count."""
    tokens_in, tokens_out, total = (count(tree, name) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    reasoning = count(tree, "completion_tokens_details", "reasoning_tokens") or count(tree, "reasoning_tokens")
    tokens_in = tokens_in or max(0, total - tokens_out)
    if total >= tokens_in + tokens_out + reasoning:  # xAI counts thoughts apart
        tokens_out += reasoning
    cached = count(tree, "prompt_tokens_details", "cached_tokens") or count(tree, "prompt_cache_hit_tokens")
    cached = cached or count(tree, "cached_tokens")
    return Usage(tokens_in, tokens_out, tokens_cached=min(cached, tokens_in), tokens_reasoning=min(reasoning, tokens_out))


def _context(model: Mapping[str, Any]) -> int | None:
    sizes = [count(model, name) for name in _CONTEXT_FIELDS] + [count(model, "meta", "n_ctx_train")]
    return next((size for size in sizes if size), None)
