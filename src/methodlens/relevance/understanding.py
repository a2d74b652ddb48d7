"""What a question asks for: its kind, the form of its answer, its head noun and the words that matter.

Rules over the question's own words, so they hold for any field. Checklist items without a question mark are read as questions:
"Sources of funding" asks which, "Whether consent was obtained" asks yes or no.
"""

import re
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from methodlens.records import AnswerForm
from methodlens.text import words
from methodlens.text.stems import stem


class Kind(StrEnum):
    HOW_MANY = "how many"
    HOW_MUCH = "how much"
    WHICH = "which"
    WHO = "who"
    WHERE = "where"
    WHEN = "when"
    YES_NO = "yes or no"
    WHY = "why"
    HOW = "how"
    LIST = "list"
    ITEM = "item"
    """A checklist item: a noun phrase."""


class Understanding(Struct, frozen=True):
    kind: Kind
    form: AnswerForm
    head: tuple[str, ...]
    """The noun that is asked for with its modifiers, the noun last: ("learning", "rate")."""
    words: tuple[str, ...]
    """The words that matter, in order, without those that only ask."""
    examples: tuple[str, ...]
    """Words of "(e.g. sealed envelopes)": what an answer may look like."""
    conditional: bool
    """ "If any", "when applicable": many papers have nothing to report."""
    counted: tuple[str, ...] = ()
    """What stands behind the number that is asked for: the thing counted, units of time, or "percent"; empty if anything may."""


_LISTED = re.compile(r"\b(?:e\.?g\.?|for example|for instance|such as|i\.e\.|including)[,:]?\s", re.IGNORECASE)
_END_OF_LIST = re.compile(
    r"[()?;:]|\.\s|\b(?:is|are|was|were|be|been|has|have|had|can|could|does|do|did|will|would|should|used|applied)\b",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"\b(?:or|and)\s", re.IGNORECASE)
_LONGEST_LIST = 250
_LONGEST_EXAMPLE = 4  # words
_CONDITIONAL = re.compile(
    r"\b(?:if|when|where)\s(?:any|applicable|relevant|done|available|so|appropriate|blinded|used)\b|^if\b|\bany\b", re.IGNORECASE
)
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)(?:n['’]t)?"
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (Kind.HOW_MANY, r"\bhow many\b|\b(?:the |total )?number of\b|\bhow (?:often|frequently)\b"),
        (
            Kind.HOW_MUCH,
            r"\bhow (?:much|long|large|big|high|low|far|old|fast|deep|wide|tall|heavy|accurate|small|great)\b"
            r"|\bwhat (?:percentage|proportion|fraction|share|amount|level|rate|dose|size|length|duration)\b",
        ),
        (Kind.WHY, r"\bwhy\b|\bfor what reasons?\b|\bwhat (?:was|is|were|are) the (?:reasons?|rationale|motivation)\b"),
        (Kind.WHO, r"\b(?:who|whom|whose|by whom)\b"),
        (
            Kind.WHERE,
            r"\bwhere\b|\b(?:in|at|from) (?:which|what) (?:country|countries|city|place|location|site|hospital|institution)s?\b",
        ),
        (
            Kind.WHEN,
            r"\bwhen\b(?! applicable| relevant| appropriate)|\b(?:in )?(?:what|which) (?:year|date|month|period)s?\b|^dates?\b",
        ),
        (Kind.LIST, r"^(?:list|name|give|enumerate)\b|\bwhat are (?:the |all )|\bwhich of\b"),
        (Kind.YES_NO, rf"^(?:\w+,? ){{0,6}}?(?:whether)\b|^{_AUXILIARY}\b|^is there\b|^are there\b|\bor not\b"),
        (Kind.WHICH, r"\b(?:which|what)\b"),
        (Kind.HOW, r"\bhow\b"),
    )
)
_OPENING = re.compile(r"^\W*(?:[a-z][\w’'-]*\W+){0,3}?$", re.IGNORECASE)
_AFTER_WH = re.compile(r"\b(?:which|what|how many|how much|list|name)\b(.{0,200})", re.IGNORECASE | re.DOTALL)
_VERBS_AFTER_HEAD = (
    r"turned|gave|gives|took|takes|gets?|got|worked|performs?|performed|helps|helped|compares|compared|reduces|reduced|improves"
    r"|improved|needs|needed|makes|made|happens|happened|reveals?|revealed|shows|showed|shown|reached|reaches|achieves?|achieved"
    r"|obtained|causes|caused|requires?|required|came|comes|led|leads|belongs?|includes|included|contains?|contained|becomes?|became"
    r"|went|goes|differs?|gained|describes?|described|decides?|decided|determines?|determined|ensures?|ensured|enters?|entered"
    r"|serves?|served|ran|drives?|drove|forms?|formed|follows?|followed|separates?|separated|connects?|connected"
)
_STOPS_HEAD = re.compile(
    rf"\b(?:{_AUXILIARY}|of|for|in|on|at|to|from|by|with|that|who|used|using|per|during|and|or|as|between|about|than|when|where|if"
    rf"|while|after|before|over|under|against|without|within|through|across|into|via|it|they|we)\b|(?<=\w)\s(?:{_VERBS_AFTER_HEAD})\b"
    r"|[,;:?()]",
    re.IGNORECASE,
)
_COPULA = re.compile(
    rf"^\W*(?:kinds? of|types? of|sorts? of)?\W*(?:{_AUXILIARY})\b\W*(?:the|a|an|its|their|this|your)?\W*", re.IGNORECASE
)
_DETERMINER = re.compile(
    r"^(?:the|a|an|any|all|each|every|its|their|these|those|this|that|other|main|best|final|total)\s+", re.IGNORECASE
)
_CARRIER = re.compile(  # "the number of images": the noun is behind "of"
    r"^(?:the )?(?:(?:total|exact|maximum|average|mean) )?(?:number|amount|kinds?|types?|sorts?|names?|list|description|details?"
    r"|statement"
    r"|percentage|proportion|fraction|share|set|sources?|methods?|plans?|results?|criteria|definition|composition) of\s+",
    re.IGNORECASE,
)

_ASKS_SHARE = re.compile(r"\b(?:what|which) (?:percentage|proportion|fraction|share)\b", re.IGNORECASE)
_ASKS_TIME = re.compile(r"\bhow long\b|\b(?:what|which) (?:(?:was|is|were|are) the )?(?:duration|\w+ time)\b", re.IGNORECASE)
_TIMES = ("millisecond", "ms", "second", "minute", "min", "hour", "day", "week", "month", "year")

_NUMBER_HEADS = frozenset(
    """accuracy precision recall score rate ratio percentage proportion number count amount size length width height depth
    duration time period temperature age dose dosage concentration weight mass volume distance speed frequency resolution
    cost price budget value level probability error loss threshold power latency throughput memory interval dimension epoch
    parameter learning-rate auc f1 fold prevalence incidence mortality mean median share total fraction quantity batch
    momentum decay capacity density range sensitivity specificity perplexity bleu iou wer rmse mae mse psnr gain improvement
    increase decrease reduction drop speedup dimensionality""".split()
)
_BODY_HEADS = frozenset(
    """author funder sponsor investigator company organisation organization institution university committee agency team group
    expert annotator person people manufacturer provider board owner developer researcher support funding grant""".split()
)
_PLACE_HEADS = frozenset("country city place location site region area hospital state province setting venue continent".split())
_DATE_HEADS = frozenset("year date month day period season".split())
_LINK_HEADS = frozenset("link url repository address website doi identifier registration registry archive".split())
_ASKING = frozenset(
    """use used using uses paper study author authors report reported describe described description give given apply applied
    one many much kind type sort name named employ employed say said way which example instance eg ie done made was relevant
    applicable detail details any each all other including include included statement whether list specify state provide
    provided identify indicate explain explanation sufficient important completely such well also long often please article
    work""".split()
)


@lru_cache(maxsize=2048)
def understand(text: str) -> Understanding:
    """
    >>> understand("How many images are in the test set?").form
    <AnswerForm.NUMBER: 'number'>
    >>> understand("Which loss function is used?").head
    ('loss', 'function')
    >>> understand("Who funded the work?").form
    <AnswerForm.PERSON: 'person'>
    """
    plain = " ".join(text.split())
    core, named = _without_examples(plain)
    kind = _kind(core)
    head = _head(core, kind)
    tokens = words(core)
    useful = tuple(dict.fromkeys(token for token in tokens if token not in _ASKING)) or tuple(dict.fromkeys(tokens))
    return Understanding(
        kind,
        _form(core, kind, head),
        head,
        useful,
        tuple(word for word in dict.fromkeys(named) if word not in _ASKING),
        bool(_CONDITIONAL.search(core)),
        _counted(core, kind, head),
    )


def _counted(text: str, kind: Kind, head: tuple[str, ...]) -> tuple[str, ...]:
    """
    >>> understand("How many nets were set?").counted, understand("What percentage of newts survived?").counted
    (('net',), ('percent',))
    """
    if _ASKS_SHARE.search(text):
        return ("percent",)
    if _ASKS_TIME.search(text):
        return _TIMES
    return head[-1:] if kind is Kind.HOW_MANY else ()


def same_head(one: Understanding, other: Understanding) -> bool:
    """Whether both ask for the same thing: the same noun, and the same modifiers where both have some."""
    if not one.head or not other.head or stem(one.head[-1]) != stem(other.head[-1]):
        return False
    return {stem(word) for word in one.head} == {stem(word) for word in other.head}


def _without_examples(text: str) -> tuple[str, list[str]]:
    """The question without its list of examples, and the words of these.

    >>> _without_examples("Which steps, such as resizing or added noise, prepared the images?")
    ('Which steps,  , prepared the images?', ['resizing', 'added', 'noise'])
    """
    kept, named, at = [], [], 0
    for match in _LISTED.finditer(text):
        if match.start() < at:
            continue
        rest = text[match.end() : match.end() + _LONGEST_LIST]
        stop = _END_OF_LIST.search(rest)
        size = _list_size(rest[: stop.start()] if stop else rest)
        kept.append(text[at : match.start()])
        named += words(rest[:size])
        at = match.end() + size
    return " ".join([*kept, text[at:]]), named


def _list_size(text: str) -> int:
    """How far "flips, rotations or added noise, in order to" lists: to the item behind "or", or else the first items that are
    short."""
    size = 0
    for part in text.split(","):
        conjunction = _CONJUNCTION.search(part)
        if len((part[conjunction.end() :] if conjunction else part).split()) > _LONGEST_EXAMPLE:
            if not size:
                size = len(" ".join(part.split()[:_LONGEST_EXAMPLE])) + (len(part) - len(part.lstrip())) + 1
            break
        size += len(part) + 1
        if conjunction:
            break
    return max(0, min(size - 1, len(text))) if size else 0


def _kind(text: str) -> Kind:
    found = [(match.start(), order, kind) for order, (kind, pattern) in enumerate(_KINDS) if (match := pattern.search(text))]
    asks = "?" in text or (bool(found) and min(found)[0] == 0)
    if not found:
        return Kind.YES_NO if text.endswith("?") else Kind.ITEM
    start, _, kind = min(found)
    return kind if asks or start < 20 else Kind.ITEM


def _head(text: str, kind: Kind) -> tuple[str, ...]:
    rest = text
    if match := _AFTER_WH.search(text):
        rest = match[1]
        if _COPULA.match(rest):  # "What was the best accuracy?"
            rest = _COPULA.sub("", rest, count=1)
    elif kind not in (Kind.ITEM, Kind.LIST):
        return ()
    rest = rest.strip()
    rest = _DETERMINER.sub("", _CARRIER.sub("", _DETERMINER.sub("", rest)))
    stop = _STOPS_HEAD.search(rest)
    phrase = rest[: stop.start()] if stop else rest
    return tuple(token for token in words(phrase) if token not in _ASKING or len(phrase.split()) == 1)[-3:]


def _form(text: str, kind: Kind, head: tuple[str, ...]) -> AnswerForm:
    by_kind = {
        Kind.HOW_MANY: AnswerForm.NUMBER,
        Kind.HOW_MUCH: AnswerForm.NUMBER,
        Kind.WHO: AnswerForm.PERSON,
        Kind.WHERE: AnswerForm.PLACE,
        Kind.WHEN: AnswerForm.DATE,
        Kind.WHY: AnswerForm.CLAUSE,
        Kind.HOW: AnswerForm.CLAUSE,
        Kind.YES_NO: AnswerForm.YES_NO,
    }
    noun = head[-1] if head else ""
    if (
        kind is Kind.WHERE
        and noun not in _PLACE_HEADS
        and re.search(r"\b(?:code|data|dataset|protocol|software|material|available|accessed?|download)", text, re.I)
    ):
        return AnswerForm.LINK
    if kind in by_kind:
        return by_kind[kind]
    for nouns, form in (
        (_LINK_HEADS, AnswerForm.LINK),
        (_NUMBER_HEADS, AnswerForm.NUMBER),
        (_DATE_HEADS, AnswerForm.DATE),
        (_PLACE_HEADS, AnswerForm.PLACE),
        (_BODY_HEADS, AnswerForm.PERSON),
    ):
        if noun in nouns:
            return form
    if kind is Kind.LIST:
        return AnswerForm.LIST
    return AnswerForm.NAME if kind is Kind.WHICH else AnswerForm.CLAUSE
