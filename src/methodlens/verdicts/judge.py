"""Turn an answer into a verdict."""

from collections.abc import Sequence

from methodlens.records import Answer, Match, Status, Verdict
from methodlens.verdicts.silence import is_silent

MIN_P_REPORTED = 0.65
MAX_P_NOT_REPORTED = 0.2
"""Between the two the verdict is withheld: a person should look. With the embedded reader that is one cell in nine, chosen so
that the others agree best with careful readers of unseen papers (docs/explanation/model-card.md)."""

_MAX_NAMED_CLAIMS = 3


def judge(answer: Answer, *, question: str = "", context: Sequence[str] = ()) -> Verdict:
    """Use the reader's probability if it gives one, else the text of the answer. A reported answer also needs evidence.

    `question` and `context` (the passages that the reader was given) help to detect answers that are not about this paper.

    >>> judge(Answer("The context does not say which GPUs were used.")).status
    <Status.NOT_REPORTED: 'not_reported'>
    """
    if not answer.text.strip():
        return Verdict(Status.FAILED, "the answer is empty")
    if answer.p_reported is not None:
        verdict = _from_probability(answer.p_reported)
    elif is_silent(answer.text, question=question, context=context):
        verdict = Verdict(Status.NOT_REPORTED, "the answer says that the paper does not report it")
    else:
        verdict = Verdict(Status.REPORTED)
    return _check_evidence(answer) if verdict.status is Status.REPORTED else verdict


def _from_probability(p: float) -> Verdict:
    if p >= MIN_P_REPORTED:
        return Verdict(Status.REPORTED)
    if p <= MAX_P_NOT_REPORTED:
        return Verdict(Status.NOT_REPORTED)
    return Verdict(Status.WITHHELD, f"the reader is not sure (p = {p:.2f})")


def _check_evidence(answer: Answer) -> Verdict:
    pictures = dict.fromkeys(evidence.picture for evidence in answer.evidence if evidence.picture)
    if pictures and (answer.unsupported or all(evidence.match is Match.ABSENT for evidence in answer.evidence)):
        return Verdict(Status.WITHHELD, f"read from {' and '.join(pictures)}, which a person should check")
    if all(evidence.match is Match.ABSENT for evidence in answer.evidence):
        return Verdict(Status.WITHHELD, "no quote of the answer was found in the paper")
    if answer.unsupported:
        more = ", ..." if len(answer.unsupported) > _MAX_NAMED_CLAIMS else ""
        claims = ", ".join(answer.unsupported[:_MAX_NAMED_CLAIMS]) + more
        return Verdict(Status.WITHHELD, f"its quotes do not say: {claims}")
    return Verdict(Status.REPORTED)
