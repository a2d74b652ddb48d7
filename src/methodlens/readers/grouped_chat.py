"""A reader that asks a language model several questions about a paper in one call. Each answer is grounded on its own.

A part of the reply that is missing or unusable is asked again alone; a reply without any usable part, in smaller groups.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from methodlens.errors import ReaderAbandoned, ReaderError, ReaderFailed
from methodlens.readers.calls import Asked, Calls, Transport
from methodlens.readers.chat import NOTHING_FOUND, ChatReader
from methodlens.readers.group_replies import Part, group_schema, parse_group
from methodlens.readers.grouping import cluster, even_parts, shared_passages, shares
from methodlens.readers.prompting import CHARS_PER_TOKEN, WHOLE_PAPER_TOKENS, Message, Template, load_grouped, whole_paper
from methodlens.readers.replies import ModelAnswer, Reply, parse_answer
from methodlens.readers.wire import ChatCall, encodable_messages
from methodlens.records import Answer, Hit, Paper, Question, Usage
from methodlens.settings import ChatServer

GROUP_TOKENS = 16_000
"""Of the passages in one call."""
MAX_QUESTIONS = 40
"""In one call: more answers than models reliably write in one reply."""
_TOKENS_PER_ANSWER = 250  # what the prompt asks for, with room to spare; the first may take max_tokens
_PARTS = 4  # of a group whose reply could not be used


def chat_reader(name: str, server: ChatServer, transport: Transport, *, judge: bool = False, identity: str = "") -> ChatReader:
    """The reader for the server's `group` setting."""
    kind = ChatReader if server.group == "single" else GroupedChatReader
    return kind(name, server, transport, judge=judge, identity=identity)


def call_tokens(server: ChatServer) -> int:
    """The passages of one call, roughly."""
    if server.group == "paper":
        return server.context_tokens or WHOLE_PAPER_TOKENS
    return server.group_tokens or GROUP_TOKENS


def answer_tokens(max_tokens: int, questions: int) -> int:
    """The limit for a reply to so many questions."""
    return min(questions * max_tokens, max_tokens + (questions - 1) * _TOKENS_PER_ANSWER)


class _Results:
    """The answer to each question by key, or why there is none, and what each has used."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}
        self.failures: dict[str, ReaderFailed] = {}
        self.usage: dict[str, Usage] = {}

    def spend(self, ids: Sequence[str], usage: Usage) -> None:
        for key, share in zip(ids, shares(usage, len(ids)), strict=True):
            self.usage[key] = self.usage.get(key, Usage()) + share

    def fail(self, ids: Sequence[str], error: ReaderFailed) -> None:
        self.failures |= dict.fromkeys(ids, error)


class GroupedChatReader(ChatReader):
    """A `GroupReader`."""

    _prompt: Template

    def __init__(self, name: str, server: ChatServer, transport: Transport, *, judge: bool = False, identity: str = "") -> None:
        super().__init__(name, server, transport, judge=judge, identity=identity)
        self.info = replace(self.info, grouped=True)

    @property
    def _whole_paper(self) -> bool:
        return self._server.group == "paper"

    def _load_prompt(self) -> Template:
        if self._server.prompt != "strict":
            problem = f'group = "{self._server.group}" has a prompt of its own, but prompt is set'
            raise ReaderError(f"{problem} ({self._server.prompt})", 'remove prompt, or set group = "single"')
        return load_grouped()

    def _grouping(self) -> Sequence[object]:
        return self._server.group, self._server.group_tokens, self._server.context_tokens

    def groups(self, questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]) -> list[list[int]]:
        """All questions if the paper fits into one call, otherwise those that share passages."""
        if self._text(paper):
            parts = -(-len(questions) // MAX_QUESTIONS)
            return [list(part) for part in even_parts(len(questions), parts)] if questions else []
        return cluster(contexts, max_chars=call_tokens(self._server) * CHARS_PER_TOKEN, max_questions=MAX_QUESTIONS)

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        (answer,) = self.read_group([question], paper, [context])
        if isinstance(answer, ReaderFailed):
            raise answer
        return answer

    def read_group(
        self, questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]
    ) -> list[Answer | ReaderFailed]:
        group = {question.id: Asked(question, paper, context) for question, context in zip(questions, contexts, strict=True)}
        results = _Results()
        self._ask_group(results, {key: asked for key, asked in group.items() if self._shown([asked])})
        return [self._result(results, asked) for asked in group.values()]

    def _result(self, results: _Results, asked: Asked) -> Answer | ReaderFailed:
        key = asked.question.id
        calls = Calls(self._transport)
        try:
            if key in results.failures:
                raise results.failures[key]
            if key not in results.parts:
                return Answer(NOTHING_FOUND)
            part = results.parts[key]
            verdict = self._model_verdict(calls, asked.question, part.answer)
        except ReaderAbandoned:
            raise
        except ReaderFailed as err:
            failed = ReaderFailed(err.problem, err.fix)  # its own, because a group may share the cause but not the usage
            failed.usage = results.usage.get(key, Usage()) + calls.usage
            return failed
        return self._ground(asked, part.answer, raw=part.raw, verdict=verdict, usage=results.usage[key] + calls.usage)

    def batch_call(self, group: Sequence[Asked]) -> ChatCall | None:
        open_questions = {asked.question.id: asked for asked in group if self._shown([asked])}
        if not open_questions:
            return None
        limit = answer_tokens(self._server.max_tokens, len(open_questions))
        return ChatCall(encodable_messages(self._messages(open_questions)), limit, group_schema(open_questions))

    def batch_answers(self, group: Sequence[Asked], reply: Reply) -> list[Answer | ReaderFailed]:
        results = _Results()
        ids = [asked.question.id for asked in group if self._shown([asked])]
        results.spend(ids, reply.usage)
        results.parts = self._usable(parse_group(reply.content, ids))
        missing = [key for key in ids if key not in results.parts]
        if reply.at_limit:
            results.fail(missing, self._unusable("the reply was cut off", "raise max_tokens"))
        else:
            results.fail(missing, self._unusable("the reply has no usable answer to this question", "use another model"))
        return [self._result(results, asked) for asked in group]

    # --- asking -----------------------------------------------------------------------------------------------------

    def _ask_group(self, results: _Results, group: Mapping[str, Asked]) -> None:
        if len(group) < 2:
            for key, asked in group.items():
                self._ask_alone(results, key, asked)
            return
        ids, calls = list(group), Calls(self._transport)
        limit = answer_tokens(self._server.max_tokens, len(group))
        try:
            reply = calls.complete(self._messages(group), json=True, max_tokens=limit, schema=group_schema(group))
        except ReaderAbandoned:
            raise
        except ReaderFailed as err:
            results.spend(ids, calls.usage)
            self._ask_while_answered(results, group, err)
            return
        results.spend(ids, calls.usage)
        results.parts |= self._usable(parse_group(reply.content, ids))
        missing = {key: asked for key, asked in group.items() if key not in results.parts}
        if len(missing) == len(group):
            for part in _parts(group):
                self._ask_group(results, part)
        elif reply.at_limit:
            self._ask_group(results, missing)
        else:
            for key, asked in missing.items():
                self._ask_alone(results, key, asked)

    def _ask_while_answered(self, results: _Results, group: Mapping[str, Asked], error: ReaderFailed) -> None:
        """After a failed call: the group may be too large. If a small one fails too, it is not the size."""
        parts = _parts(group)
        while parts:
            part = parts.pop(0)
            self._ask_group(results, part)
            if all(key in results.failures for key in part):
                results.fail([key for left in parts for key in left], error)
                return

    def _ask_alone(self, results: _Results, key: str, asked: Asked) -> None:
        calls = Calls(self._transport)
        raw: list[str] = []

        def parse(reply: Reply) -> ModelAnswer:
            part = parse_group(reply.content, [key]).get(key)
            answer = part.answer if part else parse_answer(reply.content)
            if answer is None:
                self._require_complete(reply)
                raise self._unusable("the reply is not the requested JSON", 'use another model, or set group = "single"')
            raw.append(part.raw if part else reply.content)
            return self._cleaned(answer)

        try:
            answer, _ = self._ask(calls, self._messages({key: asked}), parse, schema=group_schema([key]))
            results.parts[key] = Part(answer, raw[-1])
        except ReaderAbandoned:
            raise
        except ReaderFailed as err:
            results.fail([key], err)
        finally:
            results.spend([key], calls.usage)

    def _usable(self, parts: Mapping[str, Part]) -> dict[str, Part]:
        usable: dict[str, Part] = {}
        for key, part in parts.items():
            try:
                usable[key] = part._replace(answer=self._cleaned(part.answer))
            except ReaderFailed:
                continue  # it is asked again alone
        return usable

    def _messages(self, group: Mapping[str, Asked]) -> list[Message]:
        questions = {key: asked.question.text for key, asked in group.items()}
        return self._prompt.group_messages(questions, self._shown(list(group.values())))

    def _shown(self, group: Sequence[Asked]) -> list[str]:
        return self._text(group[0].paper) or shared_passages([asked.context for asked in group])

    def _text(self, paper: Paper) -> list[str]:
        """The whole paper, if it is to be sent and fits."""
        return whole_paper(paper, max_chars=self.info.context_chars or 0) if self._whole_paper else []


def _parts(group: Mapping[str, Asked]) -> list[dict[str, Asked]]:
    items = list(group.items())
    return [dict(items[part.start : part.stop]) for part in even_parts(len(items), _PARTS)]
