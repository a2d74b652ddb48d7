"""Whether a sentence holds a value of a form: a number, a date, a place, a person or body, a link, a name.

Shapes only, no lists of values: they hold for any field. Every pattern takes linear time.
"""

import re
from functools import lru_cache

from methodlens.records import AnswerForm

_COUNT = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundreds?|thousands?"
    r"|millions?"
)
_UNIT = r"(?:%|(?:percent|per cent|[kKMG]?Hz|[kmcμµn]?[mgslL]|[kKMGT]B|°\s?C|px|h|min|million|billion|[kKMB])\b)"
_NUMBER = re.compile(
    r"(?<![\w.\[])[-+~≈<>≤≥±]?\d{1,3}(?:[,\u2009 ]\d{3}){1,4}(?![\w\]])"
    rf"|(?<![\w.\[,])\d{{1,12}}(?:\.\d{{1,12}})?(?:[eE×x]\s?10?[-−^]{{0,2}}\d{{1,3}})?(?:\s?{_UNIT})?(?![\w\]])|\b(?:{_COUNT})\b",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s)?{_MONTH}\.?\s?(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s)?(?:19|20)\d\d\b"
    r"|\b(?:19|20)\d\d[-–/](?:19|20)?\d\d\b"
    r"|\b(?:in|from|since|until|between|during|by|of|and|to)\s"
    r"(?:early |late |mid-?|the (?:spring|summer|autumn|fall|winter) of )?(?:19|20)\d\d\b"
    rf"|\b\d{{1,2}}\s{_MONTH}\b|\b{_MONTH}\s\d{{1,2}}\b"
)
_CITED_YEAR = re.compile(r"\([^()]{0,80}(?:19|20)\d\d[a-z]?\)")
_PROPER = r"[A-ZÀ-Þ][\w’'.-]{0,40}\w"
_PLACE = re.compile(
    r"\b(?:in|at|from|across|near|within|throughout|of|around)\s(?:the\s|a\s|\d{1,4}\s)?(?:[a-z]{1,20}\s){0,3}"
    rf"(?:{_PROPER}|UK|USA|US)(?:[ ,]{{1,2}}(?:and\s|of\s)?{_PROPER}){{0,4}}"
    r"|\b(?:hospitals?|clinics?|universit(?:y|ies)|schools?|cit(?:y|ies)|countr(?:y|ies)|villages?|provinces?|departments?"
    r"|centers?|centres?|sites?|laborator(?:y|ies)|forests?|islands?)\b"
)
_PERSON = re.compile(
    r"\b(?:[A-Z]\.\s?){1,3}[A-Z][\w-]+|\b[A-Z]{2,3}\b(?=[,;) ]+(?:and|[A-Z]{2,3}\b|will|was|were|wrote|performed|designed))"
    rf"|(?:{_PROPER}\s(?:of\s|for\s|and\s|the\s){{0,2}}){{1,5}}(?:{_PROPER})"
    r"|\b(?:[Uu]niversit(?:y|ies)|[Ii]nstitutes?|[Ff]oundation|[Cc]ouncil|[Mm]inistry|[Cc]ommission|[Aa]gency|[Cc]ommittee|[Bb]oard|[Cc]ompany|[Hh]ospital|[Dd]epartment"
    r"|researchers?|investigators?|statisticians?|clinicians?|nurses?|physicians?|doctors?|experts?|annotators?|authors?|participants?|patients?|staff|team|assessors?|therapists?|analysts?|coordinators?|students?|volunteers?)\b"
)
_LINK = re.compile(
    r"https?://|www\.|\bdoi\b|\b10\.\d{4,9}/|\b[\w-]{2,40}\.(?:com|org|net|edu|gov|io|int|eu|uk|de|ch|fr|cn|au)\b|\b(?:NCT|ISRCTN|ACTRN|PRJ|GSE|SRP|EGA[SD])\w?\d{4,}"
    r"|\b(?:[Ss]upplement\w*|[Gg]it[Hh]ub|[Zz]enodo|[Ff]igshare|[Rr]epositor(?:y|ies)|upon request|on request)\b"
)
_NAME = re.compile(
    r"(?<![.?!] )(?<!^)\b[A-ZÀ-Þ][\w’'-]{2,}|\b[A-Z]{2,}[\w-]*|\b\w*[a-z][A-Z]\w*|\b[a-zA-Z]+-?\d+\w*|“[^”]{1,60}”"
)

_PATTERNS: dict[AnswerForm, re.Pattern[str]] = {
    AnswerForm.NUMBER: _NUMBER,
    AnswerForm.DATE: _DATE,
    AnswerForm.PLACE: _PLACE,
    AnswerForm.PERSON: _PERSON,
    AnswerForm.LINK: _LINK,
    AnswerForm.NAME: _NAME,
}


def values(sentence: str, form: AnswerForm) -> list[tuple[int, int]]:
    """The spans of values of that form. A yes, a list and a clause have no shape: none."""
    pattern = _PATTERNS.get(form)
    if pattern is None:
        return []
    skipped = [match.span() for match in _CITED_YEAR.finditer(sentence)] if form is AnswerForm.DATE else []
    found = [match.span() for match in pattern.finditer(sentence) if match[0].strip()]
    return [(start, end) for start, end in found if not any(low <= start < high for low, high in skipped)]


@lru_cache(maxsize=4096)  # the sentences of a paper are looked at when its passages are ranked and again when they are read
def has_value(sentence: str, form: AnswerForm) -> bool:
    """
    >>> has_value("The model has 23 million parameters.", AnswerForm.NUMBER), has_value("It was slow.", AnswerForm.NUMBER)
    (True, False)
    """
    pattern = _PATTERNS.get(form)
    return bool(pattern and (values(sentence, form) if form is AnswerForm.DATE else pattern.search(sentence)))
