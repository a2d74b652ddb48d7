"""A reader that asks a language model: prompt, reply, one try at repair, then every quote is looked up in the paper."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from methodlens.errors import ReaderError, ReaderFailed
from methodlens.readers import context, structured
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.cleaning import clean
from methodlens.readers.credentials import key_for
from methodlens.readers.grounding import locate, support, unsupported
from methodlens.readers.presets import resolve
from methodlens.readers.prompting import JUDGE, Message, load
from methodlens.readers.replies import InvalidReply, Reply
from methodlens.readers.structured import Said
from methodlens.records import Answer, Hit, Paper, Question, ReaderInfo, Usage
from methodlens.settings import ChatServer, Settings

REVISION = 2
"""Raised when the same reply would give another answer: cells kept by an older revision are asked again."""

NOTHING_FOUND = "No mention of this was found in the paper, so the model was not asked."
_JUDGE_TOKENS = 8
_SHOWN_AGAIN = 4000  # characters of an unusable reply that the model is shown when asked to mend it


class Transport(Protocol):
    """Whoever brings messages to a model and its reply back: a `ChatClient`, or a model file in this process."""

    @property
    def schema(self) -> str:
        """How JSON is asked for, as far as is known by now."""
        ...

    def complete(self, messages: Sequence[Message], *, json: bool, max_tokens: int = 0, attempts: int = 0) -> Reply: ...
    def models(self) -> list[str]: ...
    def close(self) -> None: ...


class Unusable(ReaderFailed):
    """The model said something, and it is no answer: it may try once more."""

    reply = ""


def from_settings(name: str, settings: Settings, environ: Mapping[str, str]) -> "ChatReader":
    """The reader [readers.NAME] describes, or PRESET/MODEL. Raises ReaderError when it is not there, or its key is not set."""
    server = resolve(name, settings)
    full = f"chat:{name}"
    client = ChatClient(full, server, key_for(full, server.key_variable, environ))
    return ChatReader(full, server, client, judge=settings.judge == "model")


class ChatReader:
    """One call per cell, two with a judge, one more where the first reply cannot be used."""

    def __init__(self, name: str, server: ChatServer, transport: Transport, *, judge: bool = False, identity: str = "") -> None:
        self.name = name
        self.model = server.model
        self._server = server
        self._transport = transport
        self._prompt = load(server.prompt)
        self._judge = load(JUDGE) if judge else None
        tokens = server.context_tokens or (context.WHOLE_PAPER_TOKENS if server.context == "paper" else 0)
        self.info = ReaderInfo(
            name,
            server.model,
            self._fingerprint(identity or server.base_url),
            remote=True,
            concurrency=max(1, server.concurrency),
            priced=server.price_in is not None or server.price_out is not None,
            context_chars=tokens * context.CHARS_PER_TOKEN or None,
        )

    def __repr__(self) -> str:
        return f"ChatReader({self.name!r}, model={self.model!r})"

    def close(self) -> None:
        self._transport.close()

    def checkup(self) -> str:
        """One tiny question, without patience: what came of it, in a few words. Raises ReaderError with what to do."""
        question = [
            {"role": "user", "content": 'Reply with this JSON object: {"reported": false, "answer": "yes", "quotes": []}'}
        ]
        started = time.perf_counter()
        try:
            reply = self._transport.complete(question, json=self._prompt.json, max_tokens=64, attempts=1)
        except ReaderFailed:
            raise
        except ReaderError as err:
            there = self._transport.models()
            raise ReaderError(err.problem, err.fix + (f"; models there: {', '.join(there[:5])}" if there else "")) from err
        if not reply.content.strip():
            raise self._failed("it answers, but says nothing", "look at the server's chat template")
        mode = "" if not self._prompt.json else "no JSON mode" if self._transport.schema == "none" else self._transport.schema
        understood = "" if not self._prompt.json or structured.parse(reply.content) else "its JSON was not what was asked for"
        told = [f"answers in {time.perf_counter() - started:.1f} s", mode, understood]
        return f"{self.model}: {', '.join(each for each in told if each)}"

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        passages = self._passages(paper, context)
        if not passages:
            return Answer(NOTHING_FOUND)
        conversation = _Conversation(self._transport, self._prompt.json)
        try:
            said, raw = self._said(conversation, question, passages)
            given = self._given(conversation, question, said)
        except ReaderFailed as err:
            err.usage = conversation.usage + (err.usage or Usage())
            raise
        evidence = tuple(locate(quote, paper) for quote in said.quotes) or support(
            said.answer, paper, context, question=question.text
        )
        return Answer(
            text=said.answer,
            evidence=evidence if said.reported else (),
            unsupported=unsupported(said.answer, evidence, question=question.text) if said.reported else (),
            raw=raw,
            tokens=conversation.usage.tokens_in + conversation.usage.tokens_out,
            said=given,
            usage=conversation.usage,
        )

    def _passages(self, paper: Paper, hits: Sequence[Hit]) -> list[str]:
        if self._server.context == "paper" and (text := context.whole_paper(paper, max_chars=self.info.context_chars or 0)):
            return text
        best = [hit.passage.text for hit in hits]
        return best if self._prompt.by_rank else context.best_first_and_last(best)

    def _said(self, conversation: "_Conversation", question: Question, passages: Sequence[str]) -> tuple[Said, str]:
        """What the model says, and its own words. What cannot be used may be mended once."""
        messages = self._prompt.messages(question.text, passages)
        read = self._structured if self._prompt.json else self._plain
        try:
            reply = conversation.ask(messages)
            return read(reply), reply.content
        except InvalidReply:
            pass  # nothing was heard of the model: the same again
        except Unusable as err:
            shown = err.reply[:_SHOWN_AGAIN]
            messages = [*messages, {"role": "assistant", "content": shown}, {"role": "user", "content": self._prompt.repair}]
        reply = conversation.ask(messages)
        return read(reply), reply.content

    def _structured(self, reply: Reply) -> Said:
        said = structured.parse(reply.content)
        if said is None:
            self._heard(reply)
            raise self._unusable(
                "the reply is not the JSON that was asked for", "ask another model, or set prompt = 'seeds'", reply
            )
        cleaned = clean(said.answer)
        if cleaned.looped:
            raise self._repeats()
        if not cleaned.text:
            raise self._unusable("the answer in the reply is empty", "ask another model", reply)
        return said._replace(answer=cleaned.text)

    def _plain(self, reply: Reply) -> Said:
        """The cleaned answer. Nothing usable is a failure, never a "no"."""
        cleaned = clean(reply.content)
        if cleaned.looped:
            raise self._repeats()
        if not cleaned.cut:  # what follows an answer may be cut off without harm to it
            self._heard(reply)
        if not cleaned.text and cleaned.echoed:
            raise self._unusable("the model gave the prompt back", "ask another model", reply)
        if not cleaned.text:
            self._heard(reply._replace(content=""))
        return Said(True, cleaned.text, ())

    def _heard(self, reply: Reply) -> None:
        if reply.at_limit:
            raise self._failed(f"the answer was cut off after max_tokens = {self._server.max_tokens}", "raise max_tokens")
        if not reply.content.strip():
            raise self._failed("the answer is empty", "ask another model, or look at the server's chat template")

    def _given(self, conversation: "_Conversation", question: Question, said: Said) -> bool | None:
        """The model's own word on whether its answer gives what was asked. With a judge it is asked for it in a second call,
        the published step; no word is no "no"."""
        if not said.reported:
            return False
        if self._judge is None:
            return None
        reply = conversation.ask(self._judge.messages(question.text, [said.answer]), json=False, max_tokens=_JUDGE_TOKENS)
        words = "".join(char if char.isalpha() else " " for char in reply.content.lower()).split()
        heard = {word for word in words if word in ("yes", "no")}
        if len(heard) != 1:
            raise self._failed("the second look gave neither yes nor no", "run again, or leave --judge model out")
        return heard == {"yes"}

    def _failed(self, problem: str, fix: str) -> ReaderFailed:
        return ReaderFailed(f"{self.name}: {problem}", fix)

    def _repeats(self) -> ReaderFailed:
        return self._failed("the model repeats itself", "ask another model, or a higher temperature")

    def _unusable(self, problem: str, fix: str, reply: Reply) -> Unusable:
        error = Unusable(f"{self.name}: {problem}", fix)
        error.reply = reply.content
        return error

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


class _Conversation:
    """The calls of one cell, and what they took together."""

    def __init__(self, transport: Transport, json: bool) -> None:
        self._transport, self._json = transport, json
        self.usage = Usage()

    def ask(self, messages: Sequence[Message], *, json: bool | None = None, max_tokens: int = 0) -> Reply:
        wanted = self._json if json is None else json
        try:
            reply = self._transport.complete(messages, json=wanted, max_tokens=max_tokens)
        except ReaderFailed as err:
            self.usage += err.usage or Usage()
            err.usage = None
            raise
        self.usage += reply.usage
        return reply
