"""Words as retrieval counts them: lower case, plurals folded, names such as "ResNet-50" kept whole and by part."""

import re

_WORD = re.compile(r"[^\W_]+(?:[-.’'/][^\W_]+)*", re.UNICODE)
_PART = re.compile(r"[^\W\d_]+|\d+", re.UNICODE)
_STOP = frozenset(
    """a an and any are as at be been being but by can could did do does for from had has have he her his how if in into is it
    its may might more most no nor not of on or our she should so some such than that the their them then there these they
    this those to us was we were what when where which while who whose will with would you your e.g i.e etc et al""".split()
)


def words(text: str) -> list[str]:
    """
    >>> words("We trained two ResNet-50 models on GPUs.")
    ['trained', 'two', 'resnet-50', 'resnet', '50', 'model', 'gpu']
    """
    found: list[str] = []
    for match in _WORD.finditer(text.lower()):
        whole = match[0].replace("’", "'").removesuffix("'s")
        if whole in _STOP:
            continue
        found.append(_singular(whole))
        parts = _PART.findall(whole)
        if len(parts) > 1:
            found += [_singular(part) for part in parts if part not in _STOP]
    return found


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "is", "ous", "ius", "rus", "tus", "nus", "cus", "plus")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]
