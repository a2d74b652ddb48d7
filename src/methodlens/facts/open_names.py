"""Names that no list has, recognised by how papers introduce them: "We propose FrogNet", "Gated Frog Network (GFN)",
"the NewtSong dataset". A name is never a function word, a heading, a citation, a person or a unit."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from methodlens.facts.gazetteer import Mention

OPEN = "open"
"""The kind of names that no list has."""
_CONFIDENCE = 0.7

_FUNCTION_WORDS = frozenset(
    """a an the this that these those our their its his her each both all any some every no such other another same one two three
    four five six seven eight nine ten
    and or but nor of in on at by for from with without to as into over under between among via per
    than then if when while where which who whose how what why we they it he she i you us them is are was were be been has have
    had do does did can could may might will would shall should must not only also more most less least very new novel proposed
    final original first second third last next previous following current present different various several many few main whole
    full large small big deep public raw custom combined resulting collected labelled labeled training validation test testing
    figure fig table section appendix equation eq algorithm step stage phase part chapter page details detail overview results
    result method methods model models network networks data dataset datasets image images using used based see here there let
    given since because however thus therefore moreover furthermore additionally finally similarly although though unlike like
    note abstract introduction conclusion discussion background keywords references supplementary material materials author
    authors university department""".split()
)
_UNITS = frozenset(
    "GB MB TB KB Hz kHz MHz GHz ms min km cm mm GPU GPUs CPU CPUs TPU RAM USD CI SD SE SEM OK ID IDs PDF URL DOI".split()
)
# sensors, places, fields and machines that models are named with, but never after
_NO_MODEL = frozenset(
    """RGB MRI CT PET EEG ECG EMG UAV UAVs GIS GPS LiDAR SAR NDVI USA UK EU US DNA RNA AI ML DL NLP CV IoT API HPC GUI
    PCA QA ASR OCR VQA QSAR ZSL FSL SSL RL NAS KG IR SGD ADMM HOG SIFT SURF BN SVM SVMs RF XGBoost AUC ROC IoU
    COVID-19 SARS-CoV-2 ImageNet PyTorch TensorFlow GitHub 2D 3D 1D MATLAB OpenCV LLM LLMs PhD SOTA""".split()
)
_COMPOUND = re.compile(r"[-‐][a-z]{3,}$")  # "IoT-based"
_INITIALS = re.compile(r"[A-Z]\.?")
_WORD = re.compile(r"[\w’'-]+")

_SHORT = r"[A-Z][A-Za-z0-9]{0,9}(?:[-/][A-Za-z0-9]{1,8}){0,2}"
LONGEST_NAME = 80  # characters of a name that is abbreviated


def is_name(text: str) -> bool:
    """Whether a string can be a name: it has a capital or a digit inside, and is not made of function words.

    >>> is_name("FrogNet"), is_name("Details of"), is_name("The"), is_name("GB")
    (True, False, False, False)
    """
    words = _WORD.findall(text)
    if _COMPOUND.search(text) or not words or text in _UNITS or all(_INITIALS.fullmatch(word) for word in words):
        return False
    if words[-1].lower() in _FUNCTION_WORDS or words[0].lower() in _FUNCTION_WORDS:
        return False
    return any(char.isupper() for char in text)


def is_model_name(text: str) -> bool:
    """Whether a name can be that of a model, and not of a sensor, a field or a machine.

    >>> is_model_name("FrogNet"), is_model_name("MRI")
    (True, False)
    """
    return is_name(text) and text not in _NO_MODEL


def is_function_word(word: str) -> bool:
    return word.lower() in _FUNCTION_WORDS


BRACKETED = re.compile(rf"(?<=\w)\s\((?P<short>{_SHORT})s?[;,)]")


@lru_cache(maxsize=64)
def _ends_with(heads: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{heads})s?$", re.I)


def abbreviated(text: str, heads: str, *, taken: Sequence[Mention] = ()) -> Iterator[Mention]:
    """ "signal-to-interference ratio (SIR)": a name with one of the head nouns, and its abbreviation.

    Names that overlap one of `taken` are left out.
    """
    for match in BRACKETED.finditer(text):
        before = text[max(0, match.start() - LONGEST_NAME) : match.start()]
        if not _ends_with(heads).search(before) or not (long := spelled_out(before, match["short"])):
            continue
        start, end = match.start() - len(long), match.end("short")
        if not any(mention.start < end and start < mention.end for mention in taken):
            yield Mention(f"{long} ({match['short']})", OPEN, start, end, confidence=_CONFIDENCE)


def spelled_out(text: str, short: str) -> str:
    """The last words of `text` that the letters of `short` abbreviate; empty if they do not.

    >>> spelled_out("We use the gated frog network", "GFN")
    'gated frog network'
    """
    letters = [char.lower() for char in short if char.isalpha()]
    initials = [(match.start(), match[0].lower()) for match in re.finditer(r"[A-Za-z0-9]+", text)]
    at = len(initials)
    for letter in reversed(letters):
        begin = at - 1
        while begin >= 0 and not initials[begin][1].startswith(letter):
            begin -= 1
        if begin < 0 or at - begin > 3:  # at most two small words, such as "of the", are skipped
            return ""
        at = begin
    return text[initials[at][0] :] if letters and at < len(initials) else ""


_ADJECTIVE = (
    r"(?!(?:of|on|for|with|based|using|in|to|from|by|and|or|that|which|where|as|how|what|at|via|both|than)\b)[a-z][a-z-]{1,18}"
)
_CAPITALISED = r"[A-Z][A-Za-z0-9]{0,14}(?:[-‐/][A-Za-z0-9]{1,10}){0,2}"
_NEW = re.compile(
    r"\b(?i:(?:we|this\s(?:paper|work|study|article|section)|authors)\s(?:\w+ly\s|also\s|have\s|then\s|first\s|further\s)?"
    r"(?:propos|present|introduc|develop|describ|design|call|nam|denot|term|dub|creat)(?:e|es|ed|s)?"
    r"|(?:called|named|dubbed|termed|denoted(?:\s(?:as|by))?|referred\sto\sas|coined|namely)"
    r"|and\s(?:call|name|denote|term|dub)(?:s|ed)?)\s"
    rf"(?:(?:a|as|{_ADJECTIVE}(?:\sand\s{_ADJECTIVE})?)[,:]?\s){{0,5}}"
    rf"[“\"‘']?(?P<name>(?:[A-Z][a-z]{{2,12}}\s)?{_CAPITALISED})\b"
)
# "our PondSeg", "the proposed PondSeg", "architecture of PondSeg"
_OURS = re.compile(
    r"\b(?i:our(?:\s(?:own|proposed|new|novel|final|full|improved))?|(?:the|our)\s(?:newly\s)?(?:proposed|presented|developed|resulting)"
    r"|(?:architecture|structure|overview|pipeline|framework|schematic|diagram)\s(?:of|for)(?:\s(?:the|our))?(?:\sproposed)?)\s"
    rf"(?P<name>{_CAPITALISED})\b"
    r"(?P<head>\s(?:models?|networks?|architectures?|frameworks?|methods?|approach|algorithms?|systems?|detectors?|"
    r"classifiers?|agents?)\b)?"
    r"(?!\s(?:data|data\s?sets?|images?|corpus|benchmark|scans?|scores?|loss|study|team|group|server|cohort)\b)"
)
_CAMEL = re.compile(r"[A-Z]?[a-z]+[A-Z]|[A-Z]{2,}[a-z]{2,}|[A-Z][a-z]+[-‐]?[A-Z0-9]")
_NAME_LIKE = re.compile(r"(?=.*[A-Z].*[A-Z])|(?=.*[A-Z])(?=.*\d)")


def introduced(text: str) -> Iterator[Mention]:
    """ "We propose FrogNet", "a network called PondSeg", "our lightweight PondSeg", "architecture of the NewtHybrid model"."""
    owned = [match for match in _OURS.finditer(text) if match["head"] or _CAMEL.match(match["name"].split()[-1])]
    for match in (*_NEW.finditer(text), *owned):
        last = match["name"].split()[-1]
        named = is_name(match["name"]) and is_name(last) and last not in _NO_MODEL and _NAME_LIKE.match(last)
        if named and not _is_person(text, match.end("name")):
            yield Mention(match["name"].replace("‐", "-"), OPEN, *match.span("name"), confidence=_CONFIDENCE)


_INTRODUCES = re.compile(
    r"\b(?:(?:we|paper|work|study|article)\s(?:\w+ly\s|also\s)?(?:propos|present|introduc|develop|design)(?:e|es|ed|s)?|called|named|dubbed|termed)\s",
    re.I,
)
_FULL = re.compile(r"(?:[A-Z][\w-]{1,24})(?:\s(?:[A-Z][\w-]{0,24}|for|of|and|with|in|to|the|on|from|by|via)){1,7}$")


def introduced_in_full(text: str) -> Iterator[Mention]:
    """ "We introduce Gated Otter Pre-training (GOP)": a capitalised name and its abbreviation, whatever its last word."""
    for match in BRACKETED.finditer(text):
        before = text[max(0, match.start() - LONGEST_NAME) : match.start()]
        if not _INTRODUCES.search(text, max(0, match.start() - 2 * LONGEST_NAME), match.start()):
            continue
        long = spelled_out(before, match["short"])
        long = long if _FULL.fullmatch(long) else _capitalised(before, match["short"])
        if long and match["short"] not in _NO_MODEL and is_name(match["short"]):
            yield Mention(
                f"{long} ({match['short']})", OPEN, match.start() - len(long), match.end("short"), confidence=_CONFIDENCE
            )


_INITIAL = re.compile(r"\b[A-Z](?=[\w-])")
_MOST_BETWEEN = 4  # small words between two capitalised ones


def _capitalised(text: str, short: str) -> str:
    """The last words of `text` whose capitalised ones, with any small ones between them, have the initials of `short`.

    >>> _capitalised("We propose a Pond-based search using Differentiable Newt Samplers", "PDNS")
    'Pond-based search using Differentiable Newt Samplers'
    """
    initials = list(_INITIAL.finditer(text))[-len(short) :]
    if len(short) < 3 or "".join(match[0] for match in initials) != short:
        return ""
    long = text[initials[0].start() :]
    return long if len(long.split()) <= len(short) + _MOST_BETWEEN and "." not in long else ""


def _is_person(text: str, end: int) -> bool:
    return bool(re.match(r",?\set\sal\b|\sand\s[A-Z]\w+\s\(?(?:19|20)\d\d|\s\((?:19|20)\d\d", text[end : end + 40]))
