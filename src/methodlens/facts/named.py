"""Facts that are names: those of the gazetteers, and a few rules for what lists cannot express."""

import re
from collections.abc import Sequence

from methodlens.facts.architectures import architectures, architectures_of
from methodlens.facts.datasets import datasets
from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.metrics import metrics
from methodlens.facts.naming import by_name, name_fact, name_type, of_kind, own, places_in
from methodlens.facts.negation import is_negated
from methodlens.facts.open_heads import augmenters, optimizer_names, regularizers, software
from methodlens.facts.roles import OF_OTHERS, Role, clause
from methodlens.facts.tasks import tasks
from methodlens.facts.types import Fact, FactType, Findings, listing, one_or_list, spelling, with_abbreviation

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
_SURNAME = re.compile(r"\s[A-Z][a-z]+")
_OPTIMIZING = re.compile(r"\boptimi|\blearning\srate|\btrain|\bgradient|\bsolver", re.I)
_HORIZONTALLY = re.compile(
    r"\bflip(?:s|ped|ping|-ping)?\s+(?:\w+\s+){0,4}?(?P<how>horizontally|vertically|left[\s-]right|up[\s-]down)"
    r"(?:\s+(?:and|or)\s+(?P<also>horizontal|vertical)(?:ly)?\b)?",
    re.I,
)
_TRAINED = re.compile(r"\b(?:train(?:ed|ing|s)?|fine-?\s?tun\w+|experiments?)\b", re.I)
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s)$")
_SERVED = re.compile(
    r"\b(?:deploy\w*|serv(?:e[sd]?|ing|ice)|host(?:ed|ing|s)?|runs?|running|apps?|application|inference|users?|production)\b",
    re.I,
)
_LOSS = re.compile(r"\bloss|\bobjective|\bcost\s+function|\bminimi[sz]|\bcriterion", re.I)
_VERSION = re.compile(
    r"\s*(?:\(|,)?\s*(?:version|ver\.?|v\.?)?\s*(\d+(?:\.\d+)+(?:\.?\w\d*)?|(?<=\bR)\d{4}[ab])(?![\d%])|\s*\(?(?:version|v)\s?(\d+)\b",
    re.I,
)
_LINK = re.compile(r"(?:https?://|www\.)\S+|\b\w+\.(?:org|com|io)\b\S*", re.I)


def augmentations(text: str) -> list[Mention]:
    mentions = [*listed("augmentations", text)]
    for match in _HORIZONTALLY.finditer(text):
        if not is_negated(text, match.start(), match.end()):
            ways = [way.lower()[0] for way in (match["how"], match["also"]) if way]
            names = ["horizontal flip" if way in "hl" else "vertical flip" for way in ways]
            mentions += [Mention(name, "image", match.start(), match.end()) for name in names]
    return [*mentions, *augmenters(text, mentions)]


def optimizers(text: str) -> list[Mention]:
    """Without those of "Adam, an extension of stochastic gradient descent"."""
    names = listed("optimizers", text)
    used = [
        mention
        for mention in names
        if not _is_person(text, mention) and not _KIN.search(text, max(0, mention.start - 60), mention.start)
    ]
    return [*used, *optimizer_names(text, names)]


def _is_person(text: str, mention: Mention) -> bool:
    """ "Adam Newton" is one, "Adam Optimizer" is not."""
    return mention.name == "Adam" and bool(_SURNAME.match(text, mention.end)) and not _OPTIMIZING.search(text)


def regularization(text: str) -> list[Mention]:
    mentions = [*listed("regularization", text)]
    if match := _EARLY_STOPPING.search(text):
        mentions.append(Mention("early stopping", "method", match.start(), match.end()))
    return [*mentions, *regularizers(text, mentions)]


def platforms(text: str) -> list[Mention]:
    """Where a model runs in use, not where it was trained.

    >>> [mention.name for mention in platforms("We trained it on AWS. The model is deployed on Heroku.")]
    ['Heroku']
    """
    return [mention for mention in listed("platforms", text) if _is_in_use(text, mention)]


def _is_in_use(text: str, mention: Mention) -> bool:
    if mention.name == "Windows" and _SENTENCE_START.search(text, 0, mention.start):  # "Windows of three seconds"
        return False
    around = clause(text, mention.start)
    return not _TRAINED.search(text, *around) or bool(_SERVED.search(text, *around))


def losses(text: str) -> list[Mention]:
    """Only in texts about a loss: elsewhere a squared error is a metric."""
    return [*listed("losses", text)] if _LOSS.search(text) else []


def version(text: str, mention: Mention) -> str | None:
    """
    >>> version("We used PyTorch (version 1.8.1).", Mention("PyTorch", "framework", 8, 15))
    '1.8.1'
    """
    match = _VERSION.match(text, mention.end)
    return (match[1] or match[2]) if match else None


def _frameworks_in(text: str) -> list[Mention]:
    """Without those that are part of a link, such as "tensorflow.org"."""
    links = [match.span() for match in _LINK.finditer(text)]
    known = listed("frameworks", text)
    frameworks = [*(mention for mention in known if mention.kind in ("framework", "library")), *software(text, known)]
    return [mention for mention in frameworks if not any(start <= mention.start < end for start, end in links)]


def _frameworks(quotes: Sequence[str]) -> list[Fact]:
    facts: list[Fact] = []
    for name, places in by_name(places_in(own(_frameworks_in, OF_OTHERS | {Role.TOOL}), quotes)).items():
        versions = (version(quotes[index], mention) for index, mention in places)
        facts.append(name_fact({"name": name, "version": next(filter(None, versions), None)}, places, quotes))
    return facts


def _frameworks_phrase(findings: Findings) -> str:
    facts = findings.facts["frameworks"]
    names = [f"{fact.printed} {fact.value['version']}" if fact.value["version"] else fact.printed for fact in facts]
    return f"the authors used {listing(dict.fromkeys(names))}"


_NO_PLURAL = ("s", "audio", "text", "spectra", "output")


_FILES = re.compile(r"[ -](?:images?|files?|formats?|recordings?|audio)$", re.I)


def _formats_phrase(findings: Findings) -> str:
    """ "the data are images and audio, in JPEG and WAV format" """
    names = dict.fromkeys(map(spelling, findings.facts["formats"]))
    files = dict.fromkeys(_FILES.sub("", name) for name in names if not name.islower())
    forms = [
        name if name.endswith(_NO_PLURAL) else f"{name} data" if name == "tabular" else f"{name}s"
        for name in names
        if name.islower()
    ]
    if not forms:
        return f"the data are in {listing(files)} format"
    return f"the data are {listing(forms)}" + (f", in {listing(files)} format" if files else "")


def _architectures_phrase(findings: Findings) -> str:
    """ "the model is a convolutional neural network", "the model is ResNet-50" """
    names = list(dict.fromkeys(with_abbreviation(fact, findings.quotes) for fact in findings.facts["architectures"]))
    common = names[0].partition(" (")[0].islower()
    several = len(names) > 1 or (common and names[0].endswith("s"))
    article = "" if several or not common else "an " if names[0][0] in "aeio" else "a "
    return f"the model{'s are' if several else ' is'} {article}{listing(names)}"


def _loss_phrase(findings: Findings) -> str:
    names = dict.fromkeys(spelling(fact).removesuffix(" loss") for fact in findings.facts["loss"])
    return f"{listing(names)} loss"


NAMED = (
    name_type("formats", _formats_phrase),
    name_type("annotation", None, of_kind("annotation", "annotation")),
    name_type("tools", ("the annotation tool is {}", "the annotation tools are {}"), of_kind("annotation", "tool")),
    name_type("augmentations", "the data were augmented by {}", own(augmentations), revision=3),
    name_type("datasets", "the data used are from {}", own(datasets, {Role.NEGATED, Role.CITED}), revision=3),
    FactType(
        key="architectures",
        extract=architectures,
        phrase=_architectures_phrase,
        in_abstract=True,
        in_paper=architectures_of,
        revision=3,
    ),
    name_type("loss", _loss_phrase, own(losses), merge=one_or_list, opening="the authors used", revision=1),
    name_type(
        "optimizer",
        ("{} as the optimiser", "{} as the optimisers"),
        own(optimizers),
        merge=one_or_list,
        opening="the authors used",
        revision=1,
    ),
    name_type("optimizers", ("the optimiser is {}", "the optimisers are {}"), own(optimizers), revision=1),
    name_type("regularization", "the authors used {} against overfitting", own(regularization), revision=2),
    FactType(key="frameworks", extract=_frameworks, phrase=_frameworks_phrase, revision=1),
    FactType(key="metrics", extract=metrics, phrase="the authors report {}", revision=2),
    FactType(
        key="tasks",
        extract=tasks,
        phrase="the model is for {}",
        first_quote_only=True,
        in_abstract=True,
        in_title=True,
        revision=2,
    ),
    name_type("platforms", "the model runs on {}", platforms),
)
