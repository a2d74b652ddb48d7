"""Readers, and what they answer: text, quotes with their places, and typed facts."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from methodlens.records.papers import Box
from methodlens.records.verdicts import Step

Facts = Mapping[str, Any]
"""Typed values by key, as the export shows them: {"hardware": [{"name": "NVIDIA TITAN Xp", "kind": "GPU", "count": 3}]}."""
FactConfidence = Mapping[str, Mapping[str, float]]
"""By the key of a fact and the text of a value: how likely the value is right, from 0 to 1."""


class ReaderInfo(Struct, frozen=True):
    """What a reader is. `fingerprint` changes whenever the same input could give another answer: it is part of a cell's key.

    A `remote` reader is slow or costs money: its calls are recorded before they are made, `concurrency` of them at once, and
    count towards the budget; `priced` says that its answers state their cost. A `deterministic` reader is never asked twice.
    """

    name: str
    model: str
    fingerprint: str
    remote: bool = False
    concurrency: int = 1
    priced: bool = False
    deterministic: bool = False
    context_chars: int | None = None
    """How much of the ranking it is given; None means `retrieval.shown_chars`."""
    server: str = ""
    """Where it sends passages; empty for a reader on this machine."""
    grouped: bool = False
    """It is a `seams.GroupReader`: several questions about a paper are one call."""
    batched: bool = False
    """A run hands its calls in as batches: see `engine.batches`."""


class Match(StrEnum):
    """How a quote was found in the paper."""

    EXACT = "exact"
    FUZZY = "fuzzy"
    ABSENT = "absent"


class Place(Struct, frozen=True):
    page: int
    boxes: tuple[Box, ...]


class Evidence(Struct, frozen=True):
    """A quote, how it was located, its span of the paper's text and its places on the pages."""

    quote: str
    match: Match
    start: int = 0
    end: int = 0
    places: tuple[Place, ...] = ()
    section: str = ""
    """The heading it is below, if it has no place on a page."""
    paragraph: int = 0
    """Of that section, counted from 1."""
    picture: str = ""
    """The table or figure that a model read it from, if it is not in the text; its place is then the picture's."""

    @property
    def page(self) -> int | None:
        """The first page it is on."""
        return self.places[0].page if self.places else None


class Usage(Struct, frozen=True):
    """What an answer used. `cost` is in the currency of the prices in the settings, None without prices.

    `requests` includes retries; `estimated` means that the server did not count tokens. `tokens_cached` are those of `tokens_in`
    that the server had read before, `tokens_reasoning` those of `tokens_out` that are not part of the answer.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    requests: int = 0
    cost: float | None = None
    watts: float | None = None
    estimated: bool = False
    tokens_cached: int = 0
    tokens_reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.requests + other.requests,
            self.cost if other.cost is None else (self.cost or 0.0) + other.cost,
            self.watts if other.watts is None else other.watts,
            self.estimated or other.estimated,
            self.tokens_cached + other.tokens_cached,
            self.tokens_reasoning + other.tokens_reasoning,
        )


class Answer(Struct, frozen=True):
    """A reader's answer to one question about one paper.

    `p_reported` is the calibrated probability that the paper reports it, None from readers that give none; `says_reported` a
    model's own yes or no, if it was asked for one. `unsupported` lists claims of the text that its quotes do not contain.
    `raw` is a model's reply before cleaning; `speculation` what it supposed where the paper is silent, removed from the text.
    """

    text: str
    evidence: tuple[Evidence, ...] = ()
    facts: Facts = field(default_factory=dict)
    p_reported: float | None = None
    unsupported: tuple[str, ...] = ()
    speculation: str = ""
    raw: str = ""
    tokens: int | None = None
    says_reported: bool | None = field(default=None, name="said")  # the name in ledgers since 0.1.0
    usage: Usage | None = None
    contradiction: str = ""
    """A sentence with a value, if the model says that the paper reports none."""
    fact_confidence: FactConfidence = field(default_factory=dict)
    trail: tuple[Step, ...] = ()
    """What each reader of a cascade answered, in the order in which they were asked."""
