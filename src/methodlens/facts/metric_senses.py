"""Whether the name of a metric means one where it stands: "we recall that", "an IoU above 0.5", "16-bit precision" do not."""

import re

from methodlens.facts.gazetteer import Mention
from methodlens.facts.roles import clause

_ALSO_CALLED = re.compile(
    r"(?:also\s(?:known|called|referred\sto)\s(?:as\s)?|a\.?k\.?a\.?\s|equivalent\sto\s)(?:the\s)?(?:\w{3,12}\s(?:or|and)\s)?$",
    re.I,
)
# the threshold of a match, not the score: "an IoU of at least 0.5"
_THRESHOLD = re.compile(
    r"(?:\s\([\w-]{1,8})?\)?\s?(?:of\sat\sleast|threshold|(?:of\s)?(?:greater|larger|higher|more)\sthan|(?:is\s)?(?:above|over|exceed\w*)|[>≥])",
    re.I,
)
OVERLAPS = frozenset({"IoU"})
LOSS = re.compile(r"\bloss(?:es)?\b|\bobjective\b|\bcost\sfunction|\bminimi[sz]", re.I)
_ALSO_LOSSES = frozenset(
    {
        "mean squared error (MSE)",
        "mean absolute error (MAE)",
        "root mean squared error (RMSE)",
        "cross-entropy loss",
        "Kullback-Leibler divergence",
        "log loss",
        "negative log-likelihood (NLL)",
        "Wasserstein distance",
    }
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
_AXES = frozenset({"true positive rate", "false positive rate", "sensitivity", "specificity"})
_PLOTTED = re.compile(r"\bplot\w*\b|\bfunction\sof\b|\bagainst\b|\bversus\b|\bvs\b|\btrade-?off\b", re.I)
# "a precision of 16 levels", "the sensitivity of the model to noise"
_OF_NUMBERS = re.compile(
    r"\s(?:of|is|was)\s\d+\s?(?:levels?|bits?|digits?)\b|\s(?:of\s[^.;,]{1,50}\s)?(?:to|with\srespect\sto)\s(?!be\b)", re.I
)
_BITS = re.compile(r"\b\d+[-\s]?bits?\s$", re.I)
# "the distance can be measured by the mean squared error (MSE) as: ..."
_FORMULA = re.compile(r"(?:\s\([\w-]{2,8}\))?\)?\s?(?:as\s?:|:\s?$|as\s(?:follows|in\sEq))", re.I)
_TO_TRAIN = re.compile(r"\s(?:[\w-]{1,20}\s){0,4}?(?:to\s(?:pre-?)?train|for\s(?:pre-?)?training|of\straining)\b", re.I)
_OF_PRECISION = re.compile(r"\bprecision\b|\brecall\b|\bF-?(?:1|score|measure)", re.I)
_POOLING = re.compile(r"\bpooling\b", re.I)
# "top-1" by itself needs a score or a further one after it; "ranks at the Top-1", "our top 5 models" do not count
BARE_TOP = re.compile(r"top[-‐‑–\s]?\d", re.I)
_TOP_VALUE = re.compile(
    r"\s?(?:[:;=%/)&(|]|and\s(?:top|rank)|,\s?(?:and\s)?(?:top|rank)|top[-\s]?\d|(?:[\w-]{2,20}\s){0,2}?(?:acc|err|score|precision|recall|performance|results?|"
    r"rate|prediction)|(?:of|is|was|on)\s|\d|$)",
    re.I,
)
# "decayed when the accuracy stops improving", "until the validation error plateaus": it steers training
_STEERS = re.compile(
    r"\b(?:when|once|if|until|whenever|after|as\ssoon\sas)\s(?:[\w-]{1,20}\s){0,5}$",
    re.I,
)
_STALLS = re.compile(
    r"s?\s(?:on\sthe\s(?:[\w-]{1,20}\s){1,3})?(?:(?:has|have|had)\s)?(?:stop\w*|ceas\w*|plateau\w*|saturat\w*|stagnat\w*|stabili[sz]\w*|converg\w*|"
    r"(?:do(?:es)?|did|is|was|has|had)\s(?:not|no\slonger)|no\slonger)\b",
    re.I,
)
_STEERING = frozenset({"accuracy", "error rate", "perplexity", "F1", "precision", "recall"})
# "a number that is related to precision"
_RELATED = re.compile(
    r"\b(?:related|relates|similar|analogous|comparable|proportional|akin|corresponds?|inspired)\s(?:to|by)\s(?:the\s)?$", re.I
)
_NEAR = 60


def is_metric(text: str, mention: Mention) -> bool:
    begin, stop = clause(text, mention.start)
    if _ALSO_CALLED.search(text, max(0, mention.start - 40), mention.start):
        return False
    if _RELATED.search(text, max(begin, mention.start - _NEAR), mention.start):
        return False
    if mention.name in _STEERING and _STALLS.match(text, mention.end):
        return not _STEERS.search(text, max(begin, mention.start - _NEAR), mention.start)
    if mention.name in OVERLAPS and _THRESHOLD.match(text, mention.end):
        return False
    if mention.name in _ALSO_LOSSES and LOSS.search(text, begin, stop) and not _EVALUATION.search(text, begin, stop):
        return False
    if mention.name in _AXES and _PLOTTED.search(text, begin, stop):
        return False
    if mention.name == "F1" and _STATISTIC.match(text, mention.end):
        return False
    if mention.name in _ALSO_INSTRUMENTS and _WITH_UNIT.match(text, mention.end):
        return False
    if mention.name in _ALSO_INSTRUMENTS and (_OF_NUMBERS.match(text, mention.end) or _BITS.search(text, begin, mention.start)):
        return False
    if mention.name in _ALSO_LOSSES and _FORMULA.match(text, mention.end):
        return False
    if mention.name == "FLOPs" and _TO_TRAIN.match(text, mention.end):
        return False
    if mention.name == "harmonic mean" and _OF_PRECISION.search(text, begin, stop):
        return False
    if mention.name == "average precision (AP)" and _POOLING.search(text):
        return False
    if BARE_TOP.fullmatch(text, mention.start, mention.end) and not _TOP_VALUE.match(text, mention.end):
        return False
    return not (mention.name == "recall" and _VERB.match(text, mention.end))
