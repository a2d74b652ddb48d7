"""How long training took, in hours: wall-clock time, not that of an epoch, of inference or of other work."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from methodlens.facts.numbers import NUMBER, as_number, plain_signs
from methodlens.facts.own_values import is_of_others
from methodlens.facts.types import Fact, FactType, one_or_list
from methodlens.text import sentences

_HOURS = {"s": 1 / 3600, "min": 1 / 60, "h": 1.0, "d": 24.0, "w": 168.0, "mo": 720.0}
_UNIT = r"(?P<unit>seconds?|secs?|min(?:ute)?s?|h(?:(?:ou)?rs?)?|days?|weeks?|months?)"
_FRACTION = r"(?P<half>half\s+an?|half\s+of\s+an?|one\s+and\s+a\s+half|an?)"
_AND_A_HALF = r"(?P<more>\s+and\s+a\s+half(?=\s|\.|,|;|$))?"
_TIME = re.compile(
    r"(?<![\w.,-])(?P<list>(?:\d{1,4}(?:\.\d{1,2})?(?:,\s(?:and\s|or\s)?|\s(?:and|or)\s)){1,4})?"
    rf"(?:(?P<value>\d{{1,4}}(?:[.,]\d{{1,3}})?|{NUMBER})(?:\s?(?:-|to|or)\s?(?P<upper>\d{{1,4}}(?:\.\d{{1,2}})?|{NUMBER}))?"
    rf"(?:\s+and\s+a\s+(?P<plus>half)(?=\s))?(?:\s?\(\s?±[^()]{{1,20}}\))?|{_FRACTION})[\s-]{{0,2}}"
    rf"(?:(?:wall[- ]?clock|full|more|whole|elapsed|(?P<each>GPU|TPU|CPU|V100|A100))[\s-]){{0,2}}"
    rf"{_UNIT}\b(?!\s?[/²]){_AND_A_HALF}"
    r"(?:\s?(?:and|,)?\s?(?P<hours>\d{1,2})\s?h(?:(?:ou)?rs?)?\b)?(?:\s?(?:and|,)?\s?(?P<minutes>\d{1,2})\s?min(?:ute)?s?\b)?",
    re.I,
)
_IN_TABLE = re.compile(
    r"\b(?:train(?:ing)?|search|fine-?tuning|pre-?training)\s+(?:time|duration)s?(?:\s?[(\[,]\s?|\s(?:in\s)?)"
    r"(?P<unit>h|hours?|hrs?|min|minutes?|days?)[)\]]?\s?[:=]?\s?(?P<value>\d{1,4}(?:\.\d{1,3})?)(?![\w.])",
    re.I,
)
_TRAINING = re.compile(
    r"\b(?:(?:pre|re)?-?train\w*(?!\s(?:set|sets|data|dataset|images?|samples?|examples?|labels?|corpus|corpora|material)\b)|fine-?\s?tun\w*|learning|converg\w*|fitt?(?:ed|ing)?|optimi[sz]ation|epochs?|iterations?)\b",
    re.I,
)
_TAKES = re.compile(
    r"\b(?:took|take[sn]?|taking|requir\w{1,4}|need\w{0,3}|lasted|lasts?|lasting|complet\w{1,4}|finish\w{1,3}|within|run-?\s?times?|"
    r"(?:training|learning|comput(?:ing|ation|ational)|processing|wall-?\s?clock|run(?:ning)?|execution)\s+(?:times?|duration)|spent|consum\w{1,4}|"
    r"wall-?\s?clock|duration|amount(?:s|ed)\s+to|costs?|costing|total(?:s|ling|ed)?\s+(?:of|time))\b",
    re.I,
)
_LASTS = re.compile(r"\b(?:for|in|after|over|under)\b[^()]*$", re.I)  # only if training is mentioned before
# durations of data, intervals and durations of a part: "96 h of audio", "every 24 h", "2 h per epoch"
_OF_DATA = re.compile(
    r"\s{0,2}(?:long\b|old\b|ago\b|before\b|later\b|ahead\b|interval|period|window|segments?\b|clips?\b|recordings?\b|"
    r"to\s+(?:apply|process|predict|annotate|classify|label|analy[sz]e|test|evaluate|generate|infer)\b|of\s+"
    r"(?!(?:the\s+|total\s+|model\s+|wall|gpu\s+)?(?:training|comput|wall|gpu|processing|optimi|fine|learning|run)))",
    re.I,
)
_OF_A_PART = re.compile(
    r"(?!\swith\b)[^.;,]{0,25}?(?:\b(?:per|each|every|for\s+(?:one|an?|a\s+single))[\s-]+|/\s?)"
    r"(?:training\s+)?(?:epoch|iteration|image|step|sample|batch|frame|file|video|recording|minute|sentence|species|query|1,?000|tile|scan|patient)",
    re.I,
)
_PART_BEFORE = re.compile(
    r"\b(?:(?:each|every|one|an|per|single)\s+(?:training\s+)?(?:epoch|iteration|step|image|frame|sample|batch|scan))\b(?:(?!\btotal\b)[^.;]){0,40}$",
    re.I,
)
_INTERVAL = re.compile(r"\b(?:every|each|last|next|previous|following|ahead|aged?|old|first|per|past|day)\s*$", re.I)
_ELSEWHERE = re.compile(
    r"\b(?:record\w*|sampl(?:ed|ing)|forecast\w*|predict\w*|annotat\w*|label\w*|infer\w*|measur\w*|collect\w*|monitor\w*|"
    r"observ\w*|film\w*|stor(?:ed|age)|dried|heated|surve\w*|search\w*|(?<!fine-)(?<!fine\s)tuning|test(?:ed|ing)?|evaluat\w*|appl(?:y|ied|ying)|"
    r"generat\w*|synthe\w*|deploy\w*|extract(?:ed|ing|ion)|pre-?process\w*|transcri\w*|decod\w*|classify\w*|hyper-?param\w*|images?\s+took|simulat\w*)\b",
    re.I,
)
_LIST = re.compile(r"[^.;]{0,40}?(?:,|\band\b|&)[^.;,]{0,40}", re.I)
_AFTER_STEPS = re.compile(
    r"\d[\d,k]{0,9}\s(?:training\s)?(?:steps|iterations|epochs|updates)\s?\((?:about\s|approximately\s|~\s?)?$", re.I
)
_TO_TRAIN = re.compile(
    r"\s(?:to|for|of)\s(?:(?:complete|finish)\s)?(?:(?:the|total|model)\s){0,2}(?:pre-?|re-?)?(?:train|fine-?tun)", re.I
)
# the search for an architecture is a training; that for parameters, papers or images is not
_NET_SEARCH = re.compile(
    r"\b(?:architecture|network|net|cell|NAS|model)s?\s(?:search|is\ssearched)"
    r"|\bsearch\w*\s(?:for\s)?(?:an?\s|the\s|our\s)?(?:[\w-]{1,20}\s){0,2}?(?:architectures?|nets?|networks?|cells?|procedure|phase|stage)\b",
    re.I,
)
_OTHER_SEARCH = re.compile(r"\b(?:hyper|grid|random|literature|parameter|quer(?:y|ies)|retriev)", re.I)
_ONE_DEVICE = re.compile(
    r"\b(?:a\s+single|an?|one|1)\s+(?:[\w-]{1,20}\s+){0,3}?(?:(?:GPU|TPU|card)\b|(?:[RG]TX|TITAN|Tesla|Quadro)\s\w|[AHVPLT]\d{1,4}\b)",
    re.I,
)


def training_hours(text: str) -> float | None:
    """The longest training time in the text.

    >>> training_hours("Training took 3 days."), training_hours("We trained on 96 h of audio.")
    (72.0, None)
    """
    return max(all_training_hours(text), default=None)


@lru_cache(maxsize=512)
def all_training_hours(text: str) -> tuple[float, ...]:
    plain = plain_signs(text)
    found = (
        hours
        for start, end in sentences(plain)
        if _TRAINING.search(plain, start, end) or _IN_TABLE.search(plain, start, end) or _NET_SEARCH.search(plain, start, end)
        for hours in _times(plain[start:end], one_device=bool(_ONE_DEVICE.search(plain)))
    )
    return tuple(dict.fromkeys(found))


def _times(sentence: str, *, one_device: bool) -> list[float]:
    times = [round(float(match["value"]) * _factor(match["unit"]), 2) for match in _IN_TABLE.finditer(sentence)]
    sentence = _as_training(sentence)
    listed = -1  # where the last training time ends: "6 h for the small net and 16 h for the large one"
    for match in _TIME.finditer(sentence):
        if (match["each"] and not one_device) or _is_something_else(sentence, match):
            continue
        in_list = listed >= 0 and _LIST.fullmatch(sentence, listed, match.start())
        if (in_list and not _ELSEWHERE.search(sentence, listed, match.start())) or _is_taken(sentence, match):
            others = re.findall(r"\d+(?:\.\d+)?", match["list"] or "")  # the 4 and 6 of "4, 6 and 11 hours"
            times += [round(float(each) * _factor(match["unit"]), 2) for each in others]
            times += _ends(match)
            listed = match.end()
    return times


def _as_training(sentence: str) -> str:
    """The search for an architecture as a word of training, at the same length so that all places stay where they are."""
    if not _NET_SEARCH.search(sentence) or _OTHER_SEARCH.search(sentence):
        return sentence
    return re.sub(r"\bsearch(?:es|ed|ing)?\b", lambda word: "train".ljust(len(word[0])), sentence, flags=re.I)


def _is_something_else(sentence: str, match: re.Match[str]) -> bool:
    """The duration of data, of a part of training, an interval, or the training time of others."""
    return bool(
        _OF_DATA.match(sentence, match.end())
        or _OF_A_PART.match(sentence, match.end())
        or _PART_BEFORE.search(sentence, max(0, match.start() - 90), match.start())
        or _INTERVAL.search(sentence, max(0, match.start() - 20), match.start())
        or is_of_others(sentence, match.start(), match.end())
    )


def _is_taken(sentence: str, match: re.Match[str]) -> bool:
    """A verb such as "took" comes before it, and nothing in between is about something other than training."""
    before = sentence[max(0, match.start() - 100) : match.start()]
    near = max(0, len(before) - 25)
    cues = list(_TAKES.finditer(before)) or (list(_LASTS.finditer(before, near)) if _TRAINING.search(before) else [])
    if _AFTER_STEPS.search(before):
        return True
    if not cues:
        return bool(_TO_TRAIN.match(sentence, match.end())) and not _ELSEWHERE.search(before)
    subject = before[: cues[-1].start()]
    if _ELSEWHERE.search(before, min(cues[-1].start(), near)):
        return False
    return bool(_TRAINING.search(subject[-60:]) or _TRAINING.search(cues[-1][0])) or not _ELSEWHERE.search(subject[-40:])


def _ends(match: re.Match[str]) -> list[float]:
    """Both ends of "2 to 3 weeks": what nets of different sizes took."""
    last = round(_hours(match), 2)
    first = round(as_number(match["value"].replace(",", ".")) * _factor(match["unit"]), 2) if match["upper"] else last
    return [first, last] if first < last else [last]


def _hours(match: re.Match[str]) -> float:
    factor = _factor(match["unit"])
    if match["half"]:
        half = match["half"].lower()
        value = 1.5 if half.startswith("one") else 0.5 if half.startswith("half") else 1.0
    else:
        value = as_number(match["upper"] or match["value"].replace(",", "."))
    value += 0.5 if match["plus"] or match["more"] else 0.0  # "three and a half hours", "a day and a half"
    return value * factor + int(match["hours"] or 0) + int(match["minutes"] or 0) / 60


def _factor(unit: str) -> float:
    start = unit.lower()
    return _HOURS["min" if start.startswith("min") else "mo" if start.startswith("mo") else start[0]]


def _extract(quotes: Sequence[str]) -> list[Fact]:
    hours: dict[float, Fact] = {}
    for index, quote in enumerate(quotes):
        for value in all_training_hours(quote):
            hours.setdefault(value, Fact(value, index, confidence=0.9))
    return list(hours.values())


def _merge(values: Sequence[float]) -> Any:
    return one_or_list(values) if values else None


TRAINING_TIME = FactType(
    key="training_time_h", label="training time", unit="h", extract=_extract, merge=_merge, export_empty=True, revision=4
)
