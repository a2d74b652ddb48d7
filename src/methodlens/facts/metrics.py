"""Evaluation metrics. "Accuracy", "precision" or "recall" are ordinary words too, so they need a value, a list of metrics or a
word of evaluation around them; where a clear metric is named, unclear ones are left out."""

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.naming import UNCLEAR, name_facts, places_in
from methodlens.facts.open_heads import valued_metrics
from methodlens.facts.open_names import abbreviated
from methodlens.facts.roles import Role, clause, role_of
from methodlens.facts.types import Fact

_REFUSED = frozenset({Role.NEGATED, Role.CITED})
_NUMBER = re.compile(r"\d+(?:\.\d+)?\s?%|(?<![\w.\[(])0?\.\d+|\b\d+\.\d+\b|\b\d{2}\b(?!\])|=")
_METRIC_WORD = re.compile(
    r"\b(?:metrics?|measures?|scores?|evaluat\w+|performance\s(?:was|is|were|measure|metric|indicator)|in\sterms\sof|assess(?:ed|ing)?|"
    r"quantif\w+|indicators?|(?:we|was|were|is|are)\s(?:\w+\s)?(?:report(?:ed)?|comput(?:ed?)|calculat(?:ed?)|measured))\b",
    re.I,
)
_MEASURED = re.compile(
    _METRIC_WORD.pattern
    + r"|\bwe\suse[sd]?\s(?:the\s)?(?:[\w-]{1,20}\s){0,5}(?:error|score|accuracy|index|distance|similarity)\b",
    re.I,
)
_APART = 30  # characters between two metrics of a list
_ALSO_CALLED = re.compile(r"(?:also\s(?:known|called|referred\sto)\s(?:as\s)?|a\.?k\.?a\.?\s|equivalent\sto\s)(?:the\s)?$", re.I)
# the threshold of a match, not the score: "an IoU of at least 0.5"
_THRESHOLD = re.compile(
    r"(?:\s\([\w-]{1,8})?\)?\s?(?:of\sat\sleast|threshold|(?:of\s)?(?:greater|larger|higher|more)\sthan|(?:is\s)?(?:above|over|exceed\w*)|[>≥])",
    re.I,
)
_OVERLAPS = frozenset({"IoU"})
_LOSS = re.compile(r"\bloss(?:es)?\b|\bobjective\b|\bcost\sfunction|\bminimi[sz]", re.I)
_ALSO_LOSSES = frozenset(
    {
        "MSE",
        "MAE",
        "RMSE",
        "cross-entropy loss",
        "Kullback-Leibler divergence",
        "log loss",
        "negative log-likelihood (NLL)",
        "Wasserstein distance",
    }
)
_EVALUATED = re.compile(
    r"\b(?:model|network|classifier|system|method|approach|algorithm|detector|we|our|achiev\w+|obtain\w+|performance|evaluat\w+|test)s?\b",
    re.I,
)
_EVALUATION = re.compile(r"\bmetrics?\b|\bevaluat|\bperformance|\btest\b|\bvalidation\b|\bmeasured?\b|\breport", re.I)
# F(1, 33) = 4.2 and F1,33 = 4.2 are test statistics
_STATISTIC = re.compile(r"\s?,\s?\d{1,4}\s?\)?\s?[=<>,]")
# "Recall that ..." and "we recall ..." are verbs
_VERB = re.compile(r"\s(?:that|from|the\sdefinition|our|Eq|Section|how)\b")
_ALSO_INSTRUMENTS = frozenset({"accuracy", "precision", "sensitivity"})
_WITH_UNIT = re.compile(
    r"\s(?:of|is|was|=)\s(?:about\s)?[±\d.]+\s?(?:[munk]?m|[munk]?g|°|[mun]?s|[kMG]?Hz|K|degrees?|ppm|hPa|cm|V|dB)\b(?!%)"
)
_TOP_ERROR = re.compile(r"\s?(?:and|/|,)\s?(?:and\s)?top[- ]?\d\s(?:\w+\s)?errors?", re.I)
_AXES = frozenset({"true positive rate", "false positive rate", "sensitivity", "specificity"})
_PLOTTED = re.compile(r"\bplot\w*\b|\bfunction\sof\b|\bagainst\b|\bversus\b|\bvs\b|\btrade-?off\b", re.I)
_CURVE = "ROC curve"
_AREA = "AUC"
_HEADS = (
    "score|rate|error|ratio|index|accuracy|coefficient|distance|similarity|efficiency|return|reward|divergence|precision|recall|"
    "measure|loss|correlation|deviation|distortion|likelihood|perplexity"
)


def metrics(quotes: Sequence[str]) -> list[Fact]:
    return name_facts(places_in(_mentions, quotes), quotes)


def _mentions(text: str) -> Iterable[Mention]:
    names = [mention for mention in listed("metrics", text) if _is_metric(text, mention)]
    names += [mention for mention in abbreviated(text, _HEADS, taken=names) if _MEASURED.search(*_clause(text, mention))]
    names += [mention for mention in valued_metrics(text, names) if _EVALUATED.search(*_clause(text, mention))]
    names = [_as_error(text, mention) for mention in names]
    areas = [mention for mention in names if mention.name == _AREA]
    for mention in names:
        if role_of(text, mention.start, mention.end) in _REFUSED:
            continue
        if mention.name == _CURVE and any(_between(mention, area) <= _APART for area in areas):
            continue  # "the area under the ROC curve (AUC)"
        yield mention if not mention.common or _is_clear(text, mention, names) else replace(mention, confidence=UNCLEAR)


def _as_error(text: str, mention: Mention) -> Mention:
    """ "top-1 and top-5 error": the first is an error as well."""
    is_error = mention.name == "top-1 accuracy" and _TOP_ERROR.match(text, mention.end)
    return replace(mention, name="top-1 error") if is_error else mention


def _is_metric(text: str, mention: Mention) -> bool:
    begin, stop = clause(text, mention.start)
    if _ALSO_CALLED.search(text, max(0, mention.start - 40), mention.start):
        return False
    if mention.name in _OVERLAPS and _THRESHOLD.match(text, mention.end):
        return False
    if mention.name in _ALSO_LOSSES and _LOSS.search(text, begin, stop) and not _EVALUATION.search(text, begin, stop):
        return False
    if mention.name in _AXES and _PLOTTED.search(text, begin, stop):
        return False
    if mention.name == "F1" and _STATISTIC.match(text, mention.end):
        return False
    if mention.name in _ALSO_INSTRUMENTS and _WITH_UNIT.match(text, mention.end):
        return False
    return not (mention.name == "recall" and _VERB.match(text, mention.end))


def _is_clear(text: str, mention: Mention, names: Sequence[Mention]) -> bool:
    begin, stop = clause(text, mention.start)
    if _NUMBER.search(text, begin, stop) or _METRIC_WORD.search(text, begin, stop):
        return True
    return any(other.name != mention.name and _between(mention, other) <= _APART for other in names)


def _between(one: Mention, other: Mention) -> int:
    return max(one.start - other.end, other.start - one.end)


def _clause(text: str, mention: Mention) -> tuple[str, int, int]:
    return (text, *clause(text, mention.start))
