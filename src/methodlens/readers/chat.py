"""A reader that asks a language model. An unusable reply is repaired once, and every quote is located in the paper."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Protocol
from urllib.parse import urlsplit

from methodlens.api_keys import find_key
from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers.answer_cleaning import CleanAnswer, clean_answer
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.grounding import find_support, locate_quote, unsupported_claims
from methodlens.readers.meaning import unsupported_statements
from methodlens.readers.presets import resolve
from methodlens.readers.prompting import (
    CHARS_PER_TOKEN,
    JUDGE,
    WHOLE_PAPER_TOKENS,
    Message,
    best_first_and_last,
    load,
    whole_paper,
)
from methodlens.readers.replies import InvalidReply, ModelAnswer, Reply, parse_answer
from methodlens.records import Answer, Evidence, Hit, Match, Paper, Question, ReaderInfo, Usage
from methodlens.settings import ChatServer, Settings

REVISION = 2
"""Increase it when the same reply gives another answer: cells of an older revision are then asked again."""

NOTHING_FOUND = "No mention of this was found in the paper, so the model was not asked."
_JUDGE_TOKENS = 8
_SURE = 0.8
_REPAIR_CHARS = 4000  # of an unusable reply, sent back to the model with the request to repair it


class Transport(Protocol):
    """Sends messages to a model: a `ChatClient`, or a model file in this process."""

    @property
    def schema(self) -> str:
        """The response_format in use."""
        ...

    def complete(self, messages: Sequence[Message], *, json: bool, max_tokens: int = 0, attempts: int = 0) -> Reply: ...
    def models(self) -> list[str]: ...
    def close(self) -> None: ...


class UnusableReply(ReaderFailed):
    """The model replied, but not with an answer. It is asked once more."""


def from_settings(name: str, settings: Settings, environ: Mapping[str, str]) -> "ChatReader":
    """The reader of the table [readers.NAME], or PRESET/MODEL. Raises ReaderError if it is unknown or its key is not set."""
    server = resolve(name, settings)
    full_name = f"chat:{name}"
    client = ChatClient(full_name, server, find_key(full_name, server.key_variable, environ, error=ReaderError))
    return ChatReader(full_name, server, client, judge=settings.judge == "model")


class ChatReader:
    """Makes one call per cell, two with a judge, and one more if the first reply is unusable."""

    def __init__(self, name: str, server: ChatServer, transport: Transport, *, judge: bool = False, identity: str = "") -> None:
        self._server = server
        self._transport = transport
        self._prompt = load(server.prompt)
        self._judge = load(JUDGE) if judge else None
        tokens = server.context_tokens or (WHOLE_PAPER_TOKENS if server.context == "paper" else 0)
        self.info = ReaderInfo(
            name,
            server.model,
            self._fingerprint(identity or server.base_url),
            remote=True,
            concurrency=max(1, server.concurrency),
            priced=server.price_in is not None or server.price_out is not None,
            context_chars=tokens * CHARS_PER_TOKEN or None,
            server=urlsplit(server.base_url).hostname or "",
        )

    def __repr__(self) -> str:
        return f"ChatReader({self.info.name!r}, model={self.info.model!r})"

    def close(self) -> None:
        self._transport.close()

    def check(self) -> str:
        """Send one small request without retries and describe the result in a few words. Raises ReaderError."""
        prompt = 'Reply with this JSON object: {"reported": false, "answer": "yes", "quotes": []}'
        started = time.perf_counter()
        try:
            message = {"role": "user", "content": prompt}
            reply = self._transport.complete([message], json=self._prompt.json, max_tokens=64, attempts=1)
        except ReaderFailed:
            raise
        except ReaderError as err:
            models = self._transport.models()
            raise ReaderError(err.problem, err.fix + (f"; models there: {', '.join(models[:5])}" if models else "")) from err
        if not reply.content.strip():
            raise self._failed("the reply is empty", "check the server's chat template")
        results = [f"answers in {time.perf_counter() - started:.1f} s"]
        if self._prompt.json:
            results.append("no JSON mode" if self._transport.schema == "none" else self._transport.schema)
            results += [] if parse_answer(reply.content) else ["its JSON does not have the requested fields"]
        return f"{self.info.model}: {', '.join(results)}"

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        passages = self._passages(paper, context)
        if not passages:
            return Answer(NOTHING_FOUND)
        calls = _Calls(self._transport)
        try:
            answer, raw = self._ask(calls, question, passages)
            verdict = self._model_verdict(calls, question, answer)
        except ReaderFailed as err:
            err.usage = calls.usage
            raise
        evidence = tuple(locate_quote(quote, paper) for quote in answer.quotes) or find_support(
            answer.text, paper, context, question=question.text
        )
        return Answer(
            text=answer.text,
            evidence=evidence if answer.reported else (),
            unsupported=_unsupported(answer.text, evidence, question) if answer.reported else (),
            contradiction=_contradiction(question, paper, context),
            raw=raw,
            tokens=calls.usage.tokens_in + calls.usage.tokens_out,
            says_reported=verdict,
            usage=calls.usage,
        )

    def _passages(self, paper: Paper, context: Sequence[Hit]) -> list[str]:
        if self._server.context == "paper" and (text := whole_paper(paper, max_chars=self.info.context_chars or 0)):
            return text
        best = [hit.passage.text for hit in context]
        return best if self._prompt.by_rank else best_first_and_last(best)

    def _ask(self, calls: "_Calls", question: Question, passages: Sequence[str]) -> tuple[ModelAnswer, str]:
        """The model's answer and its raw reply."""
        messages = self._prompt.messages(question.text, passages)
        parse = self._parse_json if self._prompt.json else self._parse_plain
        try:
            reply = calls.complete(messages, json=self._prompt.json)
            return parse(reply), reply.content
        except InvalidReply:
            pass  # the server's fault, not the model's: send the same messages again
        except UnusableReply:
            unusable = {"role": "assistant", "content": reply.content[:_REPAIR_CHARS]}
            messages = [*messages, unusable, {"role": "user", "content": self._prompt.repair}]
        reply = calls.complete(messages, json=self._prompt.json)
        return parse(reply), reply.content

    def _parse_json(self, reply: Reply) -> ModelAnswer:
        answer = parse_answer(reply.content)
        if answer is None:
            self._require_complete(reply)
            raise self._unusable("the reply is not the requested JSON", "use another model, or set prompt = 'seeds'")
        cleaned = self._clean(answer.text)
        if not cleaned.text:
            raise self._unusable("the answer in the reply is empty", "use another model")
        return answer._replace(text=cleaned.text)

    def _parse_plain(self, reply: Reply) -> ModelAnswer:
        """An unusable reply is a failure, never a "no"."""
        cleaned = self._clean(reply.content)
        if not cleaned.removed:  # otherwise only the text after the answer was cut off
            self._require_complete(reply)
        if not cleaned.text and cleaned.echoes_prompt:
            raise self._unusable("the model repeated the prompt", "use another model")
        if not cleaned.text:
            self._require_complete(reply._replace(content=""))
        return ModelAnswer(True, cleaned.text, ())

    def _clean(self, text: str) -> CleanAnswer:
        cleaned = clean_answer(text)
        if cleaned.repetitive:
            raise self._failed("the model repeats itself", "use another model, or raise temperature")
        return cleaned

    def _require_complete(self, reply: Reply) -> None:
        if reply.at_limit:
            raise self._failed(f"the answer was cut off after max_tokens = {self._server.max_tokens}", "raise max_tokens")
        if not reply.content.strip():
            raise self._failed("the answer is empty", "use another model, or check the server's chat template")

    def _model_verdict(self, calls: "_Calls", question: Question, answer: ModelAnswer) -> bool | None:
        """Whether the model considers the question answered; None if it was not asked. A judge asks it in a second call."""
        if not answer.reported:
            return False
        if self._judge is None:
            return None
        messages = self._judge.messages(question.text, [answer.text])
        reply = calls.complete(messages, json=False, max_tokens=_JUDGE_TOKENS)
        words = "".join(char if char.isalpha() else " " for char in reply.content.lower()).split()
        verdicts = {word for word in words if word in ("yes", "no")}
        if len(verdicts) != 1:
            raise self._failed("the judge answered neither yes nor no", "rerun, or omit --judge model")
        return verdicts == {"yes"}

    def _failed(self, problem: str, fix: str) -> ReaderFailed:
        return ReaderFailed(f"{self.info.name}: {problem}", fix)

    def _unusable(self, problem: str, fix: str) -> UnusableReply:
        return UnusableReply(f"{self.info.name}: {problem}", fix)

    def _fingerprint(self, identity: str) -> str:
        server = self._server
        parts = [
            REVISION,
            identity,
            server.model,
            self._prompt.sha256,
            self._judge.sha256 if self._judge else "",
            server.schema if self._prompt.json else "",
            server.context,
            server.context_tokens if server.context == "paper" else 0,
            server.temperature,
            server.max_tokens,
        ]
        return f"chat-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"


class _Calls:
    """The calls of one cell and their total usage, failed calls included."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.usage = Usage()

    def complete(self, messages: Sequence[Message], *, json: bool, max_tokens: int = 0) -> Reply:
        try:
            reply = self._transport.complete(messages, json=json, max_tokens=max_tokens)
        except ReaderFailed as err:
            self.usage += err.usage or Usage()
            raise
        self.usage += reply.usage
        return reply


def _unsupported(text: str, evidence: Sequence[Evidence], question: Question) -> tuple[str, ...]:
    located = [item.quote for item in evidence if item.match is not Match.ABSENT]
    claims = unsupported_claims(text, evidence, question=question.text)
    return claims or (unsupported_statements(text, located, question) if located else ())


def _contradiction(question: Question, paper: Paper, context: Sequence[Hit]) -> str:
    """The sentence in which the embedded reader is sure to have found a value: a model's "not reported" then needs a look."""
    found = _embedded().read(question, paper, context)
    sure = found.p_reported is not None and found.p_reported >= _SURE and any(found.facts.values())
    return found.evidence[0].quote if sure and found.evidence else ""


@cache
def _embedded() -> EmbeddedReader:
    return EmbeddedReader()
