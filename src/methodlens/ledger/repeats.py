"""Asking again: the same reader under a name and a fingerprint of its own, so that nothing is lost and a run can go on.

The first time is the cell. The others stand beside it in the ledger, in no table and in no vote: they say how steady a
reader is, not what a paper reports. A reader that is `deterministic` is asked once.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from methodlens.records import Answer, Hit, Paper, Question
from methodlens.seams import Reader, close_reader


def repeat_names(reader: str, repeat: int) -> tuple[str, ...]:
    """The names under which it is asked again.

    >>> repeat_names("chat:a", 3)
    ('chat:a#2', 'chat:a#3')
    """
    return tuple(f"{reader}#{number}" for number in range(2, repeat + 1))


def original_name(name: str) -> str:
    """ "chat:a#2" -> "chat:a"."""
    return name.rpartition("#")[0] or name


def with_repeats(readers: Sequence[Reader], repeat: int) -> tuple[Reader, ...]:
    """Each reader, followed by itself as often as it is asked again."""
    return tuple(each for reader in readers for each in (reader, *_again(reader, repeat)))


class _Repeated:
    """The same reader under another name and fingerprint; it shares connections, limits and prices with the first."""

    def __init__(self, reader: Reader, name: str) -> None:
        self._reader = reader
        self.info = replace(reader.info, name=name, fingerprint=f"{reader.info.fingerprint}#{name.rpartition('#')[2]}")

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        return self._reader.read(question, paper, context)

    def close(self) -> None:
        close_reader(self._reader)


def _again(reader: Reader, repeat: int) -> list[Reader]:
    return [] if reader.info.deterministic else [_Repeated(reader, name) for name in repeat_names(reader.info.name, repeat)]
