"""methodlens models, against servers on this machine."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, one_line
from tests.engine.serving import write_settings
from tests.loopback import Reply, chat_server, closed_port

KEY = "sk-models-0123456789"


@pytest.mark.parametrize(
    ("form", "sent", "expected"),
    [
        ("openai", {"data": [{"id": "fern", "max_model_len": 4096}, {"id": "moss"}]}, [("fern", 4096), ("moss", None)]),
        ("openai", [{"id": "fern", "context_length": 8192}], [("fern", 8192)]),
        ("anthropic", {"data": [{"id": "fern", "display_name": "Fern"}], "has_more": False}, [("fern", None)]),
        (
            "gemini",
            {
                "models": [
                    {"name": "models/fern", "inputTokenLimit": 1000, "supportedGenerationMethods": ["generateContent"]},
                    {"name": "models/vectors", "supportedGenerationMethods": ["embedContent"]},
                ]
            },
            [("fern", 1000)],
        ),
        ("azure", {"data": [{"id": "fern"}]}, [("fern", None)]),
    ],
)
def test_the_models_of_a_server_are_listed_with_their_context(
    methodlens: Call, tmp_path: Path, form: str, sent: Any, expected: list[tuple[str, int | None]]
) -> None:
    with chat_server(Reply(), models=Reply(json.dumps(sent))) as double:
        settings = write_settings(tmp_path / "s.toml", fern={"base_url": double.url, "form": form})
        done = methodlens("models", "fern", "--settings", settings, "--json")
    assert [(model["id"], model["context_tokens"]) for model in json.loads(done.out)] == expected
    assert len(double.paths) == 1
    assert double.requests == []


def test_a_base_url_is_asked_with_the_key_of_the_variable_that_is_named(
    methodlens: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FERN_KEY", KEY)
    with chat_server(Reply()) as double:
        assert methodlens("models", double.url).out.split() == ["fern-7b", "moss-1b"]
        assert methodlens("models", double.url, "--key-variable", "FERN_KEY", "--contains", "MOSS").out.split() == ["moss-1b"]
    assert "authorization" not in double.headers[0]
    assert double.headers[1]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply("who are you", 401), "set key_variable"),
        (Reply("nothing here", 404), "often ends in /v1"),
        (Reply("<html>Sign in</html>", 200, "text/html"), "did not send a list of models"),
        (Reply("[" * 100_000), "did not send a list of models"),
        (Reply("", 302, headers={"Location": "http://127.0.0.1:1/"}), "HTTP 302"),
    ],
)
def test_a_server_that_gives_no_list_is_explained_in_one_line(methodlens: Call, reply: Reply, message: str) -> None:
    with chat_server(Reply(), models=reply) as double:
        assert message in one_line(methodlens("models", double.url))


def test_an_unknown_or_unreachable_server_is_explained_in_one_line(methodlens: Call, tmp_path: Path) -> None:
    assert "ollama" in one_line(methodlens("models", "olama"))
    assert "check that the server is running" in one_line(methodlens("models", closed_port()))
    assert "has no base_url" in one_line(methodlens("models", "azure"))
    settings = write_settings(tmp_path / "s.toml", fern={"gguf": "model.gguf"})
    assert "there is no server 'fern'" in one_line(methodlens("models", "fern", "--settings", settings))


def test_a_server_without_models_says_so(methodlens: Call) -> None:
    with chat_server(Reply(), models=Reply('{"data": []}')) as double:
        assert "lists no models" in methodlens("models", double.url).out
