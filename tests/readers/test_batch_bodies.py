"""The requests of a batch as a provider gets them, and its replies."""

import json
from typing import Any

import pytest

from methodlens.readers.batches.bodies import BatchBodies
from methodlens.readers.replies import SCHEMA, InvalidReply
from methodlens.readers.wire import ChatCall
from methodlens.readers.wire.form import Ending, Reply
from methodlens.records import Usage
from methodlens.settings import ChatServer

CALL = ChatCall([{"role": "user", "content": "Which nets?"}], 10, SCHEMA)


def server(api: str, **settings: Any) -> ChatServer:
    return ChatServer(model="fern", batch_api=api, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("api", ["openai", "mistral", "anthropic"])
def test_a_temperature_is_sent_only_if_one_is_set(api: str) -> None:
    assert "temperature" not in BatchBodies(server(api, temperature=None)).body(CALL)
    assert BatchBodies(server(api)).body(CALL)["temperature"] == 0.0


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_batch_sends_the_effort_and_streams_nothing(api: str) -> None:
    body = BatchBodies(server(api, stream=True, effort="low", effort_field="thinking.level")).body(CALL)
    assert body["thinking"] == {"level": "low"}
    assert "stream" not in body


def test_json_is_requested_as_strictly_as_the_api_allows() -> None:
    assert BatchBodies(server("openai")).body(CALL)["response_format"]["type"] == "json_schema"
    assert BatchBodies(server("openai", schema="json_object")).body(CALL)["response_format"] == {"type": "json_object"}
    assert "response_format" not in BatchBodies(server("openai", schema="none")).body(CALL)
    assert "output_config" not in BatchBodies(server("anthropic")).body(CALL)
    assert BatchBodies(server("anthropic", schema="json_schema")).body(CALL)["output_config"]["format"]["schema"] == SCHEMA


def test_a_refusal_in_a_batch_is_known_as_one() -> None:
    message = {"content": [], "stop_reason": "refusal", "usage": {"input_tokens": 7, "output_tokens": 1}}
    assert BatchBodies(server("anthropic")).parse(json.dumps(message).encode(), source="fern").ending is Ending.DECLINED


def test_a_result_in_another_form_names_the_setting_to_check() -> None:
    with pytest.raises(InvalidReply, match="batch_api"):
        BatchBodies(server("anthropic")).parse(b'{"choices": []}', source="fern")


def test_cached_tokens_have_their_own_price_and_the_discount_applies_to_all() -> None:
    bodies = BatchBodies(server("openai", price_in=10.0, price_cached=1.0, price_out=20.0, batch_discount=0.5))
    counted = Usage(1_000_000, 100_000, tokens_cached=500_000)
    assert bodies.usage(Reply("yes", False, counted), tokens_asked=3).cost == pytest.approx((5.0 + 0.5 + 2.0) / 2)
    guessed = bodies.usage(Reply("yes", False, Usage()), tokens_asked=1_000_000)
    assert guessed.estimated
    assert guessed.cost == pytest.approx(5.0, abs=0.01)
