"""The readers' verdicts -> one tally. Missing is counted: who failed is neither a yes nor a no, but was asked."""

from collections import Counter
from collections.abc import Mapping

from methodlens.records import Status, Tally, Verdict


def majority(verdicts: Mapping[str, Verdict]) -> Tally:
    """The hard majority of those who decided. A tie, or fewer than half deciding, is withheld: never a coin flip.

    >>> majority({"a": Verdict(Status.REPORTED), "b": Verdict(Status.REPORTED), "c": Verdict(Status.FAILED)}).status
    <Status.REPORTED: 'reported'>
    """
    votes = {reader: verdict.status for reader, verdict in verdicts.items()}
    status, reason = _decide(Counter(votes.values()), asked=len(votes))
    return Tally(status=status, votes=votes, rule="majority", reason=reason)


def _decide(count: Counter[Status], asked: int) -> tuple[Status, str]:
    if not asked:
        return Status.WITHHELD, "no reader was asked"
    if count[Status.UNREADABLE] == asked:
        return Status.UNREADABLE, "the paper cannot be read"
    if count[Status.FAILED] + count[Status.UNREADABLE] == asked:
        return Status.FAILED, "every reader failed"
    yes, no = count[Status.REPORTED], count[Status.NOT_REPORTED]
    if 2 * (yes + no) < asked:
        return Status.WITHHELD, f"only {yes + no} of {asked} readers decided"
    if yes == no:
        return Status.WITHHELD, f"a tie, {yes} to {no}"
    return (Status.REPORTED if yes > no else Status.NOT_REPORTED), f"{max(yes, no)} of {asked} readers"
