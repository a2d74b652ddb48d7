"""How long training took, in hours."""

import re
from functools import lru_cache

from methodlens.facts.numbers import NUMBER, as_number
from methodlens.facts.types import FactType, first_or_none, from_all_quotes, optional

_HOURS = {"min": 1 / 60, "h": 1.0, "d": 24.0, "w": 168.0}
_UNIT = r"(?P<unit>min(?:ute)?s?|h(?:(?:ou)?rs?)?|days?|weeks?)"
_TIME = re.compile(
    rf"(?<![\w.,-])(?P<value>\d+(?:\.\d+)?|{NUMBER}|an)(?:\s*(?:-|to|–)\s*(?P<upper>\d+(?:\.\d+)?))?[\s-]*{_UNIT}\b"
    r"(?:\s*(?:and|,)?\s*(?P<minutes>\d{1,2})\s*min(?:ute)?s?\b)?",
    re.I,
)
_TRAINING = re.compile(
    r"\b(?:train\w*|retrain\w*|fine-?\s?tun\w*|learning|converg\w*|fitt?(?:ed|ing)?|epochs?|iterations?)\b", re.I
)
_TAKES = re.compile(
    r"\b(?:took|take[sn]?|taking|requir\w+|need\w*|lasted|lasts|complet\w+|finish\w+|within|run-?\s?time|training times?|"
    r"comput(?:ing|ation|ational) times?|spent|consum\w+|wall-?\s?clock|duration)\b",
    re.I,
)
_LASTS = re.compile(r"\b(?:for|in|after)\b", re.I)  # only if training is mentioned before
# durations of data, intervals and durations of a part: "96 h of audio", "every 24 h", "2 h per epoch"
_OF_DATA = re.compile(r"^\s*(?:long\b|of\s+(?!training|comput|wall|gpu|processing|optimi))", re.I)
_OF_A_PART = re.compile(
    r"^[^.;]{0,25}?\b(?:per|each|every|one|an?|for one|for each)[\s-]+"
    r"(?:epoch|iteration|image|step|sample|batch|frame|file|video)",
    re.I,
)
_INTERVAL = re.compile(r"\b(?:every|each|last|next|previous|following|ahead|aged?|old|first|per)\s*$", re.I)
_ELSEWHERE = re.compile(
    r"\b(?:record\w*|sampl(?:ed|ing)|forecast\w*|predict\w*|annotat\w*|label\w*|infer\w*|measur\w*|collect\w*|monitor\w*|"
    r"observ\w*|film\w*|stor(?:ed|age)|dried|heated|surve\w*|search\w*|tuning)\b",
    re.I,
)
SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z“\"(])")


@lru_cache(maxsize=512)
def training_hours(text: str) -> float | None:
    """The longest training time in the text.

    >>> training_hours("Training took 3 days."), training_hours("We trained on 96 h of audio.")
    (72.0, None)
    """
    hours = [value for sentence in SENTENCE_END.split(text) if _TRAINING.search(sentence) for value in _times(sentence)]
    return max(hours, default=None)


def _times(sentence: str) -> list[float]:
    return [
        round(_hours(match), 2)
        for match in _TIME.finditer(sentence)
        if not _OF_DATA.match(sentence[match.end() :])
        and not _OF_A_PART.match(sentence[match.end() :])
        and not _INTERVAL.search(sentence[: match.start()])
        and _is_taken(sentence, match)
    ]


def _is_taken(sentence: str, match: re.Match[str]) -> bool:
    """A verb such as "took" comes before it, and nothing in between is about something other than training."""
    before = sentence[max(0, match.start() - 70) : match.start()]
    cues = list(_TAKES.finditer(before)) or (list(_LASTS.finditer(before)) if _TRAINING.search(before) else [])
    return bool(cues) and not _ELSEWHERE.search(before[min(cues[-1].start(), len(before) - 25) :])


def _hours(match: re.Match[str]) -> float:
    value = 1.0 if match["value"].lower() == "an" else as_number(match["upper"] or match["value"])
    unit = match["unit"].lower()
    factor = _HOURS["min" if unit.startswith("min") else unit[0]]
    return value * factor + (int(match["minutes"]) / 60 if match["minutes"] else 0)


TRAINING_TIME = FactType(
    key="training_time_h",
    label="training time",
    unit="h",
    extract=from_all_quotes(optional(training_hours)),
    merge=first_or_none,
    export_empty=True,
)
