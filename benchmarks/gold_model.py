"""A chat server on loopback that stands for a language model: it answers from gold labels, with a share of wrong answers.

For each paper and question it is right or wrong by a hash, so a rerun gets the same answers. It quotes a sentence that the
annotators quoted, one that is in the text of the paper if there is one; a wrong "yes" quotes the first sentence it was sent.
Tokens are counted as four characters each.
"""

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from methodlens.questions.loading import load

QUESTIONS = {question.id: question for question in load("dl-methods").questions}
_DATA = re.compile(r"\[data \w+\]\n(.*?)\n\[end of data", re.DOTALL)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_CHARS_PER_TOKEN = 4
_LEAST_WORDS = 6


class GoldLabel(NamedTuple):
    reported: bool
    partial: bool
    quotes: tuple[str, ...]


Gold = Mapping[tuple[str, str], GoldLabel]
"""By the name of the paper's file and the id of the question."""


def read_gold(folder: Path) -> Gold:
    lines = (json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_text(encoding="utf-8").splitlines())
    return {
        (f"{line['paper']}.pdf", f"CQ{line['cq']}"): GoldLabel(
            line["reported"], line["partial"], tuple(quote["text"] for quote in line["quotes"])
        )
        for line in lines
    }


def is_wrong(model: str, paper: str, question: str, noise: float) -> bool:
    """
    >>> is_wrong("fern", "a.pdf", "CQ1", 0.0), is_wrong("fern", "a.pdf", "CQ1", 1.0)
    (False, True)
    """
    return int(hashlib.sha256(f"{model} {paper} {question}".encode()).hexdigest()[:8], 16) / 16**8 < noise


class GoldModel:
    """`texts` are the papers by the name of their file: passages in a request say which paper it is about."""

    def __init__(self, gold: Gold, texts: Mapping[str, str], *, noise: float) -> None:
        self._gold, self._noise = gold, noise
        self._texts = {name: _squeezed(text) for name, text in texts.items()}
        self._ids = {" ".join(question.text.split()): question.id for question in QUESTIONS.values()}
        self.calls: Counter[str] = Counter()
        self._lock = threading.Lock()

    def reply(self, request: Any) -> dict[str, Any]:
        model, messages = request["model"], request["messages"]
        with self._lock:
            self.calls[model] += 1
        content = json.dumps(self._answer(model, messages[-1]["content"]))
        sent = sum(len(message["content"]) for message in messages)
        usage = {"prompt_tokens": sent // _CHARS_PER_TOKEN, "completion_tokens": len(content) // _CHARS_PER_TOKEN}
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        return {"choices": [choice], "usage": usage}

    def _answer(self, model: str, user: str) -> dict[str, Any]:
        data, asked = _DATA.search(user), _QUESTION.search(user)
        if data is None or asked is None:
            raise ValueError("not the strict prompt")
        passages = data[1].split("\n---\n")
        question = self._ids[asked[1]]
        sent = _squeezed(passages[0])
        paper = next(name for name, text in self._texts.items() if sent in text)
        label = self._gold[paper, question]
        sentences = re.split(r"(?<=\.)\s", data[1])
        found = [quote for quote in label.quotes if _squeezed(quote) in self._texts[paper]]
        quotes = tuple(found or label.quotes)[:1]
        if is_wrong(model, paper, question, self._noise):
            quotes = () if label.reported else tuple(s for s in sentences if len(s.split()) >= _LEAST_WORDS)[:1]
        return {"reported": bool(quotes), "answer": quotes[0] if quotes else "Not reported.", "quotes": quotes}


@contextmanager
def serve(model: GoldModel) -> Iterator[str]:
    """Its base_url."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.dumps(model.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _squeezed(text: str) -> str:
    """Without spaces, hyphens and case, by which quotes differ from the text of a paper."""
    return re.sub(r"[\s\u00ad\u2010\u2011-]+", "", text).lower()
