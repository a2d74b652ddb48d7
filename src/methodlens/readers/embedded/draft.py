"""What an answer is written from: the quotes, the facts in them, and their clauses."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from methodlens.facts import FactType, Findings, PaperFacts, deciding_type, find, types_of
from methodlens.readers.embedded.candidates import CandidateSentence, further_sentences, title_span
from methodlens.readers.embedded.citations import without_note_marks
from methodlens.readers.embedded.clauses import Clause, Role, clauses, needs_the_clause_before, refers_back
from methodlens.readers.embedded.fact_sentences import FactPhrase, fact_phrases, fact_sentences
from methodlens.readers.embedded.readable_part import readable_part
from methodlens.readers.embedded.selection import choose_quotes
from methodlens.readers.embedded.tidying import tidy
from methodlens.readers.embedded.weights import NOTHING_LEARNED, LearnedQuestion
from methodlens.readers.embedded.word_use import QuotedClause, Topic, topic
from methodlens.records import Hit, Paper, Question
from methodlens.text import page_of, sentences

_GAP = 3  # characters between neighbouring sentences


class Draft:
    """`own` are the scored sentences about the authors' own work, at least one. Properties are computed when asked for."""

    def __init__(
        self,
        question: Question,
        paper: Paper,
        context: Sequence[Hit],
        own: Sequence[CandidateSentence],
        learned: LearnedQuestion = NOTHING_LEARNED,
    ) -> None:
        self.question, self.paper, self.context, self.own, self.learned = question, paper, context, own, learned

    @cached_property
    def _in_paper(self) -> Mapping[str, PaperFacts]:
        """What the whole paper says, by the key of the fact type."""
        return {each.key: each.in_paper(self.paper) for each in types_of(self.question) if each.in_paper}

    @cached_property
    def types(self) -> tuple[FactType, ...]:
        """Of the question's facts, with extractors that know this paper."""
        known = self._in_paper
        return tuple(
            replace(each, extract=known[each.key].extract) if each.key in known else each for each in types_of(self.question)
        )

    @cached_property
    def quotes(self) -> list[CandidateSentence]:
        """Best first."""
        title = title_span(self.paper) if deciding_type(self.question).in_title else None
        also = [one for one in self.own if (one.start, one.end) == title]
        named = self._in_paper.get(deciding_type(self.question).key)
        further = further_sentences(self.paper, named.places, self.own) if named else ()
        patient = named is not None and named.context_first
        return choose_quotes(self.question, self.own, also=also, further=further, context_first=patient, types=self.types)

    @cached_property
    def pages(self) -> list[int]:
        """Of the quotes."""
        return [page_of(self.paper, quote.start) for quote in self.quotes]

    @cached_property
    def findings(self) -> Findings:
        return find(self.types, [quote.fact_text for quote in self.quotes])

    @cached_property
    def facts(self) -> list[FactPhrase]:
        return fact_phrases(self.question, self.findings)

    @cached_property
    def facts_text(self) -> str:
        return " ".join(fact_sentences(self.facts))

    @cached_property
    def clauses(self) -> list[QuotedClause]:
        """Of the quotes that are sentences or the title, in the paper's order."""
        found: list[QuotedClause] = []
        previous_end, title = -1, title_span(self.paper)
        for index in sorted(range(len(self.quotes)), key=lambda index: self.quotes[index].start):
            quote = self.quotes[index]
            printed = self.paper.text[quote.start : quote.end] == quote.text  # a row of a table is not quoted as printed
            text = readable_part(tidy(without_note_marks(self.paper, quote.start, quote.end) if printed else quote.text))
            if (quote.start, quote.end) == title:
                name = Clause(f'the paper is titled "{" ".join(quote.text.split())}"', Role.MAIN)
                found.append(QuotedClause(name, index, last_resort=True))
            if not text:
                continue
            follows = 0 <= quote.start - previous_end <= _GAP and bool(found)
            previous_end = quote.end
            for position, clause in enumerate(clauses(text)):
                pointing = needs_the_clause_before(clause.text) if position else refers_back(clause.text)
                opens = clause.role is not Role.MAIN or not pointing
                found.append(QuotedClause(clause, index, opens=opens, continues=follows or position > 0))
        return found

    @cached_property
    def topic(self) -> Topic:
        spans = (sentences(self.paper.text, hit.passage.start, hit.passage.end) for hit in self.context)
        return topic(
            self.question,
            self.quotes,
            title=self.paper.title,
            text=self.paper.text,
            context=[self.paper.text[start:end] for rows in spans for start, end in rows],
            facts=" ".join(f"{fact.printed} {fact.value}" for facts in self.findings.facts.values() for fact in facts),
            learned=self.learned,
        )
