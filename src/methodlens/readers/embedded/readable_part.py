"""The part of a quote that an answer can use: its sentence, without what the layout of the page has glued to it."""

import re

from methodlens.readers.embedded.tidying import has_verb, is_sentence

# "Table I. All nets were trained for 60 epochs": the label closes the sentence before, or opens a caption that is one
_LABEL = re.compile(r"^(?:Fig(?:ure|\.)?|Tab(?:le|\.)?)\s?(?:[A-Z]?\d[\w.]{0,4}|[IVX]{1,5})\s?[.:|—-]\s+(?=[A-Z])", re.I)
_FULL_STOP = re.compile(r"(?<=[a-z)\d%])\.\s(?=[A-Z(%])")
# what follows in small letters is from a figure or a table
_GLUED = re.compile(r"(?<![a-z])(?!(?:approx|resp|incl|spec|conf|proc|dept|univ|corr)\.)[a-z]{4,}\.\s(?=[a-z%(])")
# "β1 = 0.9", "10^−5" and "{20, 50}" are values, not formulas
_SYMBOL = re.compile(r"(?:(?<![\w.])[^\W\d_]\w{0,3}|\([^()=]{1,12}\))\s?[=∈]\s?(?=[\d.{(\[−-])")
_POWER = re.compile(r"(?<=\d)\s?\^\s?[−-]?\d{1,3}")
_SET = re.compile(r"\{([\d\s.,·×−-]{1,80})\}")
_LONGEST = 1500  # characters in which a full stop is looked for


def readable_part(text: str) -> str:
    """Of a tidied quote; empty if it has no sentence.

    >>> readable_part("We counted newts in ten ponds. pond 1 pond 2 depth (m)")
    'We counted newts in ten ponds.'
    >>> readable_part("In all, β1 = 0.9, β2 = 0.99 and ϵ = 10^−8 were used."), readable_part("Newts per pond")
    ('In all, β1 = 0.9, β2 = 0.99 and ϵ = 10^−8 were used.', '')
    """
    for candidate in (text, _LABEL.sub("", text, count=1)):
        glued = _GLUED.search(candidate, 0, _LONGEST)
        ends = [glued.end() - 1] if glued else []
        ends += [match.start() + 1 for match in reversed(list(_FULL_STOP.finditer(candidate, 0, _LONGEST)))]
        if _is_sentence(candidate) and not glued and (not ends or has_verb(candidate[ends[0] :])):
            return candidate
        for end in (*ends, len(candidate)):
            if _is_sentence(candidate[:end]):
                return candidate[:end]
    return ""


def _is_sentence(text: str) -> bool:
    return bool(text) and is_sentence(_SET.sub(r"\1", _POWER.sub("", _SYMBOL.sub("", text))))
