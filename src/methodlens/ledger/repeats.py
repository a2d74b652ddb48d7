"""Repeats: the same reader asked again under another name and fingerprint, to measure its stability.

Only the first answer counts. Repeats are in the ledger, but in no table and no vote. A deterministic reader is asked once.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from methodlens.records import Answer, Hit, Paper, Question
from methodlens.seams import Reader, close_reader


def repeat_names(reader: str, repeat: int) -> tuple[str, ...]:
    """The names of its repeats.

    >>> repeat_names("chat:a", 3)
    ('chat:a#2', 'chat:a#3')
    """
    return tuple(f"{reader}#{number}" for number in range(2, repeat + 1))


def original_name(name: str) -> str:
    """ "chat:a#2" -> "chat:a"."""
    return name.rpartition("#")[0] or name


def with_repeats(readers: Sequence[Reader], repeat: int) -> tuple[Reader, ...]:
    """Each reader, followed by its repeats."""
    return tuple(each for reader in readers for each in (reader, *_repeats(reader, repeat)))


class _Repeated:
    """The same reader under another name and fingerprint, with the same connections, limits and prices."""

    def __init__(self, reader: Reader, name: str) -> None:
        self._reader = reader
        self.info = replace(reader.info, name=name, fingerprint=f"{reader.info.fingerprint}#{name.rpartition('#')[2]}")

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        return self._reader.read(question, paper, context)

    def __getattr__(self, name: str) -> Any:
        """What a reader of groups or batches has besides."""
        return getattr(self._reader, name)

    def close(self) -> None:
        close_reader(self._reader)


def repeat_of(reader: Reader, number: int) -> Reader:
    """A reader that is made of others has a method `repeated`, because its readers are what is asked again."""
    repeated = getattr(reader, "repeated", None)
    return repeated(number) if repeated else _Repeated(reader, f"{reader.info.name}#{number}")


def _repeats(reader: Reader, repeat: int) -> list[Reader]:
    return [] if reader.info.deterministic else [repeat_of(reader, number) for number in range(2, repeat + 1)]
