"""Real HTTP servers on 127.0.0.1: a chat server with scripted replies, and one whose responses never end."""

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Reply:
    """A response of the server, sent after `delay_s` seconds; with `reset` it closes the connection instead."""

    def __init__(
        self,
        body: str | bytes = "",
        status: int = 200,
        content_type: str = "application/json",
        *,
        headers: Mapping[str, str] | None = None,
        reset: bool = False,
        delay_s: float = 0.0,
    ) -> None:
        self.body = body.encode() if isinstance(body, str) else body
        self.status = status
        self.content_type = content_type
        self.headers = dict(headers or {})
        self.reset = reset
        self.delay_s = delay_s


def chat_reply(content: str | None, *, finish_reason: str = "stop", tokens: int = 42, delay_s: float = 0.0) -> Reply:
    """The reply of an OpenAI-compatible server."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}
    return Reply(json.dumps({"choices": [choice], "usage": {"total_tokens": tokens}}), delay_s=delay_s)


def json_reply(reported: bool, answer: str, *quotes: str, usage: tuple[int, int] = (30, 12), delay_s: float = 0.0) -> Reply:
    """The reply of a model that follows the strict prompt."""
    content = json.dumps({"reported": reported, "answer": answer, "quotes": quotes})
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Reply(json.dumps({"choices": [choice], "usage": counted}), delay_s=delay_s)


class FakeChatServer:
    """What the server received: requests, headers, times (`received_at`), and the largest number of requests at once."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.paths: list[str] = []
        self.requests: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.received_at: list[float] = []
        self.max_in_progress = 0
        self.in_progress = 0
        self.lock = threading.Lock()


Script = Reply | Callable[[Any], Reply]


@contextmanager
def chat_server(*script: Script, models: Reply | None = None) -> Iterator[FakeChatServer]:
    """Answers each request with the next reply of the script, and repeats the last. A function is called with the request.

    A GET is answered with `models`, by default a list of two.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with double.lock:
                step = script[min(len(double.requests), len(script) - 1)]
                double.paths.append(self.path)
                double.headers.append({name.lower(): value for name, value in self.headers.items()})
                double.requests.append(request)
                double.received_at.append(time.monotonic())
                double.in_progress += 1
                double.max_in_progress = max(double.max_in_progress, double.in_progress)
            try:
                self.answer(step if isinstance(step, Reply) else step(request))
            except OSError:  # the client is gone
                self.close_connection = True
            finally:
                with double.lock:
                    double.in_progress -= 1

        def do_GET(self) -> None:
            with double.lock:
                double.paths.append(self.path)
                double.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.answer(models or Reply(json.dumps({"data": [{"id": "fern-7b"}, {"id": "moss-1b"}]})))

        def answer(self, reply: Reply) -> None:
            gone.wait(reply.delay_s)
            if reply.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    gone = threading.Event()
    server = Server(("127.0.0.1", 0), Handler)
    double = FakeChatServer(f"http://127.0.0.1:{server.server_address[1]}/v1")
    # shutdown() waits for one iteration of this loop
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield double
    finally:
        gone.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def endless_server(opening: bytes, chunk: bytes, *, pause_s: float = 0.02) -> Iterator[str]:
    """Sends `opening`, then `chunk` again and again: each read is fast, but the response never ends. Yields the base_url."""
    stop = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            if stop.is_set():
                peer.close()
                return
            with peer:
                try:
                    peer.recv(65536)
                    peer.sendall(opening)
                    while not stop.wait(pause_s):
                        peer.sendall(chunk)
                except OSError:
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        stop.set()
        with contextlib.suppress(OSError):  # wakes the thread in accept()
            socket.create_connection(listener.getsockname(), timeout=1).close()
        listener.close()
        thread.join()


def closed_port() -> str:
    """A base_url without a server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
