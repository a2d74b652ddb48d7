"""Metrics by their form: "Recall@20", "word accuracy", "gaze estimation error", "area footprint" after "in terms of"."""

import re
from collections.abc import Iterator

from methodlens.facts.gazetteer import Mention
from methodlens.facts.open_names import OPEN, is_function_word
from methodlens.facts.roles import clause

_CONFIDENCE = 0.8
_DOUBTFUL = 0.65
_KIND = "metric"

_CUTOFF = re.compile(
    r"\b(?P<name>recall|precision|hits?|hit\srate|n?dcg|mrr|map|accuracy|acc|success|pass|r|p)\s?@\s?(?P<k>\d{1,5}(?!\.?\d))",
    re.I,
)
_AT = {
    "r": "Recall",
    "recall": "Recall",
    "p": "Precision",
    "precision": "Precision",
    "hit": "Hits",
    "hits": "Hits",
    "hit rate": "Hit rate",
    "dcg": "DCG",
    "ndcg": "nDCG",
    "mrr": "MRR",
    "map": "MAP",
    "acc": "",
    "accuracy": "",
    "success": "Success",
    "pass": "pass",
}
_AT_RECALL = re.compile(
    r"\b(?:false[\s-]positive\srate|FPR)\s?(?:at\s|@\s?)?(?P<k>\d\d)\b\s?%?(?:\s(?:of\s)?(?:TPR|recall|true[\s-]positive\srate))?"
    r"(?:\s\(FPR\s?(?:@\s?)?(?P=k)%?\))?",
    re.I,
)
# what a score is counted over makes another metric of it: "word accuracy", "per-class recall", "frame-level mAP"
_UNIT = (
    r"(?:words?|characters?|sentences?|phrase|tokens?|phonemes?|phones?|syllables?|frames?|voxels?|labels?|slots?|nodes?|strings?|"
    r"symbols?|utterances?|steps?|answers?|clips?|per-(?:class|category|label|pixel|joint|frame|token|instance|image|sample)|[a-z]{2,12}-level|[a-z]{2,12}-wise|multi-?class)"
)
_COUNTED = re.compile(
    rf"\b(?P<unit>{_UNIT}(?:[\s-](?:level|wise))?)\s"
    r"(?:(?:classification|recognition|prediction|detection|mean|average)\s)?"
    r"(?P<head>accurac(?:y|ies)|error\srates?|precision|recall|f1(?:[\s-]scores?)?|maps?|ious?|edit\sdistance)\b",
    re.I,
)
_KNOWN_UNITS = re.compile(
    r"(?:word|character|phoneme|phone|sentence|syllable|token)\serror|(?:pixel-wise|per-class)\saccuracy", re.I
)
_OVERALL = re.compile(r"\b(?P<name>overall\s(?:precision|recall|f1))\b", re.I)
_PER_CLASS = re.compile(r"\bper[\s-]class\b|\bclass-wise\b", re.I)
_NOUN = r"[A-Za-z][a-z]{2,14}(?:-[a-z]{2,12}){0,2}"
_ERROR = re.compile(
    rf"\b(?P<name>(?:{_NOUN}\s){{0,2}}(?:{_NOUN}(?:tion|sion|ing|ment)|pose|position|depth|angle|angular|orientation|landmark|joint|"
    r"keypoint|gaze|trajectory|displacement|volume|distance|quantile)\serrors?)\b"
)
_NO_ERROR = re.compile(
    r"\b(?:training|squared|square|approximation|optimi[sz]ation|quantization|quantisation|rounding|truncation|generali[sz]ation|"
    r"propagation|standard|human|annotation|labell?ing|measurement|classification|function|estimating|minimi[sz]ing|reducing|"
    r"increasing|decreasing|resulting|corresponding|following|remaining|using|during|encoding|learning|testing|transmission|"
    r"discretization|calibration|percentage|cumulative|segmentation)\serrors?$|\bmean\b",
    re.I,
)
_LEADING = frozenset("mean average median final overall total lower higher lowest highest best smaller larger low high".split())
_LISTED = re.compile(
    r"\b(?:in\sterms\sof|metrics?\s(?:such\sas|including|are|were|is|was|namely|like)|metrics?\s?:|measured\s(?:by|in)|evaluated\s(?:by|in))\s"
    r"(?P<items>[^.;:]{3,160})",
    re.I,
)
_ITEM = re.compile(
    r"(?:^|,\s?(?:and\s)?|\sand\s|\sor\s)(?:the\s|both\s|its\s|their\s)?"
    rf"(?P<name>(?:{_NOUN}\s){{1,2}}(?:footprint|consumption|usage|agreement|diversity|coverage|throughput))\b"
)
_TABLE = re.compile(r"Tab(?:le|\.)\s[\dIVX]{1,4}\b|.{1,80}?\s–\s")
_PARAMETERS = re.compile(r"(?:^|[\s(;,/#])(?P<name>#?\s?(?:[Pp]arams?|[Pp]arameters|Par\.))(?=$|[\s):;,/.(])")
_PARAMETER_COUNT = re.compile(
    r"\b(?:numbers?\sof\s(?:the\s)?(?:trainable\s|learnable\s|model\s|network\s|total\s)?param(?:eter)?s|param(?:eter)?\scounts?)\b",
    re.I,
)
_COMPARED = re.compile(
    r"\bin\sterms\sof\b|\bcompar|\b[GM]?FLOPs?\b|\bMACs\b|\blatency\b|\baccurac|\berrors?\b|\bTable\b|\breport|\bfewer\b|\btrade-?off|\breduc|\binference\stime",
    re.I,
)
_PER_ITEM = re.compile(
    r"\b(?:takes?|took|needs?|requires?|runs?\s(?:in|at)|processes)\s(?:only\s|about\s|around\s|just\s|an?\saverage\sof\s|approximately\s)?"
    r"(?P<name>[\d.]{1,7}\s?(?:ms|milliseconds|s|sec|seconds))\b(?=[^.;]{0,60}\b(?:per|for|to\s\w{3,14})\s(?:an?\s|one\s|each\s|every\s|single\s)?"
    r"(?:[a-z]{2,12}\s){0,2}(?:image|frame|sample|sentence|query|episode|video|scan|patch|example|inference)\b)",
    re.I,
)
_RANK = re.compile(
    r"\brank[-\s]?(?P<k>\d{1,2})\s(?:[a-z-]{3,12}\s){0,2}?(?P<what>identification|recognition|matching|retrieval)\s(?P<head>rates?|accurac(?:y|ies))\b",
    re.I,
)
# "false positives per image", "number of false alarms per true alarm"
_RATIO = re.compile(
    r"\b(?P<name>(?:false|missed|true)\s(?:alarms?|positives?|detections?|negatives?|predictions?|calls?|triggers?|rejections?)\s(?:per|/)\s"
    r"(?:(?:true|CT|MR)\s)?(?:alarms?|image|scan|volume|frame|case|patient|hour|day|minute|slice|window|subject|slide|field|exam|video|"
    r"recording|detection|positive))\b(?:\s\((?P<short>[A-Z]{2,6})\))?",
    re.I,
)


def cutoffs(text: str) -> Iterator[Mention]:
    """ "Recall@20", "MAP@1000", "false positive rate at 95% recall"."""
    for match in _CUTOFF.finditer(text):
        name = " ".join(match["name"].lower().split())
        if name not in ("r", "p") or match["name"].isupper():
            measured = f"{_AT[name]}@{match['k']}" if _AT[name] else f"top-{match['k']} accuracy"
            yield Mention(measured, _KIND, *match.span(), confidence=0.9)
    for match in _RANK.finditer(text):
        head = "rate" if match["head"].lower().startswith("r") else "accuracy"
        yield Mention(f"rank-{match['k']} {match['what'].lower()} {head}", _KIND, *match.span(), confidence=0.9)
    for match in _AT_RECALL.finditer(text):
        yield Mention(f"false positive rate at {match['k']}% recall (FPR@{match['k']})", _KIND, *match.span(), confidence=0.9)


def counted_over(text: str) -> Iterator[Mention]:
    """ "word accuracy", "frame error rate", "per-class recall", "video-level mAP"."""
    for match in _COUNTED.finditer(text):
        name = _singular(match["unit"], match["head"])
        if not _KNOWN_UNITS.match(name):
            yield Mention(name, _KIND, *match.span(), confidence=_CONFIDENCE, common=True)
    if _PER_CLASS.search(text):
        for match in _OVERALL.finditer(text):
            yield Mention(match["name"].lower(), _KIND, *match.span(), confidence=_CONFIDENCE)


def errors(text: str) -> Iterator[Mention]:
    """ "gaze estimation error"."""
    for match in _ERROR.finditer(text):
        words = match["name"].split()
        while words and (is_function_word(words[0]) or words[0].lower() in _LEADING or words[0].endswith(("ing", "ed", "ly"))):
            words = words[1:]
        name = " ".join(words)
        if len(words) > 1 and not any(map(is_function_word, words)) and not _NO_ERROR.search(name):
            end = match.end("name")
            yield Mention(name.lower().removesuffix("s"), OPEN, end - len(name), end, confidence=_DOUBTFUL)


def costs(text: str) -> Iterator[Mention]:
    """ "area footprint" in a list of what is measured, a column of parameters, "takes 12 ms per image"."""
    for listed in _LISTED.finditer(text):
        for match in _ITEM.finditer(listed["items"]):
            start = listed.start("items") + match.start("name")
            yield Mention(match["name"].lower(), OPEN, start, start + len(match["name"]), confidence=_DOUBTFUL)
    if _TABLE.match(text):
        for match in _PARAMETERS.finditer(text):
            yield Mention("number of parameters", _KIND, *match.span("name"), confidence=_DOUBTFUL, common=True)
    for match in _PARAMETER_COUNT.finditer(text):
        if _TABLE.match(text) or _COMPARED.search(text, *clause(text, match.start())):
            yield Mention("number of parameters", _KIND, *match.span(), confidence=_DOUBTFUL)
    for match in _PER_ITEM.finditer(text):
        yield Mention("inference time", _KIND, *match.span("name"), confidence=_DOUBTFUL)


def ratios(text: str) -> Iterator[Mention]:
    """ "false positives per image (FPPI)"."""
    for match in _RATIO.finditer(text):
        short = f" ({match['short']})" if match["short"] else ""
        yield Mention(f"{' '.join(match['name'].lower().split())}{short}", _KIND, *match.span(), confidence=_CONFIDENCE)


_ABBREVIATIONS = {"map": "mAP", "maps": "mAP", "iou": "IoU", "ious": "IoU"}


def _singular(unit: str, head: str) -> str:
    """The name in the singular, its abbreviation as usual: "frame-level mAP"."""
    head = re.sub(r"accuracies$", "accuracy", " ".join(head.lower().split())).removesuffix("s")
    head = re.sub(r"^f1(?:[\s-]score)?$", "F1", head)
    unit = unit.lower()
    if "-" not in unit and " " not in unit:
        unit = unit.removesuffix("s")
    return f"{unit} {_ABBREVIATIONS.get(head, head)}"
