"""What keeps a network from overfitting: listed methods, and others as authors call them."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.naming import name_facts, own, places_in
from methodlens.facts.negation import is_negated
from methodlens.facts.open_heads import regularizers
from methodlens.facts.open_names import LONGEST_NAME, OPEN, spelled_out
from methodlens.facts.roles import clause
from methodlens.facts.types import Fact

# training that ends when validation stops improving is early stopping, even if it is not called so
_EARLY_STOPPING = re.compile(
    r"\b(?:no|not|without|stop\w*|fail\w*|ceas\w*)\b[^.;]{0,30}\b(?:improv\w*|reduc\w*|decreas\w*)\b[^.;]{0,60}\b(?:valida\w*|val[-‐]\s?idation|epochs)\b"
    r"|\b(?:stop\w*|terminat\w*|halt\w*|end)\b[^.;]{0,60}\b(?:when|once|if|as\s+soon\s+as)\b[^.;]{0,60}\b(?:validation|plateau\w*|improv\w*)"
    r"|\bpatience\s(?:\w+\s)?(?:of|=|is|was)\s?(?:set\sto\s)?\d+(?!\d)(?![^.;]{0,60}\b(?:learning\srate|plateau))",
    re.I,
)
_RATE_PATIENCE = re.compile(r"\blearning\srate\b|\bplateau", re.I)
_BATCH_NORM = re.compile(r"\bbatch[\s‐-]{0,2}norm(?:ali[sz](?:ation|ed))?\b|\bBatchNorm\b|\bBN\b", re.I)
# a layer of the authors' network, not its statistics: "followed by batch normalization", "we apply batch normalization"
_AS_A_LAYER = re.compile(
    r"\b(?:followed\sby|after\s(?:each|every|all)|each\s(?:[\w-]+\s){0,3}(?:layers?|blocks?|convolutions?|units?)|"
    r"(?:is|are|was|were)\s(?:also\s|then\s)?(?:used|applied|added|employed|inserted|performed|adopted|placed)|consists?\sof|"
    r"composed\sof|we\s(?:also\s)?(?:use|used|apply|applied|add|added|employ|employed|adopt|adopted|insert|inserted)|"
    r"between\s(?:each|every|all)|with\s(?:max\spooling|batch))\b",
    re.I,
)
_NO_LAYER = re.compile(
    r"\s*(?:\[[\d,\s]{1,12}\]\s?)?(?:statistics|values?|parameters?|weights|momentum|instabilit\w+|means|epsilon|folding|folded|fusion|freez\w+)\b"
    r"|\s*(?:is|are|was|were)\s(?:frozen|folded|fused|replaced|removed|disabled)",
    re.I,
)
_NO_USE = re.compile(
    r"\b(?:freez\w+|froz\w+|fold\w*|replac\w+|remov\w+|without|instead|instabilit\w+|fus(?:e|ed|ing))\s(?:[\w-]+\s){0,3}$", re.I
)
# "weight decay (L2 penalty)": one method with two names
_SAME = re.compile(r"\s?\((?:i\.e\.,?\s|or\s|also\s(?:known\sas|called)\s|aka\s|the\s|an?\s)?$")
# "DropNewt [8] extends dropout to ...": other people's method, described
_DESCRIBED = re.compile(
    r"\s?(?:\[[\d,\s–-]{1,15}\]|\([A-Z][^()]{2,50}\d{4}[a-z]?\))\s(?:extends?|generali[sz]es?|proposes?|is\sa|was\s(?:proposed|introduced)|"
    r"randomly|drops?|works?\sby|adds|penali[sz]es)\b"
)
_POSSIBLY = re.compile(
    r"\b(?:it\s(?:is|may\sbe)\s(?:possible|likely|conceivable)\sthat|possibly|presumably|(?:similar|akin|comparable)\sto)\b", re.I
)
_CALLED_SO = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|add(?:s|ed|ing)?|appl(?:y|ies|ied|ying)|employ(?:s|ed|ing)?|introduc(?:e|es|ed|ing)|adopt(?:s|ed|ing)?|includ(?:e|es|ed|ing))\s"
    r"(?:an?\s|the\s)?(?P<name>[a-z][a-z0-9-]{2,20}(?:\s[a-z][a-z0-9-]{2,20}){0,2})\s(?:\([^()]{1,20}\)\s)?as\s(?:an?\s|our\s|the\s|another\s)?"
    r"(?:[\w-]{1,15}\s)?regulari[sz](?:er|ation)\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:to|for|and)\s(?:further\s|also\s)?(?:prevent|avoid|reduc|mitigat|alleviat|combat|counter|counteract|limit|address|overcom|tackl)(?:e|ing)?\s"
    r"(?:the\s|any\s|potential\s|possible\s|severe\s|model\s|risk\sof\s){0,3}over-?\s?fitting(?:\s[\w-]{1,15}){0,3},\s(?:we|the\sauthors)\s(?:also\s|further\s)?"
    r"(?:use|used|apply|applied|employ|employed|adopt|adopted|add|added|impose|imposed|incorporate|incorporated|introduce|introduced|utili[sz]ed?)\s"
    r"(?:an?\s|the\s)?(?P<name>[a-z][a-z0-9-]{2,20}(?:\s[a-z][a-z0-9-]{2,20}){0,2})(?=\s(?:on|to|in|with|of|for|after|during|by|at|and|between|as|across)\b|[,.;(\[]|\s[\[(])",
    re.I,
)
_GENERIC = re.compile(
    r"\b(?:techniques?|methods?|strateg\w+|approach\w*|models?|networks?|data|sets?|measures?|several|two|three|following|different|"
    r"various|both|small\w*|larger?|more|it|them|this|these|that|which|number|architectures?|procedures?|terms?|loss|regulari[sz]\w+|"
    r"version|values?|layers?|only|same|simple)\b",
    re.I,
)
_NO_NAME = re.compile(
    r"(?:\w+ing|useful|implicit|explicit|better|good|weak|effective|necessary|little|much|less|extra|some|certain|own|norm|"
    r"appropriate|sufficient|suitable|great|its|their|this|that|network|model|weights?|parameter|loss|training|new|novel|term|the)"
    r"\sregularization",
    re.I,
)


_LOOSE = frozenset(
    (
        "transfer learning",
        "multi-task learning",
        "cross-validation",
        "knowledge distillation",
        "model ensembling",
        "frozen layers",
    )
)
_PURPOSE = re.compile(r"\bover-?\s?fit|\bregulari[sz]|\bgenerali[sz]", re.I)
_REACH = 80  # characters between a method that has other purposes too and the word that says this one
_ABBREVIATED = "abbreviated"
_LAYER = "layer"
"""The kind of batch normalization as a mere layer: it counts next to other regularisers only."""


# "the POND regularizer", "TV regularization"
_SHORT = re.compile(r"\b(?P<name>[A-Z][A-Za-z]{0,2}[A-Z]{1,4})\s(?:regulari[sz](?:ation|er)s?|penalty)\b")
_NO_SHORT = frozenset("CNN DNN RNN NN GAN LSTM MLP BN SGD GP SVM LR DL ML AI KL".split())


def regularizer_facts(quotes: Sequence[str]) -> list[Fact]:
    places = [(index, _spelled_out(mention, quotes)) for index, mention in places_in(_OWN, quotes)]
    if all(mention.kind == _LAYER for _, mention in places):
        return []
    return name_facts(places, quotes)


def regularization(text: str) -> list[Mention]:
    known = listed("regularization", text)
    mentions = [
        mention
        for mention in known
        if not _is_described(text, mention) and not _is_same(text, mention, known) and _serves(text, mention)
    ]
    if (match := _EARLY_STOPPING.search(text)) and not _is_of_the_rate(text, match):
        mentions.append(Mention("early stopping", "method", match.start(), match.end()))
    mentions += _batch_norm(text, mentions)
    opened = (mention for mention in regularizers(text, [*known, *mentions]) if not _NO_NAME.fullmatch(mention.name))
    return [*mentions, *opened, *_short_names(text, [*known, *mentions]), *_called_so(text, [*known, *mentions])]


def _short_names(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    for match in _SHORT.finditer(text):
        free = not any(mention.start < match.end() and match.start() < mention.end for mention in taken)
        if free and match["name"] not in _NO_SHORT and not is_negated(text, *match.span()):
            yield Mention(f"{match['name']} regularization", _ABBREVIATED, *match.span(), confidence=0.65)


def _spelled_out(mention: Mention, quotes: Sequence[str]) -> Mention:
    """ "POND regularization" by the name that a quote spells out: "Pooled Newt Dropping (POND)"."""
    if mention.kind != _ABBREVIATED:
        return mention
    short = mention.name.split()[0]
    for quote in quotes:
        before, bracket, _ = quote.partition(f" ({short})")
        if bracket and (long := spelled_out(before[-LONGEST_NAME:], short)):
            return replace(mention, name=f"{long} ({short})")
    return mention


def _is_of_the_rate(text: str, match: re.Match[str]) -> bool:
    """ "the learning rate was halved with a patience of 5": not the training stops."""
    return match[0].lower().startswith("patience") and bool(_RATE_PATIENCE.search(text, *clause(text, match.start())))


def _is_described(text: str, mention: Mention) -> bool:
    begin, _ = clause(text, mention.start)
    return bool(_DESCRIBED.match(text, mention.end)) or bool(
        _POSSIBLY.search(text, max(begin, mention.start - 2 * _REACH), mention.start)
    )


def _serves(text: str, mention: Mention) -> bool:
    """Methods that mostly have other purposes count where this one is said nearby."""
    if mention.name not in _LOOSE:
        return True
    begin, stop = clause(text, mention.start)
    return bool(_PURPOSE.search(text, max(begin, mention.start - _REACH), min(stop, mention.end + _REACH)))


def _is_same(text: str, mention: Mention, others: Sequence[Mention]) -> bool:
    """Whether it stands in brackets as another name of the one before it."""
    return any(
        other.name != mention.name and other.end <= mention.start and _SAME.fullmatch(text, other.end, mention.start)
        for other in others
    )


def _batch_norm(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    if any(mention.name == "batch normalization" for mention in taken):
        return
    for match in _BATCH_NORM.finditer(text):
        if match[0] in ("bn", "Bn") or _NO_LAYER.match(text, match.end()) or is_negated(text, match.start(), match.end()):
            continue
        begin, stop = clause(text, match.start())
        if _AS_A_LAYER.search(text, begin, stop) and not _NO_USE.search(text, max(begin, match.start() - 60), match.start()):
            yield Mention("batch normalization", _LAYER, *match.span())
            return


def _called_so(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """ "we use newt counting as a regularizer", "To avoid overfitting, we apply pond mixing"."""
    for pattern in (_CALLED_SO, _AGAINST):
        for match in pattern.finditer(text):
            start, end = match.span("name")
            free = not any(mention.start < end and start < mention.end for mention in taken)
            if free and not _GENERIC.search(match["name"]) and not is_negated(text, start, end):
                yield Mention(match["name"].lower(), OPEN, start, end, confidence=0.65)


_OWN = own(regularization)
