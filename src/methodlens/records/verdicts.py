"""The status of a cell, and what led to it."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class Status(StrEnum):
    """The status of a cell. The first two are decisions; the others say why there is none."""

    REPORTED = "reported"
    NOT_REPORTED = "not_reported"
    WITHHELD = "withheld"
    FAILED = "failed"
    UNREADABLE = "unreadable"

    @property
    def reported(self) -> bool | None:
        return {Status.REPORTED: True, Status.NOT_REPORTED: False}.get(self)


class Verdict(Struct, frozen=True):
    """The decision on one cell, with a short reason."""

    status: Status
    reason: str = ""


class Step(Struct, frozen=True):
    """What one reader of a cascade answered, and why the next one was asked (`doubt`; empty where the cascade ended).

    A step that failed, or that was not asked because a budget was reached, has the status `failed` and a reason.
    """

    reader: str
    status: Status
    reason: str = ""
    doubt: str = ""
    p_reported: float | None = None
    answer: str = ""
    quotes: tuple[str, ...] = ()
    """Those that were found in the paper."""
    cost: float | None = None
    tokens: int = 0
    seconds: float = 0.0


class Tally(Struct, frozen=True):
    """The result of a voting rule; `votes` has the status of every reader, missing ones included."""

    status: Status
    votes: Mapping[str, Status]
    rule: str
    reason: str = ""
