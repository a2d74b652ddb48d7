"""Facts that are names: those of the gazetteers, and a few rules for what lists cannot express."""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.negation import is_negated
from methodlens.facts.roles import OF_OTHERS, Role, role_of
from methodlens.facts.types import Fact, FactType, Findings, listing, one_or_list

MentionReader = Callable[[str], Iterable[Mention]]
# training that ends when validation stops improving is early stopping, even if it is not called so
_EARLY_STOPPING = re.compile(
    r"\b(?:no|not|without|stop\w*|fail\w*|ceas\w*)\b[^.;]{0,30}\b(?:improv\w*|reduc\w*|decreas\w*)\b[^.;]{0,60}\b(?:valida\w*|val[-‐]\s?idation|epochs)\b"
    r"|\b(?:stop\w*|terminat\w*|halt\w*|end)\b[^.;]{0,60}\b(?:when|once|if|as\s+soon\s+as)\b[^.;]{0,60}\b(?:validation|plateau\w*|improv\w*)",
    re.I,
)
_KIN = re.compile(
    r"\b(?:extension|variant|alternative|generali[sz]ation|improvement|modification)s?\s+(?:of|to|over|for)\s+(?:[\w-]+\s+){0,5}$",
    re.I,
)
_HORIZONTALLY = re.compile(
    r"\bflip(?:s|ped|ping|-ping)?\s+(?:\w+\s+){0,4}(?P<how>horizontally|vertically|left[\s-]right|up[\s-]down)", re.I
)
_LOSS = re.compile(r"\bloss|\bobjective|\bcost\s+function|\bminimi[sz]|\bcriterion", re.I)
_VERSION = re.compile(
    r"\s*(?:\(|,)?\s*(?:version|ver\.?|v\.?)?\s*(\d+(?:\.\d+)+(?:\.?\w\d*)?|(?<=\bR)\d{4}[ab])(?![\d%])|\s*\(?(?:version|v)\s?(\d+)\b",
    re.I,
)
# "the Frogland dataset": a name that no list has
_CALLED = re.compile(
    r"\b(?P<name>[A-Z][\w’'-]+(?:\s(?:of|and|in|the|\d+|[A-Z][\w’'-]*)){0,4})\s+(?:data\s?set|corpus|database|benchmark|data\s?base)\b"
)
_NO_NAME = frozenset(
    """the this these those our each both all training validation test testing a an in for from we one two three four five
    new final original image images table figure full whole labelled labeled public large small other another same deep
    source target section every any such following first second third raw custom combined resulting collected""".split()
)


def augmentations(text: str) -> list[Mention]:
    mentions = [*listed("augmentations", text)]
    for match in _HORIZONTALLY.finditer(text):
        name = "horizontal flip" if match["how"].lower()[0] in "hl" else "vertical flip"
        if not is_negated(text, match.start(), match.end()):
            mentions.append(Mention(name, "image", match.start(), match.end()))
    return mentions


def optimizers(text: str) -> list[Mention]:
    """Without those of "Adam, an extension of stochastic gradient descent"."""
    return [mention for mention in listed("optimizers", text) if not _KIN.search(text, max(0, mention.start - 60), mention.start)]


def regularization(text: str) -> list[Mention]:
    mentions = [*listed("regularization", text)]
    if match := _EARLY_STOPPING.search(text):
        mentions.append(Mention("early stopping", "method", match.start(), match.end()))
    return mentions


def losses(text: str) -> list[Mention]:
    """Only in texts about a loss: elsewhere a squared error is a metric."""
    return [*listed("losses", text)] if _LOSS.search(text) else []


def datasets(text: str) -> list[Mention]:
    mentions = [*listed("datasets", text)]
    for match in _CALLED.finditer(text):
        words = match["name"].split()
        while words and words[0].lower() in _NO_NAME:
            words = words[1:]
        taken = any(mention.start < match.end() and match.start() < mention.end for mention in mentions)
        if words and not taken and any(any(char.isupper() for char in word) for word in words):
            mentions.append(Mention(" ".join(words), "named", match.end("name") - len(" ".join(words)), match.end("name")))
    return mentions


def own(read: MentionReader, refused: Container[Role] = OF_OTHERS) -> MentionReader:
    """Without the names that are somebody else's, a baseline's, negated or hypothetical."""
    return lambda text: [mention for mention in read(text) if role_of(text, mention.start, mention.end) not in refused]


def of_kind(gazetteer: str, *kinds: str) -> MentionReader:
    """Only the names of these kinds: the gazetteer of annotations also has tools, that of frameworks has languages."""
    return lambda text: [mention for mention in listed(gazetteer, text) if mention.kind in kinds]


def version(text: str, mention: Mention) -> str | None:
    """
    >>> version("We used PyTorch (version 1.8.1).", Mention("PyTorch", "framework", 8, 15))
    '1.8.1'
    """
    match = _VERSION.match(text, mention.end)
    return (match[1] or match[2]) if match else None


def distinct(mentions: Iterable[Mention]) -> list[str]:
    """Each name once, in order; general names only if there is no specific one.

    >>> distinct([Mention("CNN", "family", 0, 3), Mention("ResNet-50", "model", 9, 18, bare=False)])
    ['ResNet-50']
    """
    every = list(mentions)
    specific = [mention for mention in every if mention.kind not in ("family", "mention")]
    names = {mention.name: mention for mention in specific or every}
    return [name for name, mention in names.items() if not _is_covered(mention, names)]


def _is_covered(mention: Mention, names: dict[str, Any]) -> bool:
    """ "ResNet" next to "ResNet-50", "flip" next to "horizontal flip"."""
    if mention.kind == "general":
        return any(other != mention.name and mention.name in other for other in names)
    return mention.bare and any(not other.bare and name.startswith(mention.name) for name, other in names.items())


def _places(read: MentionReader, quotes: Sequence[str]) -> Iterable[tuple[str, Sequence[tuple[int, Mention]]]]:
    """Each distinct name with its mentions and the quotes they are in."""
    places = [(index, mention) for index, quote in enumerate(quotes) for mention in read(quote)]
    for name in distinct(mention for _, mention in places):
        yield name, [(index, mention) for index, mention in places if mention.name == name]


def _named(name: Any, place: tuple[int, Mention], quotes: Sequence[str]) -> Fact:
    index, mention = place
    return Fact(name, index, " ".join(quotes[index][mention.start : mention.end].split()))


def _type(key: str, phrase: str | tuple[str, str], read: MentionReader | None = None, **options: Any) -> FactType:
    """`read` finds the mentions in a quote; by default those of the gazetteer with the same name as the key."""
    mentions = read or partial(listed, key)

    def extract(quotes: Sequence[str]) -> list[Fact]:
        return [_named(name, places[0], quotes) for name, places in _places(mentions, quotes)]

    return FactType(key=key, extract=extract, phrase=phrase, **options)


def _frameworks(quotes: Sequence[str]) -> list[Fact]:
    facts: list[Fact] = []
    for name, places in _places(own(of_kind("frameworks", "framework", "library"), OF_OTHERS | {Role.TOOL}), quotes):
        versions = (version(quotes[index], mention) for index, mention in places)
        facts.append(_named({"name": name, "version": next(filter(None, versions), None)}, places[0], quotes))
    return facts


def _frameworks_phrase(findings: Findings) -> str:
    facts = findings.facts["frameworks"]
    names = [f"{fact.printed} {fact.value['version']}" if fact.value["version"] else fact.printed for fact in facts]
    return f"it was built with {listing(dict.fromkeys(names))}"


NAMED = (
    _type("formats", ("data form: {}", "data forms: {}")),
    _type("annotation", "annotation: {}", of_kind("annotation", "annotation")),
    _type("tools", "with {}", of_kind("annotation", "tool")),
    _type("augmentations", "augmentation: {}", own(augmentations), revision=1),
    _type("datasets", ("the dataset is {}", "the datasets are {}"), datasets),
    _type(
        "architectures", ("the architecture is {}", "the architectures are {}"), own(partial(listed, "architectures")), revision=1
    ),
    _type("loss", ("loss {}", "losses {}"), losses, merge=one_or_list),
    _type("optimizer", ("optimiser {}", "optimisers {}"), own(optimizers), merge=one_or_list, revision=1),
    _type("optimizers", ("the optimiser is {}", "the optimisers are {}"), own(optimizers), revision=1),
    _type("regularization", "regularisation: {}", own(regularization), revision=1),
    FactType(key="frameworks", extract=_frameworks, phrase=_frameworks_phrase),
    _type("metrics", ("the metric is {}", "the metrics are {}")),
    _type("tasks", ("the task is {}", "the tasks are {}"), first_quote_only=True),
    _type("platforms", ("the platform is {}", "the platforms are {}")),
)
