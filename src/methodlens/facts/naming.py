"""From mentions of names in quotes to facts: whose they are, each once, and how sure they are."""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.open_names import OPEN
from methodlens.facts.roles import OF_OTHERS, Role, names_an_act, role_of
from methodlens.facts.types import LEAST_CONFIDENCE, Fact, FactType, Phrase

_BROKEN = re.compile(r"(?<=\w[-‐‑])\s(?=\w)")  # "F1- score", broken over two lines

MentionReader = Callable[[str], Iterable[Mention]]
Places = Sequence[tuple[int, Mention]]
"""Mentions of one name, each with the index of its quote."""

UNCLEAR = 0.45
"""The confidence of mentions that count only where no clearer one is found: examples, definitions, ordinary words."""
# Measured on annotated papers: names are right more often in the first quote, in a clause with an act of the authors and in a
# sentence of ordinary length, and most often if several quotes have them.
_NO_ACT, _LATER_QUOTE, _LONG = 0.78, 0.9, 0.85
_LONG_CHARS = 300
_AGREEMENT = 0.5  # each further quote with the same name leaves this share of the doubt


def own(read: MentionReader, refused: Container[Role] = OF_OTHERS) -> MentionReader:
    """Without the names that are somebody else's, a baseline's, negated or hypothetical."""
    return lambda text: [mention for mention in read(text) if role_of(text, mention.start, mention.end) not in refused]


def of_kind(gazetteer: str, *kinds: str) -> MentionReader:
    """Only the names of these kinds: the gazetteer of annotations also has tools, that of frameworks has languages."""
    return lambda text: [mention for mention in listed(gazetteer, text) if mention.kind in kinds]


def distinct(mentions: Iterable[Mention]) -> list[str]:
    """Each name once, in order; general names only if there is no specific one.

    >>> distinct([Mention("CNN", "family", 0, 3), Mention("ResNet-50", "model", 9, 18, bare=False)])
    ['ResNet-50']
    """
    every = list(mentions)
    specific = [mention for mention in every if mention.kind not in ("family", "mention")]
    if all(mention.kind == OPEN for mention in specific):  # "a convolutional network, FrogNet": both say what it is
        specific = every
    names = {mention.name: mention for mention in specific or every}
    return [name for name, mention in names.items() if not _is_covered(mention, names)]


def _is_covered(mention: Mention, names: dict[str, Mention]) -> bool:
    """ "ResNet" next to "ResNet-50", "flip" next to "horizontal flip"."""
    if mention.kind == "general":
        word = re.compile(rf"\b{re.escape(mention.name)}")  # "SGD" is in "DP-SGD", not in "ASGD"
        return any(other != mention.name and word.search(other) for other in names)
    return mention.bare and any(
        not other.bare and (other.variant_of == mention.name or name.startswith(mention.name)) for name, other in names.items()
    )


def by_name(places: Places) -> dict[str, Places]:
    """The distinct names with their places."""
    names = distinct(mention for _, mention in places)
    return {name: [place for place in places if place[1].name == name] for name in names}


def places_in(read: MentionReader, quotes: Sequence[str]) -> Places:
    return [(index, mention) for index, quote in enumerate(quotes) for mention in _mentions(read, quote)]


@lru_cache(maxsize=2048)  # a sentence is read again with each set of quotes that it might join
def _mentions(read: MentionReader, quote: str) -> tuple[Mention, ...]:
    return tuple(read(quote))


def name_fact(name: Any, places: Places, quotes: Sequence[str]) -> Fact:
    """The fact of a name. Its confidence is that of its clearest mention, and higher if several quotes have it."""
    index, mention = places[0]
    doubt = 1 - max(_confidence(mention, index, quotes[index]) for index, mention in places)
    agreeing = len({index for index, _ in places})
    confidence = round(1 - doubt * _AGREEMENT ** (agreeing - 1), 2)
    printed = _BROKEN.sub("", " ".join(quotes[index][mention.start : mention.end].split()))
    return Fact(name, index, "" if mention.shortened else printed, confidence)


def _confidence(mention: Mention, index: int, quote: str) -> float:
    return (
        mention.confidence
        * (1 if names_an_act(quote, mention.start) else _NO_ACT)
        * (_LATER_QUOTE if index else 1)
        * (_LONG if len(quote) > _LONG_CHARS else 1)
    )


def name_facts(places: Places, quotes: Sequence[str]) -> list[Fact]:
    """The facts of all names; unclear mentions count only if there are no others, and doubtful ones only up to a point."""
    places = [place for place in places if place[1].confidence > UNCLEAR] or places
    facts = [name_fact(name, of_name, quotes) for name, of_name in by_name(places).items()]
    return [fact for fact in facts if fact.confidence >= LEAST_CONFIDENCE]


def name_type(key: str, phrase: Phrase, read: MentionReader | None = None, **options: Any) -> FactType:
    """A fact type whose values are names. `read` finds their mentions in a quote; by default those of the gazetteer with the
    same name as the key."""
    mentions = read or partial(listed, key)
    return FactType(key=key, extract=lambda quotes: name_facts(places_in(mentions, quotes), quotes), phrase=phrase, **options)
