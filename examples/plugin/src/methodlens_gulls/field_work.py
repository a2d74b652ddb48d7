"""A fact type, a question set that uses it, and a reader that answers questions by their facts."""

import re
from collections.abc import Sequence
from pathlib import Path

from methodlens import Answer, FactType, Hit, Paper, Question, ReaderInfo, locate_quote
from methodlens.facts import find, from_each_quote, one_or_list, types_of
from methodlens.facts.numbers import tidy
from methodlens.text import sentences

QUESTIONS = Path(__file__).with_name("gulls.toml")

_WALK = re.compile(r"\bwalk(?:ed)?\b.{0,40}?\b(\d+(?:\.\d+)?)\s*(?:km|kilomet(?:re|er)s?)\b", re.IGNORECASE)


def walk_km(quote: str) -> list[int | float]:
    """
    >>> walk_km("Volunteers walked a path of 12 kilometres around the harbour.")
    [12]
    """
    return [tidy(float(match[1])) for match in _WALK.finditer(quote)]


WALK_KM = FactType(
    key="walk_km",
    label="survey walk",
    unit="km",
    extract=from_each_quote(walk_km),
    merge=one_or_list,
    phrase=("the survey walk was {} km long", "the survey walks were {} km long"),
)


class FactReader:
    """Quotes the sentences that hold a fact of the question. `gulls:N` quotes at most N sentences."""

    def __init__(self, argument: str = "") -> None:
        self._max_quotes = int(argument or 3)
        # workers create the reader again by this name; change the fingerprint when the same input could give another answer
        name = f"gulls:{argument}" if argument else "gulls"
        self.info = ReaderInfo(name, model="facts", fingerprint=f"gulls-1-{self._max_quotes}", deterministic=True)

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        types = types_of(question)
        spans = [span for hit in context for span in sentences(paper.text, hit.passage.start, hit.passage.end)]
        candidates = dict.fromkeys(paper.text[start:end] for start, end in spans)  # each once, best first
        quotes = [quote for quote in candidates if any(find(types, [quote]).facts.values())][: self._max_quotes]
        if not quotes:
            return Answer("The paper does not report it.", p_reported=0.05)  # an empty text would count as a failure
        findings = find(types, quotes)
        text = "; ".join(filter(None, (each.clause(findings) for each in types))) or quotes[0].rstrip(".")
        evidence = tuple(locate_quote(quote, paper) for quote in quotes)
        return Answer(f"{text[:1].upper()}{text[1:]}.", evidence, findings.values, p_reported=0.95)
