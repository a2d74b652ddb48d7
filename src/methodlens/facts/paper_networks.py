"""The networks that a whole paper says are its own, so that a quote which only names them still counts.

A single sentence often does not say whose a network is: "Table 2: FrogNet, ResNet-50 and VGG-16." The paper does: its own network
is introduced once ("we call it FrogNet") and then named again and again, and a network that the authors train is named in methods
and results, not only where the introduction reviews the field.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from methodlens.facts.gazetteer import Mention, squeezed
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.naming import UNCLEAR
from methodlens.facts.open_names import BRACKETED, LONGEST_NAME, OPEN, is_model_name, is_name, spelled_out
from methodlens.facts.roles import OF_OTHERS, names_an_act, role_of
from methodlens.records import SectionKind

_ABOUT_THE_FIELD = frozenset({SectionKind.INTRODUCTION, SectionKind.DISCUSSION, SectionKind.ACKNOWLEDGEMENTS})
_FRONT = frozenset({SectionKind.FRONT, SectionKind.ABSTRACT})
_LEAST_USES = 2  # own uses of a listed network in methods and results, one of them with an act of the authors
_LEAST_PLAIN_USES = 3  # without such an act
_LEAST_NAMED = 3  # how often a paper names a network that it introduces
_LEAST_AS_MODEL = 2  # in how many of these places it is clearly a model
_VERSION = re.compile(r"[-‐]v?\d[\w.]{0,4}$")  # "PondLM-7B", "PondLM-v2"
_LONGER = re.compile(r"\d|[-‐]?(?:Net|NET)\d?")
_SHORTEST = 3  # characters; papers abbreviate all kinds of things by two
_LEAST_BUILT = 5  # how often if the name says what it is
_BUILT = re.compile(
    r"(?:Net|NET|RNN|CNN|LSTM|GRU|GAN|BERT|[Ff]ormer|VAE|GPT|ViT|GNN|GCN|MLP)(?:[-‐]?\d{1,4}[a-z]?|[-‐][A-Z]{1,3}|\+)?$"
)
# the family says what a network of the authors is, while a published one says it by its name; other families say less
_FAMILY, _LEAST_FAMILY = "CNN", 3

_TITLE_NAME = re.compile(r"(?P<name>[A-Z][\w+-]{1,18}(?:\s[A-Z0-9][\w+-]{0,12})?)\s?:\s")
_SHORT_FORM = re.compile(r"\((?P<short>[^()\s]{2,20})\)$")
_NAMED_LIKE = re.compile(r"(?=.*[A-Z].*[A-Z])|(?=.*[A-Z])(?=.*\d)")
_MODEL_BEFORE = re.compile(
    r"\b(?:our|ours|proposed|train(?:s|ed|ing)?|fine-?tun(?:e[sd]?|ing)|architectures?\sof|performance\sof|results\s(?:of|for|with)|"
    r"variants?\sof|versions?\sof|layers\sof|parameters\sof|accuracy\sof|effectiveness\sof|ablation\w*\s(?:of|on|for))\s(?:the\s|our\s)?$",
    re.I,
)
_MODEL_AFTER = re.compile(
    r"(?:[-‐]\w{1,10})?\s(?:models?|networks?|nets?|architectures?|encoders?|decoders?|detectors?|classifiers?|frameworks?|modules?|layers?|blocks?|"
    r"baselines?|variants?|ours|\(ours?\)|achiev\w+|outperform\w*|surpass\w*|consists?|contains?|comprises?|takes?|learns?|predicts?|"
    r"generates?|produces?|performs?|obtains?|improves?|yields?|reaches|converges|(?:is|was|were|are)\s(?:\w+ly\s)?(?:trained|evaluated|composed|able|"
    r"designed|initiali[sz]ed|pre-?trained|fine-?tuned|implemented|applied|superior|better)|with(?:out)?\s|w/o)",
    re.I,
)
_PART_OF_A_NETWORK = re.compile(r"[\s-](?:modules?|blocks?|layers?|units?)\b", re.I)  # "an Inception module"
_CITED = re.compile(r"\s?\[\d|\s?\((?:[A-Z][^()]{2,60})?(?:19|20)\d\d")  # "VGG-16 [4]" without an act: as in tables and reviews
_NOT_A_MODEL = re.compile(
    r"\s(?:data\s?sets?|data|corpus|corpora|benchmarks?|tasks?|challenges?|scores?|metrics?|loss(?:es)?|database|optimi[sz]er|toolkit|library)\b",
    re.I,
)


class Uses(Struct):
    """How a paper uses a name."""

    kind: str
    own: int = 0
    """In methods and results, not as somebody else's."""
    acts: int = 0
    """Of these, in a clause that says what the authors did."""
    introduced: int = 0
    """As the authors' own, anywhere."""
    others: int = 0
    """As somebody else's, a baseline's, negated or hypothetical, anywhere."""
    front: int = 0
    """In title and abstract."""
    cited: int = 0
    """In methods and results with a reference and no act: rows of tables, and reviews."""
    variant_of: str = ""


class PaperNetworks(Struct, frozen=True):
    """Names by their canonical spelling. `open_names` are the authors' own that no list has, as printed."""

    names: frozenset[str]
    open_names: tuple[str, ...]
    used: frozenset[str]
    """Listed names that stand in title, abstract, methods or results, whosever they are."""
    pattern: re.Pattern[str] | None

    def named(self, text: str, mentions: Iterable[Mention]) -> frozenset[str]:
        """Those that a sentence names, given its listed names."""
        return frozenset(
            [mention.name for mention in mentions if mention.name in self.names]
            + (self.pattern.findall(text) if self.pattern else [])
        )

    def reviews(self, mention: Mention, text: str) -> bool:
        """Whether a listed name stands only where the paper reviews the field. Names in small letters are not looked for."""
        return (
            bool(self.used)
            and mention.kind != OPEN
            and mention.name not in self.used
            and text[mention.start : mention.end] != text[mention.start : mention.end].lower()
        )

    def mentions(self, text: str) -> Iterator[Mention]:
        """Where a text has the names that no list has."""
        for match in self.pattern.finditer(text) if self.pattern else ():
            yield Mention(match[0].replace("‐", "-"), OPEN, *match.span(), confidence=0.9)


def networks_of(read: Iterable[tuple[str, str, Sequence[Mention]]], title: str, text: str) -> PaperNetworks:
    """From the sentences of a paper, each with the kind of its section and the names in it; its title; and its text."""
    uses: dict[str, Uses] = {}
    for sentence, section, mentions in read:
        for mention in mentions:
            if mention.confidence > UNCLEAR:
                _count(
                    uses.setdefault(mention.name, Uses(mention.kind, variant_of=mention.variant_of)), mention, sentence, section
                )
    introduced = {short for name, use in uses.items() if use.kind == OPEN and use.introduced and (short := short_form(name))}
    if (match := _TITLE_NAME.match(title)) and is_name(match["name"]) and _NAMED_LIKE.match(match["name"]):
        introduced.add(match["name"])
    introduced |= set(_abbreviated_title(title, text))
    own = sorted(name for name in introduced if _is_a_model(name, text))
    own = [name for name in own if _VERSION.sub("", name) == name or _VERSION.sub("", name) not in own]
    own = [name for name in own if not any(other != name and _is_numbered(name, other) for other in own)]
    listed_names = {name for name, use in uses.items() if use.kind != OPEN and _is_used(use)}
    listed_names |= set(_variants(uses, listed_names))
    listed_names -= {name for name in listed_names if (twin := uses.get(f"Bi{name}")) and twin.own > uses[name].own}
    if own and (cnn := uses.get(_FAMILY)) and (cnn.introduced >= _LEAST_FAMILY or cnn.acts):
        listed_names.add(_FAMILY)
    return PaperNetworks(
        frozenset(listed_names),
        tuple(own),
        frozenset(name for name, use in uses.items() if use.own or use.front),
        re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(own, key=len, reverse=True)))})(?!\w)") if own else None,
    )


def _is_numbered(name: str, other: str) -> bool:
    """ "FrogNet" and "FrogNet2", "Frog" and "Frog-Net": the longer name says more."""
    return other.startswith(name) and bool(_LONGER.fullmatch(other, len(name)))


def _abbreviated_title(title: str, text: str) -> Iterator[str]:
    """ "Gated Ponds for Newt Recognition" and "gated ponds (GaP)": papers are titled with what they propose; not with a task."""
    words = squeezed(title).lower()
    for match in BRACKETED.finditer(text):
        if not set(match["short"].lower()).issubset(words):  # far cheaper than to spell it out
            continue
        long = spelled_out(text[max(0, match.start() - LONGEST_NAME) : match.start()], match["short"])
        if long and squeezed(long).lower() in words and not any(listed(key, long) for key in ("tasks", "architectures")):
            yield match["short"]


def short_form(name: str) -> str:
    """
    >>> short_form("Gated Frog Network (GFN)"), short_form("FrogNet")
    ('GFN', 'FrogNet')
    """
    match = _SHORT_FORM.search(name)
    return match["short"] if match else name


def _count(use: Uses, mention: Mention, sentence: str, section: str) -> None:
    if role_of(sentence, mention.start, mention.end) in OF_OTHERS:
        use.others += 1
        return
    if _PART_OF_A_NETWORK.match(sentence, mention.end):
        return
    act = names_an_act(sentence, mention.start)
    use.introduced += 1
    use.front += section in _FRONT
    if section not in _ABOUT_THE_FIELD and (act or not _CITED.match(sentence, mention.end)):
        use.own += 1
        use.acts += act
    elif section not in _ABOUT_THE_FIELD:
        use.cited += 1


def _is_used(use: Uses) -> bool:
    if use.kind == "family" or use.others > use.introduced:
        return False
    return use.own >= _LEAST_PLAIN_USES or (use.own >= _LEAST_USES and use.acts > 0)


def _variants(uses: Mapping[str, Uses], known: Container[str]) -> Iterator[str]:
    """ "ResNet-18" in the row of a table, where the paper says elsewhere that it trains "ResNet-50", or several such networks."""
    together: dict[str, Uses] = {}
    for name, use in uses.items():
        if use.variant_of:
            both = together.setdefault(use.variant_of, Uses(use.kind))
            both.own, both.acts, both.front = both.own + use.own, both.acts + use.acts, both.front + (name in known)
            both.introduced, both.others = both.introduced + use.introduced, both.others + use.others
    for name, use in uses.items():
        both = together.get(use.variant_of, Uses(use.kind))
        if use.own + (use.cited if both.acts else 0) > use.others and (both.front or (both.acts and _is_used(both))):
            yield name


def _is_a_model(name: str, text: str) -> bool:
    """Whether the paper names it often, and as a model rather than as data, a task or a metric."""
    if len(name) < _SHORTEST or not is_model_name(name) or not _NAMED_LIKE.match(name):
        return False
    named = as_model = other = 0
    for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?!\w)", text):
        named += 1
        before = _MODEL_BEFORE.search(text, max(0, match.start() - 30), match.start())
        as_model += bool(before or _MODEL_AFTER.match(text, match.end()))
        other += bool(_NOT_A_MODEL.match(text, match.end()))
    if _BUILT.search(name):
        return named >= _LEAST_BUILT
    return named >= _LEAST_NAMED and as_model >= max(_LEAST_AS_MODEL, named / 12) and other * 20 <= named
