"""Answers in plain sentences. Every number and name in them is as its quotes print it."""

import re
from collections.abc import Sequence
from itertools import groupby

from methodlens.facts import Findings
from methodlens.facts.types import listing
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.clause_choice import QuotedClause, choose_clauses, topic
from methodlens.readers.embedded.clauses import Role, clauses, joined, needs_the_clause_before, refers_back
from methodlens.readers.embedded.fact_sentences import fact_phrases, fact_sentences
from methodlens.readers.embedded.tidying import is_sentence, tidy
from methodlens.readers.embedded.wording import in_third_person, page_mark, with_pages
from methodlens.records import Hit, Paper, Question
from methodlens.text import page_of, sentences

_MOST_PAGES = 3
_NO_ARTICLE = re.compile(r"(?:[^s]s|ing|(?<!locat)ion|ness|ity)$")  # plurals and mass nouns
_GAP = 3  # characters between neighbouring sentences
_Sentence = tuple[str, tuple[int, ...]]


def reported(
    question: Question, paper: Paper, chosen: Sequence[CandidateSentence], context: Sequence[Hit], findings: Findings
) -> str:
    """The facts in words where there are any, then what else the quotes say on the question, in the paper's order."""
    pages = [page_of(paper, candidate.start) for candidate in chosen]
    facts = fact_phrases(question, pages, findings)
    said = " ".join(sentence for sentence, _ in fact_sentences(facts))
    steps = [] if any(fact.complete for fact in facts) else _steps(question, paper, chosen, context, said, findings)
    steps = [step for step in steps if not any(fact.is_repeated_by(step[0]) for fact in facts)]
    # a sentence of the paper that has all the values says more than the list of them
    facts = [fact for fact in facts if not any(fact.is_in(step) for step, _ in steps)]
    if not facts and not steps:
        mark = page_mark(tuple(sorted(set(pages))))
        return f"On {_subject(question)}, see the passage{'s' if len(chosen) > 1 else ''} quoted below ({mark})."
    return with_pages([*fact_sentences(facts), *steps])


def not_reported(question: Question, context: Sequence[Hit]) -> str:
    subject = _subject(question)
    pages = sorted(list(dict.fromkeys(hit.passage.page for hit in context))[:_MOST_PAGES])
    if not pages:
        return f"The paper does not report {subject}; no passage comes near it."
    return f"The paper does not report {subject}; the closest passages are on {_pages(pages)}."


def _subject(question: Question) -> str:
    if not question.title:
        return "an answer to this question"
    title = question.title.lower()
    return title if _NO_ARTICLE.search(title) else f"the {title}"


def _pages(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {listing(pages)}"


def _steps(
    question: Question, paper: Paper, chosen: Sequence[CandidateSentence], context: Sequence[Hit], said: str, findings: Findings
) -> list[_Sentence]:
    candidates: list[QuotedClause] = []
    ordered = sorted(range(len(chosen)), key=lambda index: chosen[index].start)
    best = max(candidate.learned_score for candidate in chosen)
    previous_end = -1
    for index in ordered:
        quote = chosen[index]
        follows = 0 <= quote.start - previous_end <= _GAP and bool(candidates)
        text = tidy(quote.text)
        if not is_sentence(text):
            continue
        previous_end = quote.end
        for position, clause in enumerate(clauses(text)):
            pointing = needs_the_clause_before(clause.text) if position else refers_back(clause.text)
            opens = clause.role is not Role.MAIN or not pointing
            behind = best - quote.learned_score
            candidates.append(QuotedClause(clause, index, behind, opens, continues=follows or position > 0))
    if not candidates:
        return []
    spans = [paper.text[a:b] for hit in context for a, b in sentences(paper.text, hit.passage.start, hit.passage.end)]
    about = topic(question, findings.quotes, spans, _values(findings))
    kept = [candidates[index] for index in choose_clauses(candidates, about, said)]
    rows = [(quote, [each.clause for each in group]) for quote, group in groupby(kept, key=lambda each: each.quote)]
    return [(in_third_person(joined(group)), (page_of(paper, chosen[quote].start),)) for quote, group in rows]


def _values(findings: Findings) -> str:
    return " ".join(f"{fact.printed} {fact.value}" for facts in findings.facts.values() for fact in facts)
