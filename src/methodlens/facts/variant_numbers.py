"""The numbers that tell the variants of a network apart, where they are not printed right after its name."""

import re
from collections.abc import Iterator

_LAYERS_AFTER = re.compile(r"\s*\(?(?:with\s+|of\s+)?((?:\d{2,3}\s*(?:,|and|or|&)*\s*)+)[\s-]*layers?\b", re.I)
_LAYERS_BEFORE = re.compile(r"(?<!\d)(\d{1,3})[\s-]layer(?:ed|s)?\s+(?:deep\s+)?$", re.I)
# "ResNet-18/34/50", "ResNet-18, -34 and -50", "ResNet-18, 34 and 50"; but not "ResNet-18, 50 epochs"
_FURTHER = re.compile(
    r"\s?/\s?(?P<slash>\w{1,5})(?!\w)|,?\s(?:and\s|or\s|&\s)?(?:[-‐–](?P<hyphen>\w{1,5})(?!\w)"
    r"|(?P<bare>\d{2,4})(?=[,.;)]|\s(?:and|or|models?|networks?|architectures?|backbones?|variants?)\b|$))"
)
_MOST_FURTHER = 8


def further_numbers(text: str, end: int, suffix: str) -> Iterator[tuple[str, int]]:
    """The other numbers of a list that prints the name once, and where each ends; `end` is where the first one ends.

    >>> [number for number, _ in further_numbers("ResNet-18/34/50", 9, "18|34|50")]
    ['34', '50']
    """
    for _ in range(_MOST_FURTHER):
        match = _FURTHER.match(text, end)
        number = match and (match["slash"] or match["hyphen"] or match["bare"])
        if not match or not number or not re.fullmatch(suffix, number, re.I):
            return
        end = match.end()
        yield number, end


def layers(text: str, start: int, end: int) -> list[str]:
    """The numbers of layers around a name at `text[start:end]`.

    >>> layers("a ResNet with 18 and 34 layers", 2, 8), layers("a 50-layer ResNet", 11, 17)
    (['18', '34'], ['50'])
    """
    if after := _LAYERS_AFTER.match(text, end):
        return re.findall(r"\d+", after[1])
    before = _LAYERS_BEFORE.search(text, max(0, start - 20), start)
    return [before[1]] if before else []
