"""Evaluation metrics. "Accuracy", "precision" or "recall" are ordinary words too, so they need a value, a list of metrics or a
word of evaluation around them; where a clear metric is named, unclear ones are left out."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.metric_senses import BARE_TOP, LOSS, OVERLAPS, is_metric
from methodlens.facts.naming import UNCLEAR, Places, name_facts, places_in
from methodlens.facts.open_heads import valued_metrics
from methodlens.facts.open_metrics import costs, counted_over, cutoffs, errors, ratios
from methodlens.facts.open_names import abbreviated
from methodlens.facts.roles import Role, clause, role_of
from methodlens.facts.types import Fact

_REFUSED = frozenset({Role.NEGATED, Role.CITED})
_NUMBER = re.compile(r"\d+(?:\.\d+)?\s?%|(?<![\w.\[(])0?\.\d+|\b\d+\.\d+\b|\b\d{2}\b(?!\])|=")
_METRIC_WORD = re.compile(
    r"\b(?:metrics?|measures?|score[sd]?|evaluat\w+|performance\s(?:was|is|were|measure|metric|indicator)|in\sterms\sof|assess(?:ed|ing)?|"
    r"quantif\w+|indicators?|criteri(?:on|a)|(?:we|was|were|is|are)\s(?:\w+\s)?(?:report(?:ed)?|comput(?:ed?)|calculat(?:ed?)|measured))\b",
    re.I,
)
_MEASURED = re.compile(
    _METRIC_WORD.pattern
    + r"|\bwe\suse[sd]?\s(?:the\s)?(?:[\w-]{1,20}\s){0,5}(?:error|score|accuracy|index|distance|similarity)\b",
    re.I,
)
_LIKELY = 0.7
_APART = 30  # characters between two metrics of a list
_EVALUATED = re.compile(
    r"\b(?:model|network|classifier|system|method|approach|algorithm|detector|we|our|achiev\w+|obtain\w+|performance|evaluat\w+|test)s?\b",
    re.I,
)
_TOP_ERROR = re.compile(r"\s?(?:and|/|,)\s?(?:and\s)?top[- ]?\d\s(?:\w+\s)?errors?", re.I)
_CURVE = "ROC curve"
_AREA = "AUC"
_PAIR = frozenset({"precision", "recall"})
_GENERAL = frozenset({"accuracy", "precision", "recall"})
_SPECIAL = {
    "calibration error": "expected calibration error (ECE)",
    "exact match": "exact match (EM)",
    "Dice coefficient": "Dice similarity coefficient (DSC)",
    "error rate": "classification error rate",
    "average precision (AP)": "mean average precision (mAP)",
    "average recall": "mean average recall (mAR)",
}
# "the harmonic mean of precision and recall" defines another metric
_DEFINITION = re.compile(
    r"\b(?:mean|average|combination|balance|trade-?off)\s(?:of|between)\s(?:the\s)?(?:precision\sand\s(?:the\s)?|recall\sand\s(?:the\s)?)?$",
    re.I,
)
_TOP_ROW = re.compile(r"top[-\s]?1\D{1,20}(\d{1,2}\.\d{1,3})\b[^;]{0,20};[^;]{0,40}?top[-\s]?5\D{1,20}(\d{1,2}\.\d{1,3})\b", re.I)
_VALUE = re.compile(r"s?\)?(?:\s\([^()]{1,20}\))?\s?(?:(?:of|is|was|=|:)\s?(?:about\s|only\s)?\d|metric|score)", re.I)
_IN_TABLE = re.compile(r"\b(?:Tab(?:le|\.)|Fig(?:ure|\.))\s\d")
_CAPTION = re.compile(r"(?:Tab(?:le|\.)|Fig(?:ure|\.))\s[\dIVX]{1,4}\b")
_HEADS = (
    "score|rate|error|ratio|index|accuracy|coefficient|distance|similarity|efficiency|return|reward|divergence|precision|recall|"
    "measure|loss|correlation|deviation|distortion|likelihood|perplexity"
)


def metrics(quotes: Sequence[str]) -> list[Fact]:
    places = _in_pairs(_one_spelling(places_in(_mentions, quotes)))
    facts = name_facts(_as_errors(places, quotes), quotes)
    names = {str(fact.value) for fact in facts}
    return [fact for fact in facts if not _is_covered(str(fact.value), names, places, quotes)]


def _one_spelling(places: Places) -> Places:
    """ "Pond Depth Score (PDS)" and "pond depth score (PDS)" are one metric, as first spelled."""
    first: dict[str, str] = {}
    return [(index, replace(each, name=first.setdefault(each.name.lower(), each.name))) for index, each in places]


def _in_pairs(places: Places) -> Places:
    """Where one of precision and recall is clearly reported, an unclear mention of the other counts as well."""
    if not any(mention.name in _PAIR and mention.confidence > UNCLEAR for _, mention in places):
        return places
    return [
        (index, replace(mention, confidence=max(mention.confidence, _LIKELY)) if mention.name in _PAIR else mention)
        for index, mention in places
    ]


def _as_errors(places: Places, quotes: Sequence[str]) -> Places:
    """Where a paper reports the top-1 error, a column "top-1" is that error."""
    known = {mention.name for _, mention in places}
    falling = {index for index, quote in enumerate(quotes) if _falls(quote)}

    def read(index: int, mention: Mention) -> Mention:
        error = mention.name.replace("accuracy", "error")
        bare = BARE_TOP.fullmatch(quotes[index], mention.start, mention.end)
        return replace(mention, name=error) if bare and (error in known or index in falling) else mention

    return [(index, read(index, mention)) for index, mention in places]


def _falls(row: str) -> bool:
    """Whether the top-5 value of a row is below its top-1 value, as only errors are."""
    match = _TOP_ROW.search(row)
    return match is not None and float(match[1]) > float(match[2])


def _is_covered(name: str, names: set[str], places: Places, quotes: Sequence[str]) -> bool:
    """ "accuracy" next to "top-1 accuracy", and the overlap that a detection needs next to the precision of detections."""
    if name in _GENERAL:
        return any(other != name and other.endswith(f" {name}") for other in names)
    if name in _SPECIAL:
        return _SPECIAL[name] in names
    if name in OVERLAPS and any("average precision" in other or other.startswith(("AP", "mAP")) for other in names):
        return not any(mention.name == name and _VALUE.match(quotes[index], mention.end) for index, mention in places)
    return False


def _own_forms(text: str) -> Iterator[Mention]:
    """Those that no list has; they come before listed ones that are part of them."""
    yield from cutoffs(text)
    yield from ratios(text)
    for mention in counted_over(text):
        if _MEASURED.search(*_clause(text, mention)) or _NUMBER.search(*_clause(text, mention)) or _CAPTION.match(text):
            yield mention
    for mention in (*errors(text), *costs(text)):
        begin, stop = clause(text, mention.start)
        reported = _EVALUATED.search(text, begin, stop) or _IN_TABLE.search(text, begin, stop)
        if _CAPTION.match(text) or (reported and not LOSS.search(text, begin, stop)):
            yield mention


def _mentions(text: str) -> Iterable[Mention]:
    own = list(_own_forms(text))
    known = listed("metrics", text)
    names = [mention for mention in known if is_metric(text, mention)]
    names = [mention for mention in names if not any(_overlaps(mention, other) for other in own)] + [
        mention for mention in own if not any(_contains(other, mention) for other in names)
    ]
    names += [
        mention for mention in abbreviated(text, _HEADS, taken=[*names, *known]) if _MEASURED.search(*_clause(text, mention))
    ]
    names += [mention for mention in valued_metrics(text, names) if _EVALUATED.search(*_clause(text, mention))]
    names = [_as_error(text, mention) for mention in names]
    areas = [mention for mention in names if mention.name == _AREA]
    for mention in names:
        if role_of(text, mention.start, mention.end) in _REFUSED:
            continue
        if mention.name == _CURVE and any(_between(mention, area) <= _APART for area in areas):
            continue  # "the area under the ROC curve (AUC)"
        clear = not mention.common or _is_clear(text, mention, names)
        yield mention if clear and not _in_definition(text, mention) else replace(mention, confidence=UNCLEAR)


def _in_definition(text: str, mention: Mention) -> bool:
    begin, _ = clause(text, mention.start)
    return mention.name in _PAIR and bool(_DEFINITION.search(text, max(begin, mention.start - 40), mention.start))


def _as_error(text: str, mention: Mention) -> Mention:
    """ "top-1 and top-5 error": the first is an error as well."""
    is_error = mention.name == "top-1 accuracy" and _TOP_ERROR.match(text, mention.end)
    return replace(mention, name="top-1 error") if is_error else mention


def _is_clear(text: str, mention: Mention, names: Sequence[Mention]) -> bool:
    begin, stop = clause(text, mention.start)
    if _NUMBER.search(text, begin, stop) or _METRIC_WORD.search(text, begin, stop):
        return True
    return any(other.name != mention.name and _between(mention, other) <= _APART for other in names)


def _overlaps(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _contains(one: Mention, other: Mention) -> bool:
    return one.start <= other.start and other.end <= one.end and one.end - one.start > other.end - other.start


def _between(one: Mention, other: Mention) -> int:
    return max(one.start - other.end, other.start - one.end)


def _clause(text: str, mention: Mention) -> tuple[str, int, int]:
    return (text, *clause(text, mention.start))
