"""Google's generateContent, the native form of Gemini."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from methodlens.readers.wire.form import ChatCall, Ending, ModelEntry, Reply, count, text_of, tree_of, turns
from methodlens.readers.wire.pictures import MEDIA_TYPE, Picture
from methodlens.records import Usage
from methodlens.settings import ChatServer

_FILTERED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY")
_BROKEN = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")
_UNKNOWN_KEYWORDS = ("additionalProperties", "$schema", "strict")  # that a responseSchema may not have
_BUDGETS = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576, "max": 24576}
"""Tokens of thought for models before Gemini 3, which know no levels."""
_LEVELS = {"none": "minimal", "xhigh": "high", "max": "high"}


class GeminiContent:
    key_header = "x-goog-api-key"
    headers: Mapping[str, str] = {}
    modes: tuple[str, ...] = ("json_schema", "json_object", "none")

    def request(self, server: ChatServer, call: ChatCall) -> tuple[str, dict[str, Any]]:
        joined = turns(call.messages)
        contents: list[dict[str, Any]] = [
            {"role": "model" if role == "assistant" else "user", "parts": [{"text": text} for text in texts]}
            for role, texts in joined
            if role != "system"
        ]
        if contents and call.pictures:
            contents[0]["parts"] += [part for picture in call.pictures for part in _picture(picture)]
        config: dict[str, Any] = {"maxOutputTokens": call.max_tokens}
        if server.temperature is not None:
            config["temperature"] = server.temperature
        if server.effort:
            config["thinkingConfig"] = _thinking(server)
        if call.schema is not None and call.mode != "none":
            config["responseMimeType"] = "application/json"
        if call.schema is not None and call.mode == "json_schema":
            config["responseSchema"] = _response_schema(call.schema)
        body: dict[str, Any] = {"contents": contents, "generationConfig": config}
        if system := [{"text": text} for role, texts in joined if role == "system" for text in texts]:
            body["systemInstruction"] = {"parts": system}
        return f"/models/{quote(server.model.removeprefix('models/'), safe='')}:generateContent", body

    def parse(self, content: bytes) -> Reply:
        tree = tree_of(content)
        usage = _usage(tree.get("usageMetadata"))
        feedback = tree.get("promptFeedback")
        if isinstance(feedback, dict) and (reason := text_of(feedback.get("blockReason"))):
            return Reply("", False, usage, Ending.FILTERED, f"the prompt: {reason}")
        candidate = tree["candidates"][0]
        parts = (candidate.get("content") or {}).get("parts") or []
        texts = [text_of(part.get("text")) for part in parts if isinstance(part, dict) and not part.get("thought")]
        thoughts = [text_of(part.get("text")) for part in parts if isinstance(part, dict) and part.get("thought")]
        reason = text_of(candidate.get("finishReason"))
        ending = Ending.DONE
        if reason == "MAX_TOKENS":
            ending = Ending.LIMIT
        elif reason in _FILTERED:
            ending = Ending.FILTERED
        elif reason in _BROKEN:
            ending = Ending.TOOL
        detail = reason if ending in (Ending.FILTERED, Ending.TOOL) else ""
        return Reply("".join(texts), ending is Ending.LIMIT, usage, ending, detail, "".join(thoughts))

    def models_path(self, server: ChatServer) -> str:
        return "/models?pageSize=1000"

    def parse_models(self, content: bytes) -> list[ModelEntry]:
        return [
            ModelEntry(
                str(model["name"]).removeprefix("models/"),
                count(model, "inputTokenLimit") or None,
                text_of(model.get("displayName")),
            )
            for model in tree_of(content)["models"]
            if "generateContent" in model.get("supportedGenerationMethods", ["generateContent"])
        ]


def _picture(picture: Picture) -> list[dict[str, Any]]:
    return [{"text": picture.name}, {"inlineData": {"mimeType": MEDIA_TYPE, "data": picture.base64}}]


def _thinking(server: ChatServer) -> dict[str, Any]:
    if "gemini-2" in server.model:
        return {"thinkingBudget": _BUDGETS[server.effort]}
    return {"thinkingLevel": _LEVELS.get(server.effort, server.effort)}


def _response_schema(schema: Any) -> Any:
    """The part of JSON Schema that a responseSchema knows. The names of properties are kept, whatever they are."""
    if not isinstance(schema, Mapping):
        return schema
    known = {key: value for key, value in schema.items() if key not in _UNKNOWN_KEYWORDS}
    for key in ("items", "not"):
        if key in known:
            known[key] = _response_schema(known[key])
    if isinstance(known.get("properties"), Mapping):
        known["properties"] = {name: _response_schema(value) for name, value in known["properties"].items()}
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(known.get(key), list):
            known[key] = [_response_schema(value) for value in known[key]]
    return known


def _usage(tree: object) -> Usage:
    """Thoughts are counted apart from the answer."""
    thoughts = count(tree, "thoughtsTokenCount")
    return Usage(
        count(tree, "promptTokenCount"),
        count(tree, "candidatesTokenCount") + thoughts,
        tokens_cached=count(tree, "cachedContentTokenCount"),
        tokens_reasoning=thoughts,
    )
