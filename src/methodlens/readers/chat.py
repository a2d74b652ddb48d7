"""A reader that asks a language model. An unusable reply is repaired once, and every quote is located in the paper."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from methodlens.api_keys import find_key
from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers.answer_cleaning import CleanAnswer, clean_answer
from methodlens.readers.calls import Asked, Calls, Transport
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.crops import Crop
from methodlens.readers.grounded_answer import grounded_answer
from methodlens.readers.presets import resolve
from methodlens.readers.prompting import (
    CHARS_PER_TOKEN,
    JUDGE,
    WHOLE_PAPER_TOKENS,
    Message,
    Prompt,
    best_first_and_last,
    load,
    whole_paper,
)
from methodlens.readers.replies import SCHEMA, InvalidReply, ModelAnswer, Reply, parse_answer
from methodlens.readers.sight import look, refuse_blind_forms, sight_fingerprint
from methodlens.readers.thoughts import without_thoughts
from methodlens.readers.wire import ChatCall, encodable_messages
from methodlens.records import Answer, Hit, Paper, Question, ReaderInfo, Usage
from methodlens.seams import PagePictures
from methodlens.settings import ChatServer, Settings

if TYPE_CHECKING:
    from methodlens.readers.batched_chat import BatchedChatReader

REVISION = 2
"""Increase it when the same reply gives another answer: cells of an older revision are then asked again."""

NOTHING_FOUND = "No mention of this was found in the paper, so the model was not asked."
_JUDGE_TOKENS = 8  # a reasoning model needs room for its thoughts as well
_REPAIR_CHARS = 4000  # of an unusable reply, sent back to the model with the request to repair it


class UnusableReply(ReaderFailed):
    """The model replied, but not with an answer. It is asked once more."""


def from_settings(name: str, settings: Settings, environ: Mapping[str, str]) -> "ChatReader | BatchedChatReader":
    """The reader of the table [readers.NAME], or PRESET/MODEL. Raises ReaderError if it is unknown or its key is not set."""
    server = resolve(name, settings)
    full_name = f"chat:{name}"
    key = find_key(full_name, server.key_variable, environ, error=ReaderError)
    from methodlens.readers.batched_chat import batched_reader  # both use the reader below
    from methodlens.readers.grouped_chat import chat_reader

    reader = chat_reader(full_name, server, ChatClient(full_name, server, key), judge=settings.judge == "model")
    return batched_reader(reader, server, key) if server.batch or settings.batch else reader


class ChatReader:
    """Makes one call per cell, two with a judge, and one more if the first reply is unusable."""

    def __init__(self, name: str, server: ChatServer, transport: Transport, *, judge: bool = False, identity: str = "") -> None:
        self._server = server
        self._transport = transport
        self._prompt = self._load_prompt()
        self._judge = load(JUDGE) if judge else None
        self._pictures: PagePictures | None = None
        refuse_blind_forms(name, server, json=self._prompt.json)
        tokens = server.context_tokens or (WHOLE_PAPER_TOKENS if self._whole_paper else 0)
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

    def _load_prompt(self) -> Prompt:
        return load(self._server.prompt)

    @property
    def has_judge(self) -> bool:
        return self._judge is not None

    @property
    def _whole_paper(self) -> bool:
        return self._server.context == "paper"

    def close(self) -> None:
        self._transport.close()

    def with_prompt(self, name: str, prompt: Prompt) -> "ChatReader":
        """The same model and connection with another prompt, as a reader of that name."""
        other = copy(self)
        other._prompt, other._judge = prompt, None
        own = hashlib.sha256(f"{self.info.fingerprint} {prompt.sha256}".encode()).hexdigest()[:32]
        other.info = replace(self.info, name=name, fingerprint=f"chat-{own}")
        return other

    def look_at(self, pictures: PagePictures) -> None:
        """Where the pictures of pages come from; ignored without `vision`."""
        self._pictures = pictures if self._server.vision else None

    def check(self) -> str:
        """Send one small request without retries and describe the result in a few words. Raises ReaderError."""
        prompt = 'Reply with this JSON object: {"reported": false, "answer": "yes", "quotes": []}'
        started = time.perf_counter()
        try:
            message = {"role": "user", "content": prompt}
            reply = self._transport.complete([message], json=self._prompt.json, attempts=1)
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
        sight = look(paper, context, self._pictures, limit=self._server.vision_pictures)
        messages = sight.messages(self._prompt.messages(question.text, [*passages, *sight.captions]))
        calls = Calls(self._transport, sight.pictures)
        try:
            parse = self._parse_json if self._prompt.json else self._parse_plain
            answer, raw = self._ask(calls, messages, parse, schema=sight.schema)
            verdict = self._model_verdict(calls, question, answer)
        except ReaderFailed as err:
            err.usage = calls.usage
            raise
        asked = Asked(question, paper, context)
        return self._ground(asked, answer, raw=raw, verdict=verdict, usage=calls.usage, seen=sight.crops)

    def batch_call(self, group: Sequence[Asked]) -> ChatCall | None:
        """What a batch asks for these questions, here one; None if there is nothing to show."""
        (asked,) = group
        passages = self._passages(asked.paper, asked.context)
        if not passages:
            return None
        messages = self._prompt.messages(asked.question.text, passages)
        return ChatCall(encodable_messages(messages), self._server.max_tokens, SCHEMA if self._prompt.json else None)

    def batch_answers(self, group: Sequence[Asked], reply: Reply) -> list[Answer | ReaderFailed]:
        """The answers in a reply to `batch_call`; None of them is asked again here."""
        (asked,) = group
        try:
            answer = self._parse_json(reply) if self._prompt.json else self._parse_plain(reply)
        except ReaderFailed as err:
            err.usage = reply.usage
            return [err]
        verdict = None if answer.reported else False
        return [self._ground(asked, answer, raw=reply.content, verdict=verdict, usage=reply.usage)]

    def _ground(
        self, asked: Asked, answer: ModelAnswer, *, raw: str, verdict: bool | None, usage: Usage, seen: Sequence[Crop] = ()
    ) -> Answer:
        """The answer with its quotes located in the paper."""
        return grounded_answer(asked, answer, raw=raw, verdict=verdict, usage=usage, seen=seen)

    def _passages(self, paper: Paper, context: Sequence[Hit]) -> list[str]:
        if self._whole_paper and (text := whole_paper(paper, max_chars=self.info.context_chars or 0)):
            return text
        best = [hit.passage.text for hit in context]
        return best if self._prompt.by_rank else best_first_and_last(best)

    def _ask(
        self,
        calls: Calls,
        messages: Sequence[Message],
        parse: Callable[[Reply], ModelAnswer],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> tuple[ModelAnswer, str]:
        """The model's answer and its raw reply."""
        try:
            reply = calls.complete(messages, json=self._prompt.json, schema=schema)
            return parse(reply), reply.content
        except InvalidReply:
            pass  # the server's fault, not the model's: send the same messages again
        except UnusableReply:
            unusable = {"role": "assistant", "content": reply.content[:_REPAIR_CHARS]}
            messages = [*messages, unusable, {"role": "user", "content": self._prompt.repair}]
        reply = calls.complete(messages, json=self._prompt.json, schema=schema)
        return parse(reply), reply.content

    def _parse_json(self, reply: Reply) -> ModelAnswer:
        answer = parse_answer(reply.content)
        if answer is None:
            self._require_complete(reply)
            raise self._unusable("the reply is not the requested JSON", "use another model, or set prompt = 'seeds'")
        return self._cleaned(answer)

    def _cleaned(self, answer: ModelAnswer) -> ModelAnswer:
        cleaned = self._clean(answer.text)
        if not cleaned.text:
            raise self._unusable("the answer in the reply is empty", "use another model")
        return answer._replace(text=cleaned.text)

    def _parse_plain(self, reply: Reply) -> ModelAnswer:
        """An unusable reply is a failure, never a "no"."""
        cleaned = self._clean(without_thoughts(reply.content))
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

    def _model_verdict(self, calls: Calls, question: Question, answer: ModelAnswer) -> bool | None:
        """Whether the model considers the question answered; None if it was not asked. A judge asks it in a second call."""
        if not answer.reported:
            return False
        if self._judge is None:
            return None
        messages = self._judge.messages(question.text, [answer.text])
        reply = calls.complete(messages, json=False, max_tokens=0 if self._server.effort else _JUDGE_TOKENS)
        words = "".join(char if char.isalpha() else " " for char in without_thoughts(reply.content).lower()).split()
        verdicts = {word for word in words if word in ("yes", "no")}
        if len(verdicts) != 1:
            raise self._failed("the judge answered neither yes nor no", "rerun, or omit --judge model")
        return verdicts == {"yes"}

    def _failed(self, problem: str, fix: str) -> ReaderFailed:
        return ReaderFailed(f"{self.info.name}: {problem}", fix)

    def _unusable(self, problem: str, fix: str) -> UnusableReply:
        return UnusableReply(f"{self.info.name}: {problem}", fix)

    def _grouping(self) -> Sequence[object]:
        """What the fingerprint says on grouped calls: nothing here."""
        return ()

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
            *([server.effort] if server.effort else []),
            *self._grouping(),
            *sight_fingerprint(server),
        ]
        return f"chat-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"
