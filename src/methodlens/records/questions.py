"""What is asked, and the passages that retrieval finds for it."""

from enum import StrEnum

from msgspec import Struct

from methodlens.records.papers import Passage


class AnswerForm(StrEnum):
    """What an answer consists of."""

    NUMBER = "number"
    NAME = "name"
    PERSON = "person"
    """A person, group or organisation."""
    DATE = "date"
    PLACE = "place"
    LINK = "link"
    YES_NO = "yes_no"
    LIST = "list"
    CLAUSE = "clause"
    """A description in words: how, why, what for."""


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A competency question.

    `query` has the words that papers use when they answer it, `signs` the words that are evidence on their own (`augment*`
    matches any ending), `facts` the keys of its fact types in any order, and `patterns` further families of
    facts/patterns.toml. `decided_by` is the fact that answers the question alone; by default the one with the highest
    priority. `like` is the shipped question that a user's own question took these from.

    `form` is what the answer consists of, None if nobody said so; `examples` are sentences that would answer the question, as a
    paper would write them. `group` and `item` are the heading and the number that a checklist lists it under.
    """

    id: str
    text: str
    title: str = ""
    query: str = ""
    signs: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    like: str = ""
    decided_by: str = ""
    form: AnswerForm | None = None
    examples: tuple[str, ...] = ()
    group: str = ""
    item: str = ""
    calibrated_on: int = 0
    """How many decisions of reviewers its probabilities were refitted to; only on a `Row`, never stored."""


class Hit(Struct, frozen=True):
    """A passage that retrieval found, with its score. Hits come best first."""

    passage: Passage
    score: float
