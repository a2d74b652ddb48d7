"""Asking again: the same reader under a name and a fingerprint of its own, so that nothing is lost and a run can go on.

The first time is the cell. The others stand beside it in the ledger, in no table and in no vote: they say how steady a
reader is, not what a paper reports. A reader that is `deterministic` is asked once.
"""

import copy
from collections.abc import Sequence

from methodlens.seams import Reader


def repeats_of(reader: str, repeat: int) -> tuple[str, ...]:
    """The names under which it is asked again.

    >>> repeats_of("chat:a", 3)
    ('chat:a#2', 'chat:a#3')
    """
    return tuple(f"{reader}#{number}" for number in range(2, repeat + 1))


def first_of(name: str) -> str:
    """ "chat:a#2" -> "chat:a"."""
    return name.rpartition("#")[0] or name


def asked_again(readers: Sequence[Reader], repeat: int) -> tuple[Reader, ...]:
    """Each reader, followed by itself as often as it is asked again."""
    return tuple(each for reader in readers for each in (reader, *_again(reader, repeat)))


def is_deterministic(reader: Reader) -> bool:
    return bool(getattr(reader, "deterministic", False))


def _again(reader: Reader, repeat: int) -> list[Reader]:
    if is_deterministic(reader):
        return []
    found = []
    for name in repeats_of(reader.name, repeat):
        again = copy.copy(reader)  # it shares connections, limits and accounts with the first
        again.name = name
        again.fingerprint = f"{reader.fingerprint}#{name.rpartition('#')[2]}"
        found.append(again)
    return found
