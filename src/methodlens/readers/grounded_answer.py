"""From what a model replied to an Answer: quotes are located in the paper, and claims without support are listed."""

from collections.abc import Sequence
from functools import cache

from methodlens.readers.calls import Asked
from methodlens.readers.crops import Crop
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.grounding import find_support, locate_quote, unsupported_claims
from methodlens.readers.meaning import unsupported_statements
from methodlens.readers.replies import ModelAnswer
from methodlens.records import Answer, Evidence, Hit, Match, Paper, Place, Question, Usage

_SURE = 0.8


def grounded_answer(
    asked: Asked, answer: ModelAnswer, *, raw: str, verdict: bool | None, usage: Usage, seen: Sequence[Crop] = ()
) -> Answer:
    """`seen` are the tables and figures whose pictures the model was shown."""
    question, paper, context = asked
    evidence = _located(answer, paper, seen) or find_support(answer.text, paper, context, question=question.text)
    return Answer(
        text=answer.text,
        evidence=evidence if answer.reported else (),
        unsupported=_unsupported(answer.text, evidence, question) if answer.reported else (),
        contradiction=_contradiction(question, paper, context),
        raw=raw,
        tokens=usage.tokens_in + usage.tokens_out,
        says_reported=verdict,
        usage=usage,
    )


def _located(answer: ModelAnswer, paper: Paper, seen: Sequence[Crop]) -> tuple[Evidence, ...]:
    crops = {crop.label.lower(): crop for crop in seen}
    labels = answer.pictures or ("",) * len(answer.quotes)
    return tuple(
        _in_picture(locate_quote(quote, paper), crops.get(label.lower()))
        for quote, label in zip(answer.quotes, labels, strict=True)
    )


def _in_picture(evidence: Evidence, crop: Crop | None) -> Evidence:
    """A quote that is not in the text gets the place of the picture; it stays absent, so it supports nothing."""
    if crop is None or evidence.match is not Match.ABSENT:
        return evidence
    return Evidence(evidence.quote, Match.ABSENT, places=(Place(crop.page, (crop.box,)),), picture=crop.label)


def _unsupported(text: str, evidence: Sequence[Evidence], question: Question) -> tuple[str, ...]:
    located = [item.quote for item in evidence if item.match is not Match.ABSENT]
    claims = unsupported_claims(text, evidence, question=question.text)
    return claims or (unsupported_statements(text, located, question) if located else ())


def _contradiction(question: Question, paper: Paper, context: Sequence[Hit]) -> str:
    """The sentence in which the embedded reader is sure to have found a value: a model's "not reported" then needs a look."""
    found = embedded_reader().read(question, paper, context)
    sure = found.p_reported is not None and found.p_reported >= _SURE and any(found.facts.values())
    return found.evidence[0].quote if sure and found.evidence else ""


@cache
def embedded_reader() -> EmbeddedReader:
    return EmbeddedReader()
