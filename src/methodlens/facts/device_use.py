"""Whether a device that a text mentions is the one the authors trained on."""

import re
from functools import lru_cache

from methodlens.facts.own_values import is_of_others
from methodlens.text import sentences

# "no GPU", "without a GPU", "rather than on GPUs"
_NEGATED = re.compile(
    r"\b(?:no|not|without|instead of|rather than|neither|nor|lack(?:s|ed|ing)?|unlike|than|never|avoid\w*)\s+"
    r"(?:\w+\s+){0,3}$",
    re.I,
)
# statements on machines in general, not on the one that was used
_GENERIC = re.compile(
    r"\b(?:commonly|usually|typically|often|generally|mostly|in general|normally|frequently|might|would|"
    r"requires?|such as|e\.g)\b",
    re.I,
)
# a machine that the authors had no access to
_OUT_OF_REACH = re.compile(
    r"\b(?:not|n[’']t|no longer)\s(?:[\w-]{1,20}\s){0,2}(?:affordable|available|afford|accessible|access)\b"
    r"|\bunaffordable\b|\bunavailable\b|\bbeyond\sour\s(?:means|budget|resources)",
    re.I,
)
# "if we run on a Titan", "assuming a V100"
_IF = re.compile(
    r"\b(?:if|when)\s(?:we\s(?:use|run|train|switch)|one|you)\b[^,;.]{0,60}$|\bassum(?:e|ing)\s(?:[\w-]{1,15}\s){0,3}$", re.I
)
_FUNDING = re.compile(r"\b(?:acknowledge\w*|grants?|funding|funded|thanks?|grateful)\b", re.I)
# what is said of a provider that stores data or serves the model, and of a device that runs it
_STORES = re.compile(
    r"\b(?:stor(?:e[ds]?|age|ing)|host(?:ed|s|ing)?|bucket|S3|archiv\w+|download\w*|deploy\w*|upload\w*|website|notebooks?)\b",
    re.I,
)
_COMPUTES = re.compile(
    r"\b(?:(?:pre|re)?-?train\w*|comput\w+|fine-?\s?tun\w+|experiments?|GPUs?|instances?|virtual machines?|"
    r"ran|run|running|perform\w*|implement\w*|conduct\w*|execut\w+|carried\s+out|calculations?)\b",
    re.I,
)
_TRAINS = re.compile(r"\b(?:pre|re)?-?train(?:ed|ing|s)?\b(?!\s(?:set|data|images))|\bfine-?\s?tun", re.I)
_SERVES = re.compile(
    r"\b(?:infer\w*|deploy\w*|on-?board|real-?\s?time|edge|embedded|trained\s(?:model|network|net)|latency|fps|collect\w*|record\w*)\b",
    re.I,
)
# an unnamed device counts where the text says that something ran on it
_USED = re.compile(
    r"(?:\b(?:on|using|used?|uses|with|via|by|equipped|ha(?:s|d|ve)|provided|across|over|of|includ\w+|contain\w*|compris\w*|and|"
    r"utili[sz]\w+|leverag\w+)|[:(,])[\s(:]{0,3}(?:(?:the|our|a|an|its|same|each|\d{1,4}G?|single|different|separate|multiple|several|"
    r"both|dedicated|remaining|more|up\sto|[a-z]{2,9}-core|nvidia|desktop|high-end|local|one|two|three|four|five|six|eight|ten|sixteen|"
    r"intel|amd|x|gb|parallel|identical|only|just)[\s-]{1,2}){0,4}$",
    re.I,
)

# what a sentence says that is about the authors' own runs, and not about GPUs as such
_RUNS = re.compile(
    rf"{_COMPUTES.pattern.replace('GPUs?|', '')}|\b(?:we|our|was|were|used|machine|server|workstation|computer|"
    r"took|takes|hours?|days?|epochs?|[GT]B|parallel|cluster)\b",
    re.I,
)

_NEAR = 150  # characters around a device
_REACH = 600  # of a sentence, so that the time stays linear in long texts


def is_excluded(plain: str, at: int, end: int, *, generic: bool) -> bool:
    """Not used, not the authors' own, or a remark on machines in general."""
    if _NEGATED.search(plain, max(0, at - 60), at) or _IF.search(plain, max(0, at - 100), at):
        return True
    sentence, start = _sentence_around(plain, at)
    if generic and _GENERIC.search(sentence, max(0, at - start - _REACH), end - start + _REACH):
        return True
    if _OUT_OF_REACH.search(sentence, max(0, at - start - _NEAR), end - start + _NEAR):
        return True
    return is_of_others(sentence, at - start, end - start)


def is_thanked_for(plain: str, at: int) -> bool:
    """A machine that somebody paid for or lent: where others are said to be used, it may not be among them."""
    sentence, start = _sentence_around(plain, at)
    return bool(_FUNDING.search(sentence, max(0, at - start - _REACH), at - start + _REACH))


def only_stores(plain: str, at: int) -> bool:
    """A provider that is said to store data or to serve the model, not to train it."""
    sentence, _ = _sentence_around(plain, at)
    return not _COMPUTES.search(sentence) or (bool(_STORES.search(sentence)) and not _TRAINS.search(sentence))


def only_serves(plain: str, at: int) -> bool:
    """A small device that runs the trained model; training on it would be said."""
    sentence, _ = _sentence_around(plain, at)
    return not _TRAINS.search(sentence) or bool(_SERVES.search(sentence))


def is_used(plain: str, at: int) -> bool:
    """Something ran on the device without a name that is mentioned here."""
    sentence, start = _sentence_around(plain, at)
    used = bool(_USED.search(plain, max(0, at - 60), at))
    return used and bool(_RUNS.search(sentence, max(0, at - start - _REACH), at - start + _REACH))


def _sentence_around(plain: str, at: int) -> tuple[str, int]:
    """The sentence with this position, and where it begins."""
    spans = _sentences(plain)
    start, end = next(((start, end) for start, end in spans if start <= at < end), (0, len(plain)))
    return plain[start:end], start


@lru_cache(maxsize=512)
def _sentences(plain: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentences(plain))
