"""Data splits: shares and counts for training, validation and test sets, and the folds of a cross-validation."""

import re
from collections.abc import Mapping, Sequence

from methodlens.facts.numbers import COUNT, as_number, quantity, tidy
from methodlens.facts.own_values import is_of_others
from methodlens.facts.types import FactType, Findings, first_or_none, from_each_quote, listing, merged_tables, optional
from methodlens.text import sentences

_ROLES = re.compile(
    r"(?P<train>\btrain(?:ing|[-‐]\s?ing)?\b)|(?P<validation>(?<!cross)(?<!cross[\s-])\bvalidat(?:ion|e|ed|ing)\b|\bval\b|\bdev(?:elopment)?\b|\bval[-‐]\s?idation\b)"
    r"|(?P<test>\btest(?:ing|s)?\b|\bheld[\s-]out\b|\bhold[\s-]?out\b)",
    re.I,
)
_PERCENT = re.compile(r"(?<![\d.])(\d{1,2}(?:\.\d+)?)\s?%")
_RATIO = re.compile(
    r"(?<![\d.:/-])(\d{1,2}(?:\.\d+)?)\s?%?\s?([:/–-])\s?(\d{1,2}(?:\.\d+)?)\s?%?(?:\s?\2\s?(\d{1,2}(?:\.\d+)?))?\s?%?(?!\d|\.\d)"
)
_IN_BRACKETS = re.compile(r"[^()%;]{0,25}\(\s?(?:[≈~∼]\s?|about\s|approx\w{0,11}\.?\s)?(\d{1,2}(?:\.\d+)?)\s?%\s?\)")
_OF_TRAINING = re.compile(r"\s*(?:\w+\s+)?of\s+(?:the\s+|this\s+|our\s+)?(?:\w+\s+)?train", re.I)
_SPLITS = re.compile(
    r"\b(?:split|divid|partition|ratio|separat|proportion|portion|remain|rest\b|held|hold|reserv|set\s+aside|ke(?:pt|ep)|assign|allocat|"
    r"randomly|select|(?:used?|taken|chosen|sampled|went)\s(?:\w{1,20}\s){0,3}(?:for|as|to)\b|for\s(?:the\s)?(?:train|test|validat)|sets?\b|train\w{0,3}\s?[/-]\s?|"
    r"\d{1,3}(?:\.\d{1,2})?\s?%\)\s(?:train|test|validat)|validation\s(?:parameter|percentage|fraction|share))",
    re.I,
)
_SCORES = re.compile(
    r"\b(?:accura\w*|precision|recall|F1|AUC|AUROC|scores?|errors?|sensitivity|specificity|IoU|mAP|kappa)\b", re.I
)
_DIVIDES = re.compile(r"\b(?:split|divid|partition|ratio|separat|proportion|reserv|set\s+aside|held|hold)", re.I)
# a percentage that is a result or a setting, not a share of the data
_RESULT = re.compile(
    r"\b(?:accura\w*|precision|recall|F1|AUC|AUROC|scores?|errors?|sensitiv\w*|specific\w*|loss|IoU|mAP|kappa|confiden\w*|overlap\w*|dropout|"
    r"threshold|probab\w*|achiev\w*|improv\w*|reach\w*|perform\w*|correct\w*|label\s+fractions?|noise|quantile|interval)\b",
    re.I,
)
_FOLDS = re.compile(
    rf"(?<![\w.])({COUNT})[\s-]{{0,3}}fold(?:ed|s)?\b(?=[^.]{{0,40}}\bcross|[^.]{{0,12}}\bCV\b)"
    rf"|cross[\s-]?validat\w{{1,5}}[^.\d]{{0,40}}?({COUNT})\s(?:equal\s|random\s|spatial\s|disjoint\s)?folds?\b"
    rf"|\b[kK][\s-]?folds?\b[^.;=]{{0,60}}?\b[kK]\s?(?:=|of|was\sset\sto|is)\s?({COUNT})\b"
    rf"|cross[\s-]?validat\w{{1,5}}[^.;]{{0,60}}?\bset\s({COUNT})\stimes\b",
    re.I,
)
_THINGS = (
    r"(?:images?|samples?|examples?|instances?|recordings?|clips?|sentences?|articles?|documents?|patients?|subjects?|videos?|frames?|"
    r"segments?|patches|records?|objects?|files?|pairs?|image-pairs|scans?|slides?|observations?|sequences?|points|graphs?|spectra|photos?|"
    r"cases|utterances|spectrograms|tiles|events|questions|tweets|reports|volumes|trees|individuals|pixels|annotations)"
)
_BIG = (
    r"(?<![\w.%,/:–-])(\d{1,3}(?:,\d{3}){1,3}|\d{1,3}(?:,\s\d{3}){1,3}|\d{2,9}|\d{1,4}(?:\.\d{1,2})?\s?(?:[kK]|M|million)\b)"
    r"(?![\d.]\d|\d|\s?%)"
)
_PLAIN = r"(?:\d{1,3}(?:,\d{3}){1,3}|\d{2,9})"
_COUNT_FIRST = re.compile(
    rf"{_BIG}\s(?:\([^()]{{1,12}}\)\s)?(?:(?:[a-z-]{{1,20}}\s){{0,2}}{_THINGS}\s)?(?:(?:are|were|was|is)\s)?(?:used\s|chosen\s|selected\s|reserved\s)?"
    r"(?:for|as|in|to)\s(?:the\s|an?\s|model\s){0,2}(?P<role>train|validat|test|dev)\w*|"
    rf"{_BIG}\s(?:\([^()]{{1,12}}\)\s)?(?P<role2>train|validat|test|dev)\w*(?=\s(?:[a-z-]{{1,20}}\s)?{_THINGS}|,|\sand\s\d|\sset|\sdata|\.|$|;|\))",
    re.I,
)
_ROLE_FIRST = re.compile(
    r"\b(?P<role>train|validat|test|dev)\w{0,7}[\s-]{0,2}(?:sub)?(?:sets?|data|datasets?|splits?|part(?:ition)?)\b\s?"
    r"(?:(?:\(|of|with|contain\w{0,3}|consist\w{0,3}\sof|compris\w{0,3}|had|has|includ\w{0,3}|:|=|size)\s?){0,3}"
    rf"(?:a\stotal\sof\s)?(?:n\s?=\s?)?{_BIG}(?!\s(?:individual\s)?(?:species|classes|categories|epochs|hours|days|months|years))",
    re.I,
)
_LISTED = re.compile(
    rf"of\s(?:sizes?\s)?((?:{_BIG}(?:\s?,\s(?:and\s)?|\sand\s)?){{2,3}}),?\s(?:{_THINGS}\s?,?\s?)?(?:respectively|each)?",
    re.I,
)
_LIST_FIRST = re.compile(
    rf"(?<![\w.])((?:{_PLAIN}\s?(?:,\s(?:and\s)?|\sand\s)){{1,2}}{_PLAIN})\s(?:[a-z-]{{1,20}}\s){{0,2}}{_THINGS}\s(?:(?:are|were)\s)?"
    r"(?:used\s)?(?:in|for|as)\s",
    re.I,
)
_LABEL = re.compile(r"\b(?:sections?|sec\.|tables?|fig(?:ure)?s?\.?|chapters?|parts?|versions?|day|year)\s{0,2}$", re.I)
_PER_CLASS = re.compile(r"\b(?:each|every|per)\s(?:class|category|species|label|task|episode)", re.I)
_NUMBERS = re.compile(r"\d{1,3}(?:,\d{3}){1,3}|\d{2,9}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_KEYS = {"train": "train", "validat": "validation", "dev": "validation", "test": "test"}


def shares(text: str) -> dict[str, float]:
    """
    >>> shares("We split the images into 80% for training, 10% for validation and 10% for testing.")
    {'train': 0.8, 'validation': 0.1, 'test': 0.1}
    """
    return _most_complete([_shares(text[start:end]) for start, end in sentences(text)])


def _shares(sentence: str) -> dict[str, float]:
    roles = list(_ROLES.finditer(sentence))
    if not roles or not _SPLITS.search(sentence) or (_SCORES.search(sentence) and not _DIVIDES.search(sentence)):
        return {}
    if bracketed := _by_brackets(sentence, roles):
        return bracketed
    named = list(dict.fromkeys(role.lastgroup or "" for role in roles))
    for match in _RATIO.finditer(sentence):
        parts = [float(part) for part in (match[1], match[3], match[4]) if part]
        whole = abs(sum(parts) - 100) < 0.6 or (sum(parts) == 10 and match[2] in ":/") or abs(sum(parts) - 1) < 0.001
        if whole and not is_of_others(sentence, *match.span()):
            usual = ["train", "validation", "test"] if len(parts) == 3 else ["train", "test"]
            order = named if len(named) == len(parts) else usual
            return {role: round(part / sum(parts), 4) for role, part in zip(order, parts, strict=True)}
    return _by_percent(sentence, roles, named)


def _by_brackets(sentence: str, roles: Sequence[re.Match[str]]) -> dict[str, float]:
    """ "Training (70%), validation (15%) and test (15%) sets": each set with its own share."""
    shares: dict[str, float] = {}
    for role, after in zip(roles, [*(role.start() for role in roles[1:]), len(sentence)], strict=True):
        if share := _IN_BRACKETS.match(sentence, role.end(), after):
            shares[role.lastgroup or ""] = _share(share)
    return shares if len(shares) > 1 and abs(sum(shares.values()) - 1) < 0.011 else {}


def _most_complete(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Tables that fit together as one; of those that do not, the first that has most sets: no mixture of two splits."""
    merged: dict[str, float] = merged_tables(tables)
    if not any(table.get(role, merged[role]) != merged[role] for table in tables for role in merged):
        total = sum(value for role, value in merged.items() if role in _SET_NAMES)
        if total <= 1.011 or any(value > 1 for value in merged.values()):
            return dict(merged)
    sizes = [len(table) for table in tables]
    return dict(tables[sizes.index(max(sizes))])


def _by_percent(text: str, roles: list[re.Match[str]], named: list[str]) -> dict[str, float]:
    """Equal numbers of shares and roles are paired in order; else each share goes to the nearest role without one."""
    by_role: dict[str, float] = {}
    shares: list[re.Match[str]] = []
    for match in _PERCENT.finditer(text):
        if _RESULT.search(text, max(0, match.start() - 40), match.end() + 20) or is_of_others(text, *match.span()):
            continue
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
    alone = next(iter(by_role)) if len(by_role) == 1 else ""
    if (alone == "train" and by_role[alone] < 0.3) or (alone in ("validation", "test") and by_role[alone] > 0.5):
        return {}
    return by_role if sum(value for role, value in by_role.items() if role in _KEYS.values()) <= 1.001 else {}


def _share(match: re.Match[str]) -> float:
    return round(float(match[1]) / 100, 4)


def _distance(share: re.Match[str], role: re.Match[str]) -> int:
    return role.start() - share.end() if role.start() >= share.end() else share.start() - role.end()


def counts(text: str) -> dict[str, int | float]:
    """
    >>> counts("The croaks were split into 3100 training, 400 validation, and 700 test recordings.")
    {'train': 3100, 'validation': 400, 'test': 700}
    """
    return _most_complete([_counts(text[start:end]) for start, end in sentences(text)])


def _counts(sentence: str) -> dict[str, int | float]:
    if _PER_CLASS.search(sentence):
        return {}
    if in_order := _counts_in_order(sentence):
        return in_order
    by_role: dict[str, int | float] = {}
    for pattern in (_COUNT_FIRST, _ROLE_FIRST):
        for match in pattern.finditer(sentence):
            groups = match.groupdict()
            role = _KEYS[(groups["role"] or groups.get("role2") or "").lower()]
            number = next(group for group in match.groups() if group and group[0].isdigit())
            labelled = _LABEL.search(sentence, max(0, match.start() - 12), match.start())
            if not _YEAR.fullmatch(number) and not labelled and not is_of_others(sentence, *match.span()):
                by_role.setdefault(role, tidy(quantity(number)))
    return by_role


def _counts_in_order(sentence: str) -> dict[str, int | float]:
    """ "Training, validation and test sets of 4000, 500 and 500 images", "400 and 50 images for training and testing"."""
    first = _LIST_FIRST.search(sentence)
    listed = first or _LISTED.search(sentence)
    order = list(dict.fromkeys(match.lastgroup or "" for match in _ROLES.finditer(sentence, first.end() if first else 0)))
    numbers = _NUMBERS.findall(listed[1]) if listed and not is_of_others(sentence, *listed.span()) else []
    if len(order) < 2 or len(numbers) != len(order) or all(map(_YEAR.fullmatch, numbers)):
        return {}
    return {role: tidy(quantity(number)) for role, number in zip(order, numbers, strict=True)}


def folds(text: str) -> int | None:
    """The first number of folds of the authors' own cross-validation."""
    own = (match for match in _FOLDS.finditer(text) if not is_of_others(text, *match.span()))
    numbers = (int(as_number(next(group for group in match.groups() if group))) for match in own)
    return next((number for number in numbers if 2 <= number <= 100), None)


_SET_NAMES = {"train": "training", "validation": "validation", "test": "test"}


def _by_set(findings: Findings, key: str) -> list[tuple[str, str]]:
    """The numbers that a quote prints, with the set each is for: 80% follows from a ratio of 8:1:1, but is not printed."""
    percent = 100 if key == "split" else 1
    numbers = findings.values[key]  # of one split, where several quotes have different ones
    scaled = [(percent * numbers[name], set_name) for name, set_name in _SET_NAMES.items() if name in numbers]
    return [(printed, name) for number, name in scaled if (printed := _printed(number, findings.quotes))]


def _printed(number: float, quotes: Sequence[str]) -> str:
    """The number as a quote prints it, with commas perhaps; empty if none does."""
    digits = f"{number:.10g}"
    grouped = f"{int(number):,}".replace(",", ",?") if digits.isdecimal() else re.escape(digits)
    pattern = re.compile(rf"(?<![\d.,]){grouped}(?![\d.,]*\d)")
    return next((match[0] for quote in quotes if (match := pattern.search(quote))), "")


def _shares_phrase(findings: Findings) -> str:
    printed = listing(f"{percent}% {name}" for percent, name in _by_set(findings, "split"))
    return printed and f"the split is {printed}"


def _counts_phrase(findings: Findings) -> str:
    printed = [f"{count} for {name}" for count, name in _by_set(findings, "split_counts")]
    return f"the split is {listing(printed)}" if len(printed) > 1 else ""


def _folds_phrase(findings: Findings) -> str:
    return f"cross-validation had {findings.values['cross_validation_folds']} folds"


SPLITS = (
    FactType(key="split", extract=from_each_quote(optional(shares)), merge=_most_complete, phrase=_shares_phrase, revision=1),
    FactType(
        key="split_counts", extract=from_each_quote(optional(counts)), merge=_most_complete, phrase=_counts_phrase, revision=1
    ),
    FactType(
        key="cross_validation_folds",
        extract=from_each_quote(optional(folds)),
        merge=first_or_none,
        phrase=_folds_phrase,
        revision=1,
    ),
)
