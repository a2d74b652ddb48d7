"""Real servers on 127.0.0.1 for tests of what talks HTTP: a chat server with canned replies, and one that only drips."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Reply:
    """What the server answers: a status, a body, and the content type it claims."""

    def __init__(self, body: str | bytes, status: int = 200, content_type: str = "application/json") -> None:
        self.body = body.encode() if isinstance(body, str) else body
        self.status = status
        self.content_type = content_type


def chat_reply(content: str | None, *, finish_reason: str = "stop", tokens: int = 42) -> Reply:
    """As an OpenAI-compatible server says it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}
    return Reply(json.dumps({"choices": [choice], "usage": {"total_tokens": tokens}}))


class ChatDouble:
    """`url` is the base_url to give; `requests` and `headers` hold what came in."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.paths: list[str] = []
        self.requests: list[Any] = []
        self.headers: list[dict[str, str]] = []


@contextmanager
def chat_server(reply: Reply) -> Iterator[ChatDouble]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            double.paths.append(self.path)
            double.headers.append({name.lower(): value for name, value in self.headers.items()})
            double.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    double = ChatDouble(f"http://127.0.0.1:{server.server_address[1]}/v1")
    # shutdown() waits for one turn of this loop
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def dripping_server(opening: bytes, drop: bytes, *, pause_s: float = 0.02) -> Iterator[str]:
    """Sends `opening`, then `drop` for ever and ever: each read is quick, the answer never ends. Yields its base_url."""
    stop = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        try:
            peer, _ = listener.accept()
        except OSError:
            return
        with peer:
            try:
                peer.recv(65536)
                peer.sendall(opening)
                while not stop.wait(pause_s):
                    peer.sendall(drop)
            except OSError:
                pass

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        stop.set()
        listener.close()
        thread.join()


def closed_port() -> str:
    """A base_url where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
