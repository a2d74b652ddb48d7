"""One answer -> one verdict."""

from collections.abc import Sequence

from methodlens.records import Answer, Match, Status, Verdict
from methodlens.verdicts.silence import is_silent

SURELY_REPORTED = 0.6
SURELY_NOT = 0.4
"""Between the two a reader is in doubt, and a person should look."""

_SHOWN = 3  # unsupported claims named in the reason


def judge(answer: Answer, *, question: str = "", context: Sequence[str] = ()) -> Verdict:
    """By the reader's own probability where it gives one, else by what its text says; then the evidence has to hold it.

    `question` and `context`, what it was asked and shown, tell an answer about this paper from one about the field.

    >>> judge(Answer("The context does not say which GPUs were used.")).status
    <Status.NOT_REPORTED: 'not_reported'>
    """
    if not answer.text.strip():
        return Verdict(Status.FAILED, "the answer is empty")
    if answer.p_reported is not None:
        first = _by_probability(answer.p_reported)
    elif is_silent(answer.text, question=question, context=context):
        first = Verdict(Status.NOT_REPORTED, "the answer says so")
    else:
        first = Verdict(Status.REPORTED)
    return _held_by_evidence(answer) if first.status is Status.REPORTED else first


def _by_probability(p: float) -> Verdict:
    if p >= SURELY_REPORTED:
        return Verdict(Status.REPORTED)
    if p <= SURELY_NOT:
        return Verdict(Status.NOT_REPORTED)
    return Verdict(Status.WITHHELD, f"the reader is not sure (p = {p:.2f})")


def _held_by_evidence(answer: Answer) -> Verdict:
    if all(evidence.match is Match.ABSENT for evidence in answer.evidence):
        return Verdict(Status.WITHHELD, "no quote of the answer was found in the paper")
    if answer.unsupported:
        named = ", ".join(answer.unsupported[:_SHOWN]) + (", ..." if len(answer.unsupported) > _SHOWN else "")
        return Verdict(Status.WITHHELD, f"its quotes do not say: {named}")
    return Verdict(Status.REPORTED)
