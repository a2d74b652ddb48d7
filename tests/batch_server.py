"""A real HTTP server that behaves like a provider's batch API: OpenAI's (and Groq's), Anthropic's or Mistral's form.

It keeps files and batches, answers requests with a function, and logs what it was asked to do.
"""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Model = Callable[[dict[str, Any]], str]
"""From the body of a request to the text of the reply."""


class Provider:
    """What the server holds. Tests change its fields to make it misbehave."""

    def __init__(self, form: str, model: Model) -> None:
        self.form, self.model = form, model
        self.url = ""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.submitted: Counter[str] = Counter()
        """How often each custom_id was handed in."""
        self.looks_before_end = 0
        """How often a batch is looked at before it has ended."""
        self.ending = "completed"
        self.change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda lines: lines
        """What becomes of the lines of results."""
        self.drop_reply_to_submission = False
        """Take the next batch, and close the connection without a response."""
        self.keys: set[str] = set()
        self.on_event: Callable[[str], None] = lambda _: None
        """Called when a file, a batch, a look or a fetch has arrived, before the response."""
        self.lock = threading.Lock()

    # --- batches ----------------------------------------------------------------------------------------------------

    def create(self, requests: list[dict[str, Any]], metadata: dict[str, str]) -> dict[str, Any]:
        with self.lock:
            number = len(self.batches) + 1
            batch = {"id": f"batch_{number}", "requests": requests, "metadata": metadata, "looks": 0, "created": time.time()}
            self.batches[str(batch["id"])] = batch
            self.submitted.update(request["custom_id"] for request in requests)
        return batch

    def ended(self, batch: dict[str, Any]) -> bool:
        return int(batch["looks"]) > self.looks_before_end

    def results(self, batch: dict[str, Any]) -> list[dict[str, Any]]:
        return self.change([self.line(request) for request in batch["requests"]])

    def line(self, request: dict[str, Any]) -> dict[str, Any]:
        body = request.get("params") or request["body"]
        text = self.model({**body, "messages": [{**message, "content": _text(message)} for message in body["messages"]]})
        if self.form == "anthropic":
            message = {
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 70, "cache_read_input_tokens": 30, "output_tokens": 20},
            }
            return {"custom_id": request["custom_id"], "result": {"type": "succeeded", "message": message}}
        completion = {
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        return {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": completion}, "error": None}

    def shown(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The batch as the provider describes it."""
        done, size = self.ended(batch), len(batch["requests"])
        if self.form == "anthropic":
            counts = {
                "processing": 0 if done else size,
                "succeeded": size if done else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            }
            at = datetime.fromtimestamp(batch["created"], UTC).isoformat()
            status = "ended" if done else "in_progress"
            return {"id": batch["id"], "processing_status": status, "request_counts": counts, "created_at": at}
        shown = {"id": batch["id"], "metadata": batch["metadata"], "created_at": int(batch["created"])}
        if self.form == "mistral":
            names = {"completed": "SUCCESS", "expired": "TIMEOUT_EXCEEDED", "cancelled": "CANCELLED", "failed": "FAILED"}
            file = f"results_{batch['id']}" if done and self.ending != "failed" else None
            errors = [{"message": "the model does not exist"}] if self.ending == "failed" else []
            return {**shown, "status": names[self.ending] if done else "RUNNING", "output_file": file, "errors": errors}
        file = f"results_{batch['id']}" if done and self.ending != "failed" else None
        refused = {"data": [{"message": "the model does not exist"}]} if self.ending == "failed" else None
        return {**shown, "status": self.ending if done else "in_progress", "output_file_id": file, "errors": refused}


_ID = re.compile(r"(batch_\d+)")


def _text(message: dict[str, Any]) -> str:
    """Of a message's content: a string, or Anthropic's blocks."""
    content = message["content"]
    return content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)


@contextmanager
def batch_server(form: str, model: Model) -> Iterator[Provider]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # otherwise each body waits 40 ms for the acknowledgement of its headers

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            provider.keys.add(self.headers.get("x-api-key") or self.headers.get("Authorization") or "")
            if self.path.endswith("/files"):
                with provider.lock:
                    name = f"file_{len(provider.files)}"
                    provider.files[name] = content.split(b"\r\n\r\n")[-1].rsplit(b"\r\n--", 1)[0]
                provider.on_event("file")
                self.answer({"id": name})
            elif self.path.endswith(("/batches", "/batch/jobs")):
                body = json.loads(content)
                if provider.form == "anthropic":
                    requests = body["requests"]
                else:
                    file = body.get("input_file_id") or body["input_files"][0]
                    requests = [json.loads(line) for line in provider.files[file].splitlines()]
                batch = provider.create(requests, body.get("metadata") or {})
                provider.on_event("batch")
                if provider.drop_reply_to_submission:
                    provider.drop_reply_to_submission = False
                    self.close_connection = True
                    return
                self.answer(provider.shown(batch))
            else:
                self.answer({"error": {"message": "no such path"}}, 404)

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found = _ID.search(parts.path)
            if parts.path.endswith("/results") or parts.path.endswith("/content"):
                provider.on_event("fetch")
                lines = provider.results(provider.batches[found[1]]) if found else []
                self.send("".join(json.dumps(line) + "\n" for line in lines).encode())
            elif found:
                batch = provider.batches[found[1]]
                batch["looks"] += 1
                provider.on_event("look")
                self.answer(provider.shown(batch))
            else:
                query = parse_qs(parts.query)
                after = (query.get("after") or query.get("after_id") or [""])[0]
                newest = [provider.shown(batch) for batch in reversed(list(provider.batches.values()))]
                start = next((number + 1 for number, batch in enumerate(newest) if batch["id"] == after), 0)
                size = int((query.get("limit") or query.get("page_size") or ["100"])[0])
                start += int((query.get("page") or ["0"])[0]) * size
                self.answer({"data": newest[start : start + size], "has_more": start + size < len(newest)})

        def answer(self, tree: Any, status: int = 200) -> None:
            self.send(json.dumps(tree).encode(), status)

        def send(self, body: bytes, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    provider = Provider(form, model)
    server = Server(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
