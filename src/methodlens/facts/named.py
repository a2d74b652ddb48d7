"""Facts that are names: those of the gazetteers, and a few rules for what lists cannot express."""

import re
from collections.abc import Sequence

from methodlens.facts.architectures import architectures, architectures_of
from methodlens.facts.augmentations import augmentations
from methodlens.facts.datasets import dataset_facts
from methodlens.facts.frameworks import frameworks, frameworks_phrase
from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.metrics import metrics
from methodlens.facts.naming import name_facts, name_type, of_kind, own, places_in
from methodlens.facts.open_heads import optimizer_names
from methodlens.facts.paper_metrics import metrics_of
from methodlens.facts.regularization import regularizer_facts
from methodlens.facts.roles import clause
from methodlens.facts.tasks import tasks
from methodlens.facts.types import Fact, FactType, Findings, listing, one_or_list, spelling, with_abbreviation

_KIN = re.compile(
    r"(?<!(?-i:Adam)\s)\b(?:extension|variant|alternative|generali[sz]ation|improvement|modification)s?\s+(?:of|to|over|for)\s+(?:[\w-]+\s+){0,5}$",
    re.I,
)
_SURNAME = re.compile(r"\s[A-Z][a-z]+")
_OPTIMIZING = re.compile(r"\boptimi|\blearning\srate|\btrain|\bgradient|\bsolver", re.I)
_TRAINED = re.compile(r"\b(?:train(?:ed|ing|s)?|fine-?\s?tun\w+|experiments?)\b", re.I)
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s)$")
_SERVED = re.compile(
    r"\b(?:deploy\w*|serv(?:e[sd]?|ing|ice)|host(?:ed|ing|s)?|runs?|running|apps?|application|inference|users?|production)\b",
    re.I,
)
_LOSS = re.compile(r"\bloss|\bobjective|\bcost\s+function|\bminimi[sz]|\bcriterion", re.I)


# "by stochastic gradient descent using Adam", "minibatch SGD with the Adam solver": the former says what kind the latter is
_REALISED = re.compile(
    r"(?:\s\(SGD\))?(?:\s\[[\d,\s]{1,9}\])?,?\s(?:using|via|with|by|through|namely|specifically|and\s(?:apply|use|adopt|employ))\s(?:the\s|an?\s)?$"
)
_CONTRASTED = re.compile(r"\b(?:compar|replac|combin|switch|substitut|instead|versus|alternat)", re.I)


def optimizers(text: str) -> list[Mention]:
    """Without those of "Adam, an extension of stochastic gradient descent"."""
    names = listed("optimizers", text)
    used = [
        mention
        for mention in names
        if not _is_person(text, mention)
        and not _is_realised(text, mention, names)
        and not _KIN.search(text, max(0, mention.start - 60), mention.start)
    ]
    return [*used, *optimizer_names(text, names)]


def optimizer_facts(quotes: Sequence[str]) -> list[Fact]:
    """Where one quote says that SGD is done by Adam, the SGD of other quotes is Adam as well."""
    places = places_in(_OWN_OPTIMIZERS, quotes)
    listed_in = [listed("optimizers", quote) for quote in quotes]
    realised = {
        mention.name
        for quote, names in zip(quotes, listed_in, strict=True)
        for mention in names
        if _is_realised(quote, mention, names)
    }
    return name_facts([place for place in places if place[1].name not in realised] or places, quotes)


def _is_realised(text: str, mention: Mention, names: Sequence[Mention]) -> bool:
    begin, _ = clause(text, mention.start)
    if mention.kind not in ("general", "family") or _CONTRASTED.search(text, begin, mention.start):
        return False
    return any(
        other.name != mention.name and _REALISED.fullmatch(text, mention.end, other.start)
        for other in names
        if other.start >= mention.end
    )


def _is_person(text: str, mention: Mention) -> bool:
    """ "Adam Newton" is one, "Adam Optimizer" is not."""
    return mention.name == "Adam" and bool(_SURNAME.match(text, mention.end)) and not _OPTIMIZING.search(text)


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


_OWN_OPTIMIZERS = own(optimizers)

NAMED = (
    name_type("formats", _formats_phrase),
    name_type("annotation", None, of_kind("annotation", "annotation")),
    name_type("tools", ("the annotation tool is {}", "the annotation tools are {}"), of_kind("annotation", "tool")),
    name_type("augmentations", "the data were augmented by {}", own(augmentations), revision=5),
    FactType(key="datasets", extract=dataset_facts, phrase="the data used are from {}", revision=4),
    FactType(
        key="architectures",
        extract=architectures,
        phrase=_architectures_phrase,
        in_abstract=True,
        in_paper=architectures_of,
        revision=3,
    ),
    name_type("loss", _loss_phrase, own(losses), merge=one_or_list, opening="the authors used", revision=2),
    FactType(
        key="optimizer",
        extract=optimizer_facts,
        phrase=("{} as the optimiser", "{} as the optimisers"),
        merge=one_or_list,
        opening="the authors used",
        revision=3,
    ),
    FactType(key="optimizers", extract=optimizer_facts, phrase=("the optimiser is {}", "the optimisers are {}"), revision=3),
    FactType(key="regularization", extract=regularizer_facts, phrase="the authors used {} against overfitting", revision=4),
    FactType(key="frameworks", extract=frameworks, phrase=frameworks_phrase, specific=True, revision=4),
    FactType(key="metrics", extract=metrics, phrase="the authors report {}", in_paper=metrics_of, revision=4),
    FactType(
        key="tasks",
        extract=tasks,
        phrase="the model is for {}",
        first_quote_only=True,
        in_abstract=True,
        in_title=True,
        revision=3,
    ),
    name_type("platforms", "the model runs on {}", own(platforms), revision=1),
)
