"""The MCP server as a client starts it: over pipes, with libraries that print, and under random calls."""

import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import TextContent

from tests.conftest import EXAMPLES

pytestmark = pytest.mark.long

# a server whose parts print, in Python and in C
NOISY = """
import os, sys
from pathlib import Path
from methodlens.lens import Lens
from methodlens.mcp import server, tools
from methodlens.mcp.library import Library
from methodlens.settings import Settings

read = Lens.read
def noisy(self, paper):
    print("a library says hello")
    os.write(1, b"so does C\\n")
    os.system("echo and a child")
    return read(self, paper)
Lens.read = noisy
server.serve(Library(Lens(settings=Settings(out=sys.argv[2])), [sys.argv[1]], index=Path(sys.argv[2])))
print("goodbye", file=sys.stderr)
"""
TOOLS = "list_papers list_questions search_papers read_answer ask_paper ask_folder compare_papers other".split()
NAMES = ["paper", "question", "query", "top", "fact", "papers", "start", "contains", "surprise"]
CALLS = 400


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "rented-cpu.pdf").write_bytes((EXAMPLES / "papers" / "rented-cpu.pdf").read_bytes())
    return folder


def test_the_sdk_client_lists_asks_and_reads_through_the_command_line(papers: Path, tmp_path: Path) -> None:
    async def session() -> list[str]:
        arguments = ["-m", "methodlens.cli.app", "mcp", str(papers), "--out", str(tmp_path / "none")]
        async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:
            listed = await client.list_tools()
            answer = await client.call_tool("ask_paper", {"paper": "rented-cpu.pdf", "question": "CQ20"})
            assert isinstance(answer.content[0], TextContent)
            return [tool.name for tool in listed.tools] + [json.loads(answer.content[0].text)["status"]]

    with ThreadPoolExecutor() as thread:  # Playwright's event loop runs in the main thread after a test in a browser
        assert thread.submit(anyio.run, session).result() == [*TOOLS[:-1], "reported"]
    assert not (tmp_path / "none").exists()


def random_value(rng: random.Random, depth: int = 0) -> Any:
    texts = ["", "CQ20", "rented-cpu.pdf", "../x", "/etc/passwd", "\u0000", "é山\u2028", "a" * 3000, "💥", "%s{}", "\\ud800"]
    plain = [None, True, -1, 0, 10**30, 1.5, rng.choice(texts), rng.choice(texts), rng.choice(texts)]
    if depth > 2 or rng.random() < 0.7:
        return rng.choice(plain)
    if rng.random() < 0.5:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(NAMES): random_value(rng, depth + 1) for _ in range(rng.randrange(3))}


def random_lines(rng: random.Random) -> Iterator[bytes]:
    for number in range(CALLS):
        tool = rng.choice(TOOLS)
        arguments = {rng.choice(NAMES): random_value(rng) for _ in range(rng.randrange(4))}
        call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        kind = rng.random()
        if kind < 0.8:
            yield json.dumps(call).encode()
        elif kind < 0.9:
            yield json.dumps(call).encode()[: rng.randrange(1, 40)]
        else:
            yield bytes(rng.randrange(256) for _ in range(rng.randrange(60))).replace(b"\n", b" ")


@pytest.mark.parametrize("seed", [1, 2])
def test_no_call_puts_anything_but_json_on_stdout(seed: int, papers: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", NOISY, str(papers), str(tmp_path / "out")]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
    last = {"name": "ask_paper", "arguments": {"paper": "rented-cpu.pdf", "question": "CQ20"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}).encode(),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(),
        *random_lines(random.Random(seed)),
        json.dumps({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": last}).encode(),
    ]
    replies: list[dict[str, Any]] = []
    done = threading.Event()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin
        assert server.stdout
        output = server.stdout

        def read() -> None:
            for line in output:
                replies.append(json.loads(line))
                if replies[-1].get("id") == "last":
                    done.set()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        for line in lines:
            server.stdin.write(line + b"\n")
        server.stdin.flush()
        assert done.wait(600), f"{len(replies)} replies, exit code {server.poll()}"
        server.stdin.close()
        reader.join(60)
        assert server.wait(60) == 0
    assert all(reply["jsonrpc"] == "2.0" for reply in replies)
    (answer,) = [reply for reply in replies if reply.get("id") == "last"]
    assert json.loads(answer["result"]["content"][0]["text"])["status"] == "reported"
    assert max(len(json.dumps(reply)) for reply in replies) < 100_000
    assert not any("Traceback" in json.dumps(reply) for reply in replies)
