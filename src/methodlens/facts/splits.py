"""Data splits: shares and counts for training, validation and test sets, and the folds of a cross-validation."""

import re
from collections.abc import Sequence

from methodlens.facts.numbers import COUNT, as_number, quantity, tidy
from methodlens.facts.types import FactType, Findings, from_each_quote, listing, merged_tables, optional

_ROLES = re.compile(
    r"(?P<train>\btrain(?:ing|[-‐]\s?ing)?\b)|(?P<validation>\bvalidat(?:ion|e|ed|ing)\b|\bval\b|\bdev(?:elopment)?\b|\bval[-‐]\s?idation\b)"
    r"|(?P<test>\btest(?:ing|s)?\b|\bheld[\s-]out\b|\bhold[\s-]?out\b)",
    re.I,
)
_PERCENT = re.compile(r"(?<![\d.])(\d{1,2}(?:\.\d+)?)\s?%")
_RATIO = re.compile(
    r"(?<![\d.:/-])(\d{1,2}(?:\.\d+)?)\s?%?\s?([:/–-])\s?(\d{1,2}(?:\.\d+)?)\s?%?(?:\s?\2\s?(\d{1,2}(?:\.\d+)?))?\s?%?(?!\d|\.\d)"
)
_OF_TRAINING = re.compile(r"\s*(?:\w+\s+)?of\s+(?:the\s+|this\s+|our\s+)?(?:\w+\s+)?train", re.I)
_SPLITS = re.compile(r"\b(?:split|divid|partition|train|ratio|separat|proportion)", re.I)
_FOLDS = re.compile(
    rf"(?<![\w.])({COUNT})[\s-]*fold(?:ed|s)?\b(?=[^.]{{0,40}}\bcross|[^.]{{0,12}}\bCV\b)|cross[\s-]?validat\w+[^.\d]{{0,30}}?({COUNT})\s+folds?\b",
    re.I,
)
_THINGS = (
    r"(?:images?|samples?|examples?|instances?|recordings?|clips?|sentences?|articles?|documents?|patients?|subjects?|videos?|frames?|"
    r"segments?|patches|records?|objects?|files?|pairs?|image-pairs|scans?|slides?|observations?|sequences?|points|graphs?|spectra|photos?|cases|species)"
)
_BIG = r"(?<![\w.%])(\d{1,3}(?:,\s?\d{3})+|\d{2,9})(?![\d.%]|\s?%)"
_COUNT_FIRST = re.compile(
    rf"{_BIG}\s+(?:\w+\s+)?(?:{_THINGS}\s+)?(?:(?:are|were|was|is)\s+)?(?:used\s+|chosen\s+|selected\s+)?(?:for|as|in|to)\s+(?:the\s+|an?\s+)?"
    r"(?P<role>train|validat|test|dev)\w*|"
    rf"{_BIG}\s+(?P<role2>train|validat|test|dev)\w*\s+{_THINGS}",
    re.I,
)
_ROLE_FIRST = re.compile(
    rf"\b(?P<role>train|validat|test|dev)\w*[\s-]*(?:sub)?(?:set|data|dataset|split|part(?:ition)?)\b\s*(?:\(|of|with|contain\w*|consist\w*\s+of|compris\w*|had|has|includ\w*|:|=|size|\s)*\s*(?:n\s*=\s*)?{_BIG}",
    re.I,
)
_LISTED = re.compile(
    rf"of\s+(?:sizes?\s+)?((?:{_BIG}(?:\s*,\s*|\s+and\s+|,\s+and\s+)?){{2,3}}),?\s+(?:{_THINGS}\s*,?\s*)?(?:respectively|each)?",
    re.I,
)
_KEYS = {"train": "train", "validat": "validation", "dev": "validation", "test": "test"}


def shares(text: str) -> dict[str, float]:
    """
    >>> shares("We split the images into 80% for training, 10% for validation and 10% for testing.")
    {'train': 0.8, 'validation': 0.1, 'test': 0.1}
    """
    roles = list(_ROLES.finditer(text))
    if not roles or not _SPLITS.search(text):
        return {}
    named = list(dict.fromkeys(role.lastgroup or "" for role in roles))
    for match in _RATIO.finditer(text):
        parts = [float(part) for part in (match[1], match[3], match[4]) if part]
        if abs(sum(parts) - 100) < 0.6 or (sum(parts) == 10 and match[2] in ":/") or abs(sum(parts) - 1) < 0.001:
            usual = ["train", "validation", "test"] if len(parts) == 3 else ["train", "test"]
            order = named if len(named) == len(parts) else usual
            return {role: round(part / sum(parts), 4) for role, part in zip(order, parts, strict=True)}
    return _by_percent(text, roles, named)


def _by_percent(text: str, roles: list[re.Match[str]], named: list[str]) -> dict[str, float]:
    """Equal numbers of shares and roles are paired in order; else each share goes to the nearest role without one."""
    by_role: dict[str, float] = {}
    shares: list[re.Match[str]] = []
    for match in _PERCENT.finditer(text):
        if _OF_TRAINING.match(text, match.end()) and "validat" in text.lower():
            by_role.setdefault("validation_fraction_of_train", _share(match))
        else:
            shares.append(match)
    if len(shares) == len(named) > 1:
        pairs = zip(named, map(_share, shares), strict=True)
        return by_role | dict(pairs) if abs(sum(map(_share, shares)) - 1) < 0.011 else by_role
    for match in shares:
        near = [(_distance(match, role), role.lastgroup or "") for role in roles if role.lastgroup not in by_role]
        closest = min(near, default=None)
        if closest and closest[0] <= 50:
            by_role[closest[1]] = _share(match)
    return by_role if sum(value for role, value in by_role.items() if role in _KEYS.values()) <= 1.001 else {}


def _share(match: re.Match[str]) -> float:
    return round(float(match[1]) / 100, 4)


def _distance(share: re.Match[str], role: re.Match[str]) -> int:
    return role.start() - share.end() if role.start() >= share.end() else share.start() - role.end()


def counts(text: str) -> dict[str, int | float]:
    by_role: dict[str, int | float] = {}
    for pattern in (_COUNT_FIRST, _ROLE_FIRST):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            role = _KEYS[(groups["role"] or groups.get("role2") or "").lower()]
            number = next(group for group in match.groups() if group and group[0].isdigit())
            if not re.fullmatch(r"(?:19|20)\d\d", number):  # a year
                by_role.setdefault(role, tidy(quantity(number)))
    listed = _LISTED.search(text)
    order = list(dict.fromkeys(match.lastgroup or "" for match in _ROLES.finditer(text)))
    if listed and not by_role:
        numbers = re.findall(_BIG, listed[1])
        if len(numbers) == len(order):
            by_role = {role: tidy(quantity(number)) for role, number in zip(order, numbers, strict=True)}
    return by_role


def folds(text: str) -> int | None:
    numbers = [int(as_number(match[1] or match[2])) for match in _FOLDS.finditer(text)]
    return max((number for number in numbers if 2 <= number <= 100), default=None)


_SET_NAMES = {"train": "training", "validation": "validation", "test": "test"}


def _by_set(findings: Findings, key: str) -> list[tuple[float, str]]:
    """The numbers that a quote prints, with the set each is for: 80% follows from a ratio of 8:1:1, but is not printed."""
    percent = 100 if key == "split" else 1
    numbers = {name: number for fact in findings.facts[key] for name, number in fact.value.items() if name in _SET_NAMES}
    scaled = [(percent * number, _SET_NAMES[name]) for name, number in numbers.items()]
    return [(number, name) for number, name in scaled if _is_printed(number, findings.quotes)]


def _is_printed(number: float, quotes: Sequence[str]) -> bool:
    digits = re.compile(rf"(?<![\d.,]){number:.10g}(?![\d.,]*\d)")
    return any(digits.search(re.sub(r"(?<=\d),(?=\d{3})", "", quote)) for quote in quotes)


def _shares_phrase(findings: Findings) -> str:
    printed = listing(f"{percent:g}% {name}" for percent, name in _by_set(findings, "split"))
    return printed and f"the split is {printed}"


def _counts_phrase(findings: Findings) -> str:
    printed = [f"{count} for {name}" for count, name in _by_set(findings, "split_counts")]
    return f"the split is {listing(printed)}" if len(printed) > 1 else ""


def _folds_phrase(findings: Findings) -> str:
    return f"cross-validation had {findings.values['cross_validation_folds']} folds"


SPLITS = (
    FactType(key="split", extract=from_each_quote(optional(shares)), merge=merged_tables, phrase=_shares_phrase),
    FactType(key="split_counts", extract=from_each_quote(optional(counts)), merge=merged_tables, phrase=_counts_phrase),
    FactType(key="cross_validation_folds", extract=from_each_quote(optional(folds)), merge=max, phrase=_folds_phrase),
)
