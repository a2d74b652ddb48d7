"""Sizes of memory: that of a graphics card, and the RAM of the computer."""

import re
from collections.abc import Iterable

_SIZE = r"(?P<gb>\d{1,4}(?:\.\d)?)\s?-?G(?:i?B)?"
_CARD = (
    r"(?:(?:laptop\s)?(?:gpus?|graphics\s(?:cards?|processing\sunits?)|(?:accelerator\s)?cards?|processors?|boards?|"
    r"accelerators?)\b)?"
)
_BEFORE = re.compile(rf"{_SIZE}\s(?:\w{{1,20}}\s)?$", re.I)
_AFTER = re.compile(
    rf"s?\s{{0,2}}{_CARD}(?:\s\(gpus?\))?(?:\s\([^()]{{1,60}}\))?,?\s{{0,2}}(?:(?:each\s)?(?:with|having|of|has|featuring)\s(?:an?\s)?|-)?(?:(?:sxm\d?|pcie)-)?"
    rf"{_SIZE}\b(?!\s?(?:of\s)?(?:system\s|main\s|installed\s)?(?:RAM|DDR\S{{0,9}})\b)",
    re.I,
)
_OF_EACH = re.compile(  # "graphics cards with 10 GB RAM each": the memory of the cards, not of the computer
    rf"s?\s{{0,2}}(?:gpus?|graphics\s(?:cards?|processing\sunits?)|cards?)\s(?:with|having)\s{_SIZE}\s(?:of\s)?RAM\seach\b", re.I
)
_IN_BRACKETS = re.compile(rf"s?\s{{0,2}}{_CARD}\s{{0,2}}\([^()]{{0,60}}?{_SIZE}\b[^()]{{0,60}}\)", re.I)
_RAM = re.compile(
    r"(?:(?<![\w.])(?P<times>\d{1,2})\s?[x*]\s?)?(?P<size>\d{1,5}(?:\.\d{1,2})?)\s?-?(?P<unit>[GT](?:i?B)?)\s(?:of\s)?"
    r"(?:(?:DDR\d\S{0,9}|system|main|installed|random[\s-]access|total|\d{3,4}\sMHz|working)\s){0,3}(?:RAM|memory|DDR\d\S{0,9})\b"
    r"(?:\s?[x*]\s?(?P<times2>\d{1,2})\b)?"
    r"|\b(?:RAM|main memory|system memory|(?<!gpu )(?<!video )(?<!graphics )memory)\s?(?:of|:|=|\(|is|was)?\s?"
    r"(?P<size2>\d{1,5}(?:\.\d{1,2})?)\s?(?P<unit2>[GT](?:i?B)?)\b",
    re.I,
)
_OF_A_CARD = re.compile(r"\b(?:gpu|video|graphics?|vram|cards?)\s{0,2}(?:\w{1,10}\s){0,2}$", re.I)
_FOR_A_CARD = re.compile(r"(?:of\s)?(?:gpu|video|graphics|onboard|on-board|GDDR|HBM)", re.I)


def card_memory(plain: str, start: int, end: int) -> float | None:
    """The memory of the card that is named at `plain[start:end]`, in GB."""
    match = _of_card(plain, end) or _BEFORE.search(plain, max(0, start - 40), start)
    return float(match["gb"]) if match else None


def system_memory(plain: str, cards: Iterable[tuple[int, int]]) -> float | None:
    """The RAM in GB: "16GB RAM * 8" is 128. Sizes that belong to one of the cards, given by their places, are left out."""
    owned = [match.span("gb") for _, end in cards if (match := _of_card(plain, end))]
    sizes = []
    for match in _RAM.finditer(plain):
        start, end = match.span("size") if match["size"] else match.span("size2")
        if any(first <= start < last or start <= first < end for first, last in owned) or _is_of_card(plain, match):
            continue
        size, unit = float(match["size"] or match["size2"]), (match["unit"] or match["unit2"]).upper()
        sizes.append(size * (1024 if unit.startswith("T") else 1) * int(match["times"] or match["times2"] or 1))
    return max(sizes, default=None)


def _of_card(plain: str, end: int) -> re.Match[str] | None:
    return _IN_BRACKETS.match(plain, end) or _AFTER.match(plain, end) or _OF_EACH.match(plain, end)


def _is_of_card(plain: str, match: re.Match[str]) -> bool:
    return bool(_OF_A_CARD.search(plain, max(0, match.start() - 20), match.start())) or bool(_FOR_A_CARD.search(match[0]))
