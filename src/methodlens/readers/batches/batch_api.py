"""What every batch API offers: hand a batch in, find it again, watch it, and fetch its results."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from methodlens.errors import ReaderFailed

MARK = "methodlens_batch"
"""The metadata field that holds our id of a batch, by which it is found again after a kill."""


class BatchUnclear(ReaderFailed):
    """No usable response: what was asked may have been done or not."""


class BatchHttpSettings(NamedTuple):
    """How a batch API is reached. `name` starts every message."""

    name: str
    base_url: str
    key: str | None
    timeout_s: float


class Request(NamedTuple):
    """`custom_id` comes back with the result."""

    custom_id: str
    body: Mapping[str, Any]


class Phase(StrEnum):
    WAITING = "waiting"
    ENDED = "ended"
    """There may be results, even if it expired or was cancelled."""
    REFUSED = "refused"
    """The provider rejected it as a whole: nothing was answered and nothing is paid."""


class Progress(NamedTuple):
    phase: Phase
    done: int = 0
    reason: str = ""
    """Why requests without a result have none, or why the batch was refused."""
    again: bool = True
    """Whether those may be asked again at once."""


class Line(NamedTuple):
    """The result of one request: the model's response, or what went wrong."""

    custom_id: str
    content: bytes | None = None
    problem: str = ""
    again: bool = False
    """Another attempt may succeed."""


class BatchApi(Protocol):
    def submit(self, batch_id: str, requests: Sequence[Request]) -> str:
        """The provider's id. Raises BatchUnclear if it may have arrived or not, ReaderError if it is refused."""
        ...

    def find(self, batch_id: str, *, size: int, since: str, known: Collection[str]) -> str | None:
        """The provider's id of a batch that we handed in after `since`, a time in ISO format, as far as it can tell.

        `known` are the ids of our other batches.
        """
        ...

    def progress(self, provider_id: str) -> Progress: ...

    def results(self, provider_id: str) -> Iterator[Line]:
        """In any order."""
        ...

    def close(self) -> None: ...
