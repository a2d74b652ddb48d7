"""Clauses of papers as sentences of an answer: no "we", pages in brackets."""

import re
import unicodedata
from collections.abc import Iterable

from methodlens.facts.types import listing

_FIRST_PERSON = re.compile(r"\b(?:[Ww]e|[Oo]urs?|[Oo]urselves|us|I|[Mm]y)\b")
_NOT_A_PERSON = re.compile(  # "Mode I"; but "Finally I counted"
    r"\b(?!(?:\w+ly|\w+ever|And|But|As|When|While|Where|If|Then|Thus|So|Here|Hence|First|Second|Next|Now|Later|Since|That|Because|What"
    r"|Although|Also|Once|After|Before|Therefore|Moreover|Furthermore|Afterwards)\b)[A-Z][a-z]+ I\b"
)
_PAST_OR_MODAL = re.compile(
    r"(?:(?:also|then|first|only|\w+ly) )?(?:\w+ed|was|had|did|could|would|can|may|might|must|should|will|built|chose|"
    r"ran|took|made|kept|found|set)\b"
)
_AS_SEEN = re.compile(r"^As (?:we|one) can (?:see|observe)(?: (?:in|from) [^,]{1,40})?, |, as we can see(?=,|$)")
_THIRD_PERSON = {"our": "their", "ours": "theirs", "ourselves": "themselves", "us": "them", "my": "their"}
_AND_I = re.compile(r"\b[Mm]y \w+ and I\b")
_CLOSED_QUOTE = re.compile(r"[.]([”\"’])$")  # the full stop follows the page
_AUTHORS = re.compile(r"^(?:The authors?|They)\b")


def in_third_person(text: str) -> str:
    """
    >>> in_third_person("We resized our images before we trained the net")
    'The authors resized their images before they trained the net'
    """
    if _NOT_A_PERSON.search(text):
        return text
    text = _AS_SEEN.sub("", text)
    text = _AND_I.sub("we", text)
    parts, begin, named = [], 0, False
    for match in _FIRST_PERSON.finditer(text):
        word = match[0].lower()
        if match[0] == "I" and not re.match(r"\s+[a-z]", text[match.end() :]):
            continue  # a numeral or a symbol
        if word in ("we", "i"):
            alone = word == "i" and bool(_PAST_OR_MODAL.match(text[match.end() :].lstrip()))
            replacement = "they" if named and not alone else "the author" if alone else "the authors"
        else:
            replacement = _THIRD_PERSON[word] if named or word in ("us", "ours", "ourselves") else "the authors’"
        named = True
        parts += [text[begin : match.start()], replacement if match.start() else capitalised(replacement)]
        begin = match.end()
    return "".join((*parts, text[begin:]))


def with_pages(sentences: Iterable[tuple[str, tuple[int, ...]]]) -> str:
    """Sentences with the pages that they are from. Neighbours from the same page share one mark.

    >>> with_pages([("The authors cut the films", (4,)), ("The authors kept ten", (4,)), ("A fly was drawn", (6,))])
    'The authors cut the films. They kept ten (p. 4). A fly was drawn (p. 6).'
    """
    rows = [(capitalised(sentence), tuple(filter(None, pages))) for sentence, pages in sentences]
    written: list[str] = []
    for index, (sentence, pages) in enumerate(rows):
        if index and sentence.startswith("The authors ") and _AUTHORS.match(rows[index - 1][0]):
            sentence = "They" + sentence.removeprefix("The authors")
        same_page_next = index + 1 < len(rows) and rows[index + 1][1] == pages
        mark = "" if same_page_next or not pages else f" ({page_mark(pages)})"
        written.append(_CLOSED_QUOTE.sub(r"\1", sentence) + f"{mark}.")
    return " ".join(written)


def page_mark(pages: tuple[int, ...]) -> str:
    """
    >>> page_mark((4,)), page_mark((4, 6)), page_mark((2, 4, 6))
    ('p. 4', 'pp. 4 and 6', 'pp. 2–6')
    """
    return f"p. {pages[0]}" if len(pages) == 1 else f"pp. {listing(pages)}" if len(pages) == 2 else f"pp. {pages[0]}–{pages[-1]}"


def capitalised(text: str) -> str:
    """Symbols keep their case: Λ is not λ."""
    return text[:1].upper() + text[1:] if "GREEK" not in unicodedata.name(text[:1] or " ", "") else text
