"""Answers in plain sentences. Every number and name in them is as its quotes print it."""

import re
from collections.abc import Sequence
from itertools import groupby

from methodlens.facts.types import listing
from methodlens.readers.embedded.clause_choice import choose_clauses
from methodlens.readers.embedded.clauses import joined
from methodlens.readers.embedded.draft import Draft
from methodlens.readers.embedded.fact_sentences import fact_sentences
from methodlens.readers.embedded.word_use import LearnedWordUse, probabilities
from methodlens.readers.embedded.wording import in_third_person, page_mark, with_pages
from methodlens.records import Hit, Question

_MOST_PAGES = 3
_NO_ARTICLE = re.compile(r"(?:[^s]s|ing|(?<!locat)ion|ness|ity)$")  # plurals and mass nouns
_Sentence = tuple[str, tuple[int, ...]]


def reported(draft: Draft, word_use: LearnedWordUse) -> str:
    """The facts in words where there are any, then what else the quotes say on the question, in the paper's order."""
    facts = draft.facts
    steps = [] if any(fact.complete for fact in facts) else _steps(draft, word_use)
    steps = [step for step in steps if not any(fact.is_repeated_by(step[0]) for fact in facts)]
    # a sentence of the paper that has all the values says more than the list of them
    facts = [fact for fact in facts if not any(fact.is_in(step) for step, _ in steps)]
    if not facts and not steps:
        pages = tuple(sorted({page for page in draft.pages if page}))
        mark = f" ({page_mark(pages)})" if pages else ""
        return f"On {_subject(draft.question)}, see the passage{'s' if len(draft.quotes) > 1 else ''} quoted below{mark}."
    # values may be from several pages, which their quotes give; a sentence of the paper has its page
    return with_pages([*((fact, ()) for fact in fact_sentences(facts)), *steps])


def not_reported(question: Question, context: Sequence[Hit]) -> str:
    subject = _subject(question)
    pages = sorted(list(dict.fromkeys(hit.passage.page for hit in context if hit.passage.page))[:_MOST_PAGES])
    if not context:
        return f"The paper does not report {subject}; no passage comes near it."
    if not pages:
        return f"The paper does not report {subject}."
    return f"The paper does not report {subject}; the closest passages are on {_pages(pages)}."


def _subject(question: Question) -> str:
    if not question.title:
        return "an answer to this question"
    title = question.title.lower()
    return title if _NO_ARTICLE.search(title) else f"the {title}"


def _pages(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {listing(pages)}"


def _steps(draft: Draft, word_use: LearnedWordUse) -> list[_Sentence]:
    given = probabilities(draft.clauses, draft.topic, word_use)
    chosen = choose_clauses(draft.clauses, given, draft.facts_text, word_use.of(draft.question))
    rows = groupby((draft.clauses[index] for index in chosen), key=lambda each: each.quote)
    return [(in_third_person(joined([each.clause for each in group])), (draft.pages[quote],)) for quote, group in rows]
