"""Answers in plain sentences. Every number and name in them is as its quotes print it."""

from collections.abc import Sequence

from methodlens.facts import Findings, catalog, types_of
from methodlens.facts.types import listing
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.records import Hit, Paper, Question
from methodlens.text import page_of

_MOST_PAGES = 5


def reported(question: Question, paper: Paper, chosen: Sequence[CandidateSentence], findings: Findings) -> str:
    """The facts in words where there are any, then the paper's own words."""
    pages = [page_of(paper, candidate.start) for candidate in chosen]
    quotes = [f"“{' '.join(candidate.text.split())}” (p. {page})" for candidate, page in zip(chosen, pages, strict=True)]
    opening, used = _opening(question, findings)
    if opening:
        where = listing(sorted({pages[index] for index in used}))
        return f"{opening} (p. {where}). The paper says: {quotes[0]}."
    return f"The paper says: {quotes[0]}." + "".join(f" It also says: {quote}." for quote in quotes[1:])


def not_reported(question: Question, context: Sequence[Hit]) -> str:
    subject = question.title.lower() if question.title else "an answer to this question"
    pages = sorted(dict.fromkeys(hit.passage.page for hit in context))[:_MOST_PAGES]
    if not pages:
        return f"The paper does not report {subject}; no passage comes near it."
    near = f"the closest passages are on page{'s' if len(pages) > 1 else ''} {listing(pages)}"
    return f"The paper does not report {subject}; {near}."


def _opening(question: Question, findings: Findings) -> tuple[str, set[int]]:
    """A sentence made of the facts, and the quotes that it is from."""
    for fact_type in catalog().values():
        if fact_type.opens_alone and (sentence := fact_type.clause(findings)):
            return sentence, set(range(len(findings.quotes)))
    types = [fact_type for fact_type in types_of(question) if fact_type.phrase]
    clauses = [clause for fact_type in types if (clause := fact_type.clause(findings))]
    sentence = ("; " if any(" and " in clause for clause in clauses) else ", ").join(clauses)
    return sentence[:1].upper() + sentence[1:], {fact.quote for each in types for fact in findings.facts[each.key]}
