"""Shared by the tests of the chat reader: a paper of two sentences, and a reader for a server on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from methodlens.readers.chat import ChatReader
from methodlens.readers.chat_client import ChatClient
from methodlens.records import Answer, Hit, Paper, Passage, Question
from methodlens.settings import ChatServer
from tests.loopback import Script, chat_server

CANARY = "sk-canary-0123456789"
TEXT = "The fern model was trained on two Titan RTX cards. Ferns were counted by hand in June."
QUOTE = "The fern model was trained on two Titan RTX cards."
PAPER = Paper(sha256="0" * 64, parser="test", text=TEXT)
HITS = [Hit(Passage(0, len(TEXT), 1, "Methods", TEXT), 1.0)]
QUESTION = Question("CQ20", "Which hardware is used for training?")


def server_at(base_url: str, **changes: Any) -> ChatServer:
    defaults: dict[str, Any] = {"timeout_s": 60.0, "longest_wait_s": 0.05, "key_variable": "FERN_KEY", "prompt": "strict"}
    return ChatServer(base_url=base_url, model="fern-7b", **{**defaults, **changes})


@contextmanager
def reader_at(base_url: str, *, key: str | None = CANARY, judge: bool = False, **changes: Any) -> Iterator[ChatReader]:
    server = server_at(base_url, **changes)
    reader = ChatReader("chat:fern", server, ChatClient("chat:fern", server, key), judge=judge)
    try:
        yield reader
    finally:
        reader.close()


def ask(*script: Script, judge: bool = False, **changes: Any) -> Answer:
    with chat_server(*script) as double, reader_at(double.url, judge=judge, **changes) as reader:
        return reader.read(QUESTION, PAPER, HITS)
