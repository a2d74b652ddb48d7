"""The embedded reader: from sentences to an answer with its evidence, by small models and rules. Not a language model."""

from collections.abc import Sequence

from methodlens.facts import data_sha256, find, types_of
from methodlens.readers import general
from methodlens.readers.embedded import answer_text
from methodlens.readers.embedded.candidates import CandidateSentence, candidate_sentences
from methodlens.readers.embedded.probability import p_reported
from methodlens.readers.embedded.selection import choose_quotes, with_sources
from methodlens.readers.embedded.sentence_scores import with_learned_scores
from methodlens.readers.embedded.weights import data_sha256s, load_learned, load_weights
from methodlens.records import Answer, Evidence, Hit, Match, Paper, Question, ReaderInfo
from methodlens.relevance.model import model_sha256
from methodlens.text import places

REVISION = 6
"""Raise it with every change of the rules that can change an answer: answered cells are then asked again."""

SURELY_NOT = 0.2
"""Up to here the answer is "not reported" and quotes nothing, as in verdicts/judge.py."""


class EmbeddedReader:
    """The default reader.

    >>> EmbeddedReader().info.name
    'embedded'
    """

    def __init__(self) -> None:
        fingerprint = f"embedded-r{REVISION}-{data_sha256s()}-{data_sha256()}-{model_sha256()}"
        self.info = ReaderInfo("embedded", f"embedded-{REVISION}", fingerprint, deterministic=True)
        self._weights = load_weights()
        self._learned = load_learned()

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        if not question.signs:  # neither built in nor like a question that is
            return general.read(question, paper, context)
        candidates = candidate_sentences(question, paper, context, self._learned.of(question))
        own = [candidate for candidate in candidates if candidate.own]
        own = with_learned_scores(question, own, self._learned.sentence_model(question))
        return compose(question, paper, context, own, p_reported(question, own, self._weights, self._learned))


def compose(question: Question, paper: Paper, context: Sequence[Hit], own: Sequence[CandidateSentence], p: float) -> Answer:
    """The answer, given the scored sentences about the authors' own work and the probability that the paper reports it."""
    if p <= SURELY_NOT:
        return Answer(answer_text.not_reported(question, context), p_reported=p)
    chosen = choose_quotes(question, own)
    findings = find(types_of(question), [candidate.fact_text for candidate in chosen])
    return Answer(
        answer_text.reported(question, paper, chosen, context, findings),
        evidence=tuple(_evidence(paper, *quote) for quote in with_sources(paper, chosen, findings)),
        facts=findings.values,
        fact_confidence=findings.confidence,
        p_reported=p,
    )


def _evidence(paper: Paper, start: int, end: int, text: str) -> Evidence:
    return Evidence(text, Match.EXACT, start, end, places(paper, start, end))
