"""The numbers that tell the variants of a network apart, where they are not printed right after its name."""

import re
from collections.abc import Iterator

_LAYERS_AFTER = re.compile(r"\s*\(?(?:with\s+|of\s+)?((?:\d{2,3}\s*(?:,|and|or|&)*\s*)+)[\s-]*layers?\b", re.I)
_LAYERS_BEFORE = re.compile(r"(?<!\d)(\d{1,3})[\s-]layer(?:ed|s)?\s+(?:deep\s+)?$", re.I)
# "ResNet-18/34/50", "ResNet-18, -34 and -50", "ResNet-18, 34 and 50", "B0, B1 and B2"; but not "ResNet-18, 50 epochs"
_FURTHER = re.compile(
    r"\s?/\s?(?P<slash>\w{1,5})(?!\w)|,?\s(?:and\s|or\s|&\s)?(?:[-‐–](?P<hyphen>\w{1,5})(?!\w)"
    r"|(?P<bare>\d{2,4}|[A-Za-z]\d)(?=[,.;)]|\s(?:and|or|models?|networks?|architectures?|backbones?|variants?)\b|$))"
)
_MOST_FURTHER = 8
# "EfficientNet-B0 to B7", "EfficientNet B0–B7"
_LETTER_AND_DIGIT = re.compile(r"([A-Za-z])(\d)")
_RANGE = re.compile(r"\s?(?:to|through|until|up\sto|[-‐–—~])\s?(?:[A-Z]\w{2,20}[-‐\s]?)?(?P<letter>[A-Za-z])(?P<last>\d)(?!\w)")


def further_numbers(text: str, end: int, suffix: str) -> Iterator[tuple[str, int]]:
    """The other numbers of a list that prints the name once, and where each ends; `end` is where the first one ends.

    >>> [number for number, _ in further_numbers("ResNet-18/34/50", 9, "18|34|50")]
    ['34', '50']
    >>> [number for number, _ in further_numbers("EfficientNet-B0 to B3", 15, "b[0-8]")]
    ['B1', 'B2', 'B3']
    """
    first = _LETTER_AND_DIGIT.search(text, max(0, end - 2), end)
    if first and (match := _RANGE.match(text, end)) and match["letter"].lower() == first[1].lower():
        numbers = [f"{first[1]}{number}" for number in range(int(first[2]) + 1, int(match["last"]) + 1)]
        yield from ((number, match.end()) for number in numbers if re.fullmatch(suffix, number, re.I))
        return
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
