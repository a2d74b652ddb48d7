"""An answer in one to three plain sentences with page numbers. Every word of it stands in the quotes."""

import re
from collections.abc import Sequence

from methodlens.facts.types import listing
from methodlens.readers.embedded.clauses import Role, clauses, joined
from methodlens.readers.embedded.tidying import tidy
from methodlens.readers.embedded.wording import in_third_person, with_pages
from methodlens.records import AnswerForm, Hit, Paper
from methodlens.relevance.forms import values
from methodlens.relevance.sentence_table import SentenceRow
from methodlens.relevance.understanding import Understanding
from methodlens.text import page_of, words
from methodlens.text.stems import stem

_MOST_PAGES = 3
_LONGEST_ANSWER = 3  # sentences
_NEGATED = re.compile(
    r"\b(?:no|not|never|neither|nor|without|none|waived|waiver|exempt(?:ed)?|unnecessary|lack(?:s|ed)?)\b|n['’]t\b", re.IGNORECASE
)


def reported(asked: Understanding, paper: Paper, quoted: Sequence[SentenceRow]) -> str:
    """What the quotes say on the question, best first. A yes-or-no question is answered with yes or no."""
    wanted = {stem(word) for word in (*asked.words, *asked.examples)}
    said: list[tuple[str, tuple[int, ...]]] = []
    for row in quoted[:_LONGEST_ANSWER]:
        text = _relevant_part(tidy(row.text), asked.form, wanted)
        if text and not any(text in other for other, _ in said):
            said.append((in_third_person(text), (page_of(paper, row.start),)))
    if not said:
        pages = sorted({page_of(paper, row.start) for row in quoted} - {0})
        return f"See the passage{'s' if len(quoted) > 1 else ''} quoted{f' from {_pages(pages)}' if pages else ''}."
    text = with_pages(said)
    if asked.form is AnswerForm.YES_NO:
        return f"{'No' if _NEGATED.search(said[0][0]) else 'Yes'}. {text}"
    return text


def not_reported(context: Sequence[Hit]) -> str:
    pages = _closest(context)
    if not context:
        return "The paper does not report an answer to this question; no passage comes near it."
    if not pages:
        return "The paper does not report an answer to this question."
    return f"The paper does not report an answer to this question; the closest passages are on {_pages(pages)}."


def closest_passages(context: Sequence[Hit]) -> str:
    pages = _closest(context)
    where = f"; the closest passages are on {_pages(pages)}" if pages else ""
    return f"The paper does not clearly answer this question{where}."


def _relevant_part(sentence: str, form: AnswerForm, wanted: set[str]) -> str:
    """The clauses with a value of the form or with words of the question; the whole sentence if none has both."""
    parts = clauses(sentence)
    fitting = [part for part in parts if {stem(word) for word in words(part.text)} & wanted]
    valued = [part for part in fitting if values(part.text, form)]
    kept = valued or fitting
    if not any(part.role is Role.MAIN for part in kept):
        return sentence.rstrip(".").strip()
    first = next(number for number, part in enumerate(parts) if part in kept)
    last = max(number for number, part in enumerate(parts) if part in kept)
    return joined(parts[first : last + 1]).strip()


def _closest(context: Sequence[Hit]) -> list[int]:
    return sorted(list(dict.fromkeys(hit.passage.page for hit in context if hit.passage.page))[:_MOST_PAGES])


def _pages(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {listing(pages)}"
