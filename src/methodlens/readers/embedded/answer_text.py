"""Answers in plain sentences. Every number and name in them is as its quotes print it."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from methodlens.facts import Findings, types_of
from methodlens.facts.types import Fact, listing, spelling
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.clause_choice import QuotedClause, choose_clauses, stems, topic
from methodlens.readers.embedded.clauses import Role, clauses, joined, refers_back
from methodlens.readers.embedded.tidying import is_sentence, tidy
from methodlens.readers.embedded.wording import in_third_person, page_mark, with_pages
from methodlens.records import Hit, Paper, Question
from methodlens.text import page_of, sentences

_MOST_PAGES = 3
_NO_ARTICLE = ("s", "ing", "ion", "ness", "ity")  # plurals and mass nouns
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_GAP = 3  # characters between neighbouring sentences
_Sentence = tuple[str, tuple[int, ...]]


def reported(
    question: Question, paper: Paper, chosen: Sequence[CandidateSentence], context: Sequence[Hit], findings: Findings
) -> str:
    """The facts in words where there are any, then what else the quotes say on the question, in the paper's order."""
    pages = [page_of(paper, candidate.start) for candidate in chosen]
    facts = _fact_sentences(question, pages, findings)
    said = " ".join(fact.text for fact in facts)
    steps = [] if any(fact.complete for fact in facts) else _steps(question, paper, chosen, context, said, findings)
    steps = [step for step in steps if not any(_repeats(step[0], fact) for fact in facts)]
    # a sentence of the paper that has all the values says more than the list of them
    kept = [fact for fact in facts if not any(_has_all(step, fact.values) for step, _ in steps)]
    if not facts and not steps:
        mark = page_mark(tuple(sorted(set(pages))))
        return f"On {_subject(question)}, see the passage{'s' if len(chosen) > 1 else ''} quoted below ({mark})."
    return with_pages([*((fact.text, fact.pages) for fact in kept), *steps])


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
    return title if title.endswith(_NO_ARTICLE) else f"the {title}"


def _pages(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {listing(pages)}"


class _FactSentence(Struct, frozen=True):
    text: str
    pages: tuple[int, ...]
    values: frozenset[str]
    """The stems of the values in it."""
    preferred: bool
    """To a sentence of the paper that only repeats it."""
    complete: bool
    """Nothing else needs to be said."""


def _fact_sentences(question: Question, pages: Sequence[int], findings: Findings) -> list[_FactSentence]:
    """One sentence per type, or per opening that several types share."""
    types = [(each, clause) for each in types_of(question) if (clause := each.clause(findings))]
    alone = [(each, clause) for each, clause in types if each.opens_alone][:1]
    written: list[_FactSentence] = []
    for opening, group in groupby(alone or types, key=lambda row: row[0].opening or row[0].key):
        rows = list(group)
        phrases = [clause for _, clause in rows]
        facts = [fact for each, _ in rows for fact in findings.facts[each.key]]
        written.append(
            _FactSentence(
                f"{opening} {_series(phrases)}" if rows[0][0].opening else phrases[0],
                tuple(sorted({pages[fact.quote] for fact in facts})),
                stems(" ".join(_value(fact, phrases[0]) for fact in facts)),
                preferred=bool(alone),
                complete=rows[0][0].key.endswith(("_urls", "_hosts")),
            )
        )
    return written


def _value(fact: Fact, phrase: str) -> str:
    if isinstance(fact.value, Mapping):
        name = fact.printed or str(fact.value.get("name", ""))
        # of "NVIDIA GeForce GTX 1070", papers often print only the last part
        return " ".join(word for word in name.split() if _NUMBER.search(word)) or name or " ".join(_NUMBER.findall(phrase))
    return spelling(fact)


def _repeats(step: str, fact: _FactSentence) -> bool:
    return fact.preferred and _has_all(step, fact.values) and set(_NUMBER.findall(step)) <= set(_NUMBER.findall(fact.text))


def _has_all(step: str, values: frozenset[str]) -> bool:
    """ "zooming" has "zoom", and "rotations" has "rotation"."""
    words = stems(step)
    return all(value in words or any(word.startswith(value) for word in words) for value in values)


def _series(phrases: Sequence[str]) -> str:
    """A list whose items may contain "and"."""
    if len(phrases) > 1 and any(" and " in phrase for phrase in phrases):
        return f"{', '.join(phrases[:-1])}, and {phrases[-1]}"
    return listing(phrases)


def _steps(
    question: Question, paper: Paper, chosen: Sequence[CandidateSentence], context: Sequence[Hit], said: str, findings: Findings
) -> list[_Sentence]:
    candidates: list[QuotedClause] = []
    ordered = sorted(range(len(chosen)), key=lambda index: chosen[index].start)
    previous_end = -1
    for index in ordered:
        quote = chosen[index]
        follows = 0 <= quote.start - previous_end <= _GAP and bool(candidates)
        text = tidy(quote.text)
        if not is_sentence(text):
            continue
        previous_end = quote.end
        for position, clause in enumerate(clauses(text)):
            opens = not (clause.role is Role.MAIN and refers_back(clause.text)) or (follows and position == 0)
            candidates.append(QuotedClause(clause, index, opens))
    if not candidates:
        return []
    spans = [paper.text[a:b] for hit in context for a, b in sentences(paper.text, hit.passage.start, hit.passage.end)]
    about = topic(question, findings.quotes, spans, _values(findings))
    kept = [candidates[index] for index in choose_clauses(candidates, about, said)]
    rows = [(quote, [each.clause for each in group]) for quote, group in groupby(kept, key=lambda each: each.quote)]
    return [(in_third_person(joined(group)), (page_of(paper, chosen[quote].start),)) for quote, group in rows]


def _values(findings: Findings) -> str:
    return " ".join(f"{fact.printed} {fact.value}" for facts in findings.facts.values() for fact in facts)
