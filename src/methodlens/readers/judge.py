"""A judge: a language model that sees what earlier readers of a cascade answered, with their quotes, and decides.

Its decision is an answer like any other: its own quotes are located in the paper, and what they do not support is withheld.
"""

import hashlib
from collections.abc import Sequence
from copy import copy
from string import ascii_uppercase

from msgspec.structs import replace

from methodlens.errors import ReaderError
from methodlens.readers.chat import ChatReader
from methodlens.readers.prompting import ADJUDICATE, Message, Prompt, load
from methodlens.readers.registry import JUDGE
from methodlens.records import Answer, Hit, Paper, Question, Status, Step
from methodlens.seams import PagePictures

_ANSWERS = "<<answers>>"
_NO_ANSWERS = "No earlier reader gave an answer that can be used."


class JudgeReader:
    """`reader` with the prompt of a judge. Ask the reader that `about` returns."""

    def __init__(self, reader: ChatReader) -> None:
        self._prompt = load(ADJUDICATE)
        self._reader = reader.with_prompt(f"{JUDGE}:{reader.info.name}", self._prompt)
        self.info = self._reader.info

    def about(self, steps: Sequence[Step]) -> ChatReader:
        """The judge of these answers. They are part of its fingerprint, as they can change what it answers."""
        return self._reader.with_prompt(self.info.name, AnswersPrompt(self._prompt, _in_words(steps)))

    def repeated(self, number: int) -> "JudgeReader":
        other, reader = copy(self), copy(self._reader)
        reader.info = replace(self.info, name=f"{self.info.name}#{number}", fingerprint=f"{self.info.fingerprint}#{number}")
        other._reader, other.info = reader, reader.info
        return other

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        raise ReaderError(
            f"{self.info.name} needs answers to judge", f"put it into a cascade: cascade:embedded>chat:small>{self.info.name}"
        )

    def look_at(self, pictures: PagePictures) -> None:
        self._reader.look_at(pictures)

    def close(self) -> None:
        self._reader.close()


class AnswersPrompt:
    """A prompt with earlier answers filled in."""

    def __init__(self, prompt: Prompt, answers: str) -> None:
        self._prompt, self._answers = prompt, answers
        self.json, self.by_rank, self.repair = prompt.json, prompt.by_rank, prompt.repair
        self.sha256 = hashlib.sha256(f"{prompt.sha256}\0{answers}".encode("utf-8", "replace")).hexdigest()

    def messages(self, question: str, passages: Sequence[str]) -> list[Message]:
        *others, user = self._prompt.messages(question, passages)
        before, _, after = user["content"].rpartition(_ANSWERS)  # the last one: a paper may contain the same characters
        return [*others, {**user, "content": f"{before}{self._answers}{after}"}]


def _in_words(steps: Sequence[Step]) -> str:
    """Without the names of the readers, so that the judge does not prefer one."""
    answered = [step for step in steps if step.status is not Status.FAILED]
    parts = []
    for letter, step in zip(ascii_uppercase, answered, strict=False):
        quotes = "\n".join(f'Quote: "{quote}"' for quote in step.quotes)
        says = {Status.REPORTED: "reported", Status.NOT_REPORTED: "not reported"}.get(step.status, "not sure")
        parts.append(f"Answer {letter} ({says}): {' '.join(step.answer.split())}" + (f"\n{quotes}" if quotes else ""))
    return "\n\n".join(parts) or _NO_ANSWERS
