"""Words for retrieval: lower case, singular; names such as "ResNet-50" and links as a whole and in parts."""

import re

_TOKEN = re.compile(
    r"(?P<link>(?:https?://|www\.)[^\s<>\"”]+)"
    r"|(?P<number>\d{1,3}(?:,\d{3}){1,20}(?:\.\d+)?(?![\w])|\d+\.\d+(?![\w.]))"
    r"|(?P<word>[^\W_]+(?:[-.’'/][^\W_]+)*)"
    r"|(?P<percent>%)",
    re.UNICODE,
)
_PART = re.compile(r"[^\W\d_]+|\d+", re.UNICODE)
_STOP = frozenset(
    """a an and any are as at be been being but by can could did do does for from had has have he her his how if in into is it
    its may might more most no nor not of on or our she should so some such than that the their them then there these they
    this those to us was we were what when where which while who whose will with would you your e.g i.e etc et al""".split()
)
_NO_PLURAL = frozenset("aws bias canvas dvs gas gis gps ios keras lens pandas relus series sas species ssds tss".split())


def words(text: str) -> list[str]:
    """
    >>> words("We trained two ResNet-50 models on GPUs.")
    ['trained', 'two', 'resnet-50', 'resnet', '50', 'model', 'gpu']
    >>> words("80% of 1,200 at 0.001, see https://github.com/a/b.")
    ['80', 'percent', '1200', '0.001', 'see', 'github.com/a/b', 'github', 'com', 'b']
    """
    tokens: list[str] = []
    for match in _TOKEN.finditer(text.lower()):
        kind, whole = match.lastgroup, match[0]
        if kind == "number":  # the parts of a decimal mean nothing
            tokens.append(whole.replace(",", ""))
            continue
        if kind == "percent":
            tokens.append("percent")
            continue
        if kind == "link":
            whole = re.sub(r"^(?:https?://)?(?:www\.)?", "", whole).rstrip(".,;:)]}'’")
        whole = whole.replace("’", "'").removesuffix("'s")
        if not whole or whole in _STOP:
            continue
        tokens.append(_singular(whole))
        parts = _PART.findall(whole)
        if len(parts) > 1:
            tokens += [_singular(part) for part in parts if part not in _STOP]
    return tokens


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word in _NO_PLURAL:
        return word
    if word.endswith(("ss", "is", "ous", "ius", "rus", "tus", "nus", "cus", "plus")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]
