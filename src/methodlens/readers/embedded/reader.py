"""The embedded reader: from sentences to an answer with its evidence, by small models and rules. Not a language model."""

from collections.abc import Sequence

from methodlens.facts import data_sha256
from methodlens.readers import general
from methodlens.readers.embedded import answer_text, weights, word_use
from methodlens.readers.embedded.candidates import candidate_sentences
from methodlens.readers.embedded.draft import Draft
from methodlens.readers.embedded.probability import p_reported
from methodlens.readers.embedded.selection import with_sources
from methodlens.readers.embedded.sentence_scores import with_learned_scores
from methodlens.records import Answer, Evidence, Hit, Paper, Question, ReaderInfo
from methodlens.relevance.model import model_sha256
from methodlens.text import evidence_at

REVISION = 12
"""Raise it with every change of the rules that can change an answer: answered cells are then asked again."""

SURELY_NOT = 0.2
"""Up to here the answer is "not reported" and quotes nothing, as in verdicts/judge.py."""


class EmbeddedReader:
    """The default reader.

    >>> EmbeddedReader().info.name
    'embedded'
    """

    def __init__(self) -> None:
        data = f"{weights.data_sha256()}-{word_use.data_sha256()}-{data_sha256()}-{model_sha256()}"
        self.info = ReaderInfo("embedded", f"embedded-{REVISION}", f"embedded-r{REVISION}-{data}", deterministic=True)
        self._learned = weights.load_learned()
        self._word_use = word_use.load_word_use()

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        if not question.signs:  # neither built in nor like a question that is
            return general.read(question, paper, context)
        learned = self._learned.of(question)
        candidates = candidate_sentences(question, paper, context, learned)
        own = [candidate for candidate in candidates if candidate.own]
        own = with_learned_scores(question, own, self._learned.sentence_model(question))
        return compose(Draft(question, paper, context, own, learned), p_reported(question, own, self._learned), self._word_use)


def compose(draft: Draft, p: float, words: word_use.LearnedWordUse) -> Answer:
    """The answer, given the probability that the paper reports it."""
    if p <= SURELY_NOT:
        return Answer(answer_text.not_reported(draft.question, draft.context), p_reported=p)
    return Answer(
        answer_text.reported(draft, words),
        evidence=tuple(_evidence(draft.paper, *quote) for quote in with_sources(draft.paper, draft.quotes, draft.findings)),
        facts=draft.findings.values,
        fact_confidence=draft.findings.confidence,
        p_reported=p,
    )


def _evidence(paper: Paper, start: int, end: int, text: str) -> Evidence:
    return evidence_at(paper, start, end, text)
