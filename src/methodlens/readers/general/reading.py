"""Read a paper for a question in anybody's words: score its sentences, decide, and quote the best of what was given."""

from collections.abc import Sequence

from methodlens.facts import find
from methodlens.readers.embedded.wording import with_pages
from methodlens.readers.general.absence import is_absent
from methodlens.readers.general.answer import closest_passages, not_reported, reported
from methodlens.readers.general.facts_asked import sentences_with_facts, types_asked_for, weigh_facts
from methodlens.readers.general.quotes import candidate_sentences, choose_quotes, further_quotes, hold_what_is_asked
from methodlens.readers.general.table_values import rows_with_number, states_number, tables_may_state
from methodlens.records import Answer, Evidence, Hit, Paper, Question, SectionKind
from methodlens.relevance.model import load_model
from methodlens.relevance.sentence_table import Chunk, SentenceRow, SentenceTable
from methodlens.text import evidence_at, page_of
from methodlens.text.quotable import Quotable

SURELY_NOT = 0.4
"""Up to here the answer is "not reported", if what was read shows that it is absent."""
NOT_REPORTED = 0.2
"""The highest probability of such an answer, as in verdicts/judge.py."""
SURE = 0.65
"""From here the quotes are an answer; below they are only the closest passages."""
UNSUPPORTED = 0.55
"""The most if no quote holds a value of the form, or the thing, that the question asks for."""
_NOTHING = 0.03
_MOST_PAPERS = 4

_tables: dict[tuple[str, str, int], SentenceTable] = {}


def read(question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
    """The paper as a whole tells how rare a word is and how much better the best sentence is than others; quotes come from the
    context only."""
    table = _table_of(paper)
    if not len(table) or not context:
        return Answer(not_reported(context), p_reported=_NOTHING)
    model = load_model()
    relevance = model.score(question, table)
    candidates = candidate_sentences(relevance, context)
    with_facts = sentences_with_facts(question, relevance, candidates)
    p = weigh_facts(question, model.p_reported(relevance), found=bool(with_facts), in_best=with_facts[:1] == candidates[:1])
    chosen = with_facts or choose_quotes(relevance, context)
    asked = relevance.asked.understanding
    stated = any(states_number(table.rows[number].text, asked) for number in chosen)
    if not stated and (rows := rows_with_number(asked, paper, context)):
        return _answer_from_table(paper, rows, max(p, SURE))
    if stated:  # papers of this kind may rarely report it, but a number next to what is asked for is not silence
        p = max(p, SURELY_NOT)
    elif p <= SURELY_NOT and (not chosen or is_absent(relevance, p)):
        if not tables_may_state(asked, paper, [row.text for row in table.rows]):
            return Answer(not_reported(context), p_reported=_of_absence(p))
        p = max(p, SURELY_NOT)  # nor is a table that names it
    if not chosen:
        return Answer(closest_passages(context), p_reported=min(p, UNSUPPORTED))
    quoted = [table.rows[number] for number in chosen]
    if not with_facts and not hold_what_is_asked(relevance, chosen):
        p = min(p, UNSUPPORTED)
    evidence = tuple(_evidence(paper, row) for row in quoted)
    if p < SURE:
        return Answer(closest_passages(context), evidence=evidence, p_reported=p)
    text = reported(asked, paper, quoted)
    facts = find(types_asked_for(question), [quote.quote for quote in evidence]).values
    further = tuple(_evidence(paper, table.rows[number]) for number in further_quotes(relevance, context, chosen))
    return Answer(text, evidence=(*evidence, *further), facts=facts, p_reported=p)


def _answer_from_table(paper: Paper, rows: Sequence[Quotable], p: float) -> Answer:
    """The rows in words are the answer: a sentence around them would say no more."""
    text = with_pages([(row.text, (page_of(paper, row.start),)) for row in rows])
    return Answer(text, evidence=tuple(evidence_at(paper, *row) for row in rows), p_reported=p)


def _evidence(paper: Paper, row: SentenceRow) -> Evidence:
    return evidence_at(paper, row.start, row.end, paper.text[row.start : row.end])


def _of_absence(p: float) -> float:
    """At most `NOT_REPORTED`, in the same order: a recalibration on decisions of reviewers needs it.

    >>> _of_absence(0.05), _of_absence(SURELY_NOT)
    (0.05, 0.2)
    """
    low = NOT_REPORTED / 2
    return p if p <= low else round(low + (p - low) * (NOT_REPORTED - low) / (SURELY_NOT - low), 4)


def _table_of(paper: Paper) -> SentenceTable:
    """Consecutive questions are about the same paper."""
    key = (paper.sha256, paper.parser, len(paper.text))
    if key not in _tables:
        while len(_tables) >= _MOST_PAPERS:
            _tables.pop(next(iter(_tables)))
        _tables[key] = SentenceTable(_chunks(paper), load_model().encoder)
    return _tables[key]


def _chunks(paper: Paper) -> list[Chunk]:
    """The paragraphs, without the references."""
    regions = [(section.kind, section.start, section.end) for section in paper.sections] or [
        (SectionKind.OTHER, 0, len(paper.text))
    ]
    chunks: list[Chunk] = []
    for kind, start, end in regions:
        at = start
        for line in paper.text[start:end].split("\n") if kind is not SectionKind.REFERENCES else ():
            if line.strip():
                chunks.append(Chunk(at, kind.value, line))
            at += len(line) + 1
    return chunks
