"""A chat reader whose calls a run hands in as batches. The answers, and so the cells, are those of the same reader without."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers.batches import create_api
from methodlens.readers.batches.batch_api import BatchApi, BatchHttpSettings
from methodlens.readers.batches.bodies import BatchBodies
from methodlens.readers.calls import Asked
from methodlens.readers.chat import ChatReader
from methodlens.readers.grouped_chat import GroupedChatReader
from methodlens.readers.grouping import shares
from methodlens.readers.refusals import ended_without_answer
from methodlens.readers.replies import InvalidReply
from methodlens.records import Answer, Hit, Paper, Question, Usage
from methodlens.settings import ChatServer

_TOKENS_PER_ANSWER = 120  # on average, for the estimate that a budget is checked with


class BatchRequest(NamedTuple):
    body: dict[str, Any]
    estimate: Usage
    """What it will probably use."""


def batched_reader(reader: ChatReader, server: ChatServer, key: str | None) -> "BatchedChatReader":
    """Raises ReaderError if the reader needs more than one call per cell."""
    if reader.has_judge:
        raise ReaderError(f"{reader.info.name}: batches cannot be judged by a second call", "omit --judge model, or --batch")
    if server.vision:
        raise ReaderError(f"{reader.info.name}: batches send no pictures", "remove vision, or --batch and batch")
    settings = BatchHttpSettings(reader.info.name, server.base_url, key, server.timeout_s)
    return BatchedChatReader(reader, server, create_api(settings, server))


class BatchedChatReader:
    """`read` asks at once, at the full price; `request` and `answers` are for batches."""

    def __init__(self, reader: ChatReader, server: ChatServer, api: BatchApi) -> None:
        self._reader, self._server, self.api = reader, server, api
        self._bodies = BatchBodies(server)
        self.info = replace(reader.info, batched=True)

    @property
    def poll_s(self) -> float:
        return self._server.batch_poll_s

    def __repr__(self) -> str:
        return f"BatchedChatReader({self.info.name!r}, model={self.info.model!r})"

    def close(self) -> None:
        self.api.close()
        self._reader.close()

    def check(self) -> str:
        return self._reader.check()

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        return self._reader.read(question, paper, context)

    def groups(self, questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]) -> Sequence[Sequence[int]]:
        if isinstance(self._reader, GroupedChatReader):
            return self._reader.groups(questions, paper, contexts)
        return [[index] for index in range(len(questions))]

    def request(self, questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]) -> BatchRequest | None:
        """For a group of questions; None if there is nothing to show the model."""
        call = self._reader.batch_call(_asked(questions, paper, contexts))
        if call is None:
            return None
        return BatchRequest(self._bodies.body(call), self._bodies.estimate(call.tokens, len(questions) * _TOKENS_PER_ANSWER))

    def answers(
        self, content: bytes, questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]
    ) -> Sequence[Answer | ReaderFailed]:
        """From the response to a request, for each of its questions."""
        group = _asked(questions, paper, contexts)
        try:
            reply = self._bodies.parse(content, source=self.info.name)
        except InvalidReply as err:
            return [err] * len(group)
        call = self._reader.batch_call(group)
        usage = self._bodies.usage(reply, tokens_asked=call.tokens if call else 0)
        max_tokens = call.max_tokens if call else self._server.max_tokens
        if failed := ended_without_answer(self.info.name, reply, max_tokens=max_tokens):
            return [_failed(failed, share) for share in shares(usage, len(group))]
        return self._reader.batch_answers(group, reply._replace(usage=usage))


def _asked(questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]) -> list[Asked]:
    return [Asked(question, paper, context) for question, context in zip(questions, contexts, strict=True)]


def _failed(error: ReaderFailed, usage: Usage) -> ReaderFailed:
    failed = ReaderFailed(error.problem, error.fix)
    failed.usage = usage
    return failed
