"""doctor sends each configured server one short question, and shows what is wrong and how to fix it."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.engine.serving import write_settings
from tests.loopback import Reply, chat_reply, chat_server, closed_port, json_reply

GOOD = json_reply(False, "yes")


def lines_about(methodlens: Call, tmp_path: Path, **table: Any) -> tuple[int, str]:
    settings = write_settings(tmp_path / "s.toml", fern={"timeout_s": 60, **table})
    done = methodlens("doctor", "--settings", settings, "--out", tmp_path / "out")
    _, _, about = done.out.partition("chat:fern")
    return done.code, about


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply("who are you", 401), "set key_variable"),
        (Reply("no such model", 404), "models there: fern-7b, moss-1b"),
        (Reply("busy", 503), "HTTP 503"),
        (Reply("<html>Sign in</html>", 200, "text/html"), "often ends in /v1"),
        (chat_reply(""), "the reply is empty"),
    ],
)
def test_a_problem_with_a_server_is_shown_with_the_fix(methodlens: Call, tmp_path: Path, reply: Reply, message: str) -> None:
    with chat_server(reply) as double:
        code, about = lines_about(methodlens, tmp_path, base_url=double.url, schema="none")
    assert code == 1
    assert message in about
    assert "-> " in about
    assert len(double.requests) == 1


def test_an_unreachable_server_is_shown(methodlens: Call, tmp_path: Path) -> None:
    code, about = lines_about(methodlens, tmp_path, base_url=closed_port())
    assert code == 1
    assert "check that the server is running" in about


def test_a_working_server_is_shown_with_its_json_mode(methodlens: Call, tmp_path: Path) -> None:
    with chat_server(GOOD) as double:
        assert "json_schema" in lines_about(methodlens, tmp_path, base_url=double.url)[1]

    def simple(request: Any) -> Reply:
        return Reply("response_format?", 400) if "response_format" in request else GOOD

    with chat_server(simple) as double:
        assert "no JSON mode" in lines_about(methodlens, tmp_path, base_url=double.url)[1]
