"""The readers' verdicts -> one tally. Missing is counted: who failed is neither a yes nor a no, but was asked.

Whatever the rule: a tie, or too few who decided, is withheld, never a coin flip; and a tally keeps every reader's verdict.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from methodlens.errors import SettingsError
from methodlens.records import Status, Tally, Verdict
from methodlens.seams import VotingRule

MAJORITY = "majority"
UNANIMOUS = "unanimous"
_WEIGHTED = "weighted:"
_K_OF_N = re.compile(r"(\d{1,3})-of-(\d{1,3})")
_FORMS = "it is majority, unanimous, K-of-N such as 2-of-3, or weighted:READER=2,READER=1"
_Votes = Mapping[str, Status]


def majority(verdicts: Mapping[str, Verdict]) -> Tally:
    """The hard majority of those who decided; at least half must have.

    >>> majority({"a": Verdict(Status.REPORTED), "b": Verdict(Status.REPORTED), "c": Verdict(Status.FAILED)}).status
    <Status.REPORTED: 'reported'>
    """
    return _tally(verdicts, MAJORITY, lambda votes: _heavier(votes, dict.fromkeys(votes, Fraction(1))))


def unanimous(verdicts: Mapping[str, Verdict]) -> Tally:
    """All who answered say the same. One who is in doubt, or says otherwise, and it is withheld."""
    return _tally(verdicts, UNANIMOUS, _agreed)


class KOfN(Struct, frozen=True):
    """Reported when k of the n readers say so, not reported when too many say no for that; else withheld."""

    k: int
    n: int

    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally:
        return _tally(verdicts, f"{self.k}-of-{self.n}", self._reached)

    def _reached(self, votes: _Votes) -> tuple[Status, str]:
        count = Counter(votes.values())
        yes, no = count[Status.REPORTED], count[Status.NOT_REPORTED]
        if yes >= self.k:
            return Status.REPORTED, f"{yes} of {self.n} readers"
        if no > self.n - self.k:
            return Status.NOT_REPORTED, f"{no} of {self.n} readers"
        return Status.WITHHELD, f"{yes} of {self.n} readers say yes, {no} no: neither is enough"


class Weighted(Struct, frozen=True):
    """The heavier side of those who decided; they must have half of all the weight. A reader that is not named weighs 1."""

    weights: Mapping[str, Fraction]

    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally:
        named = ",".join(f"{reader}={_number(weight)}" for reader, weight in self.weights.items())
        weights = {reader: self.weights.get(reader, Fraction(1)) for reader in verdicts}
        return _tally(verdicts, _WEIGHTED + named, lambda votes: _heavier(votes, weights))


def voting_rule(text: str, readers: Sequence[str] = ()) -> VotingRule:
    """The rule that is written so; if `readers` are named, one that fits them. Raises SettingsError with what can be written."""
    rule = _parsed(text.strip())
    if isinstance(rule, KOfN) and readers and rule.n != len(readers):
        raise SettingsError(f"vote {text!r} is for {rule.n} readers, and there are {len(readers)}", _FORMS)
    strangers = set(rule.weights) - set(readers) if isinstance(rule, Weighted) and readers else ()
    if strangers:
        raise SettingsError(
            f"vote {text!r} weighs {', '.join(sorted(strangers))}, who is not asked", f"the readers are: {', '.join(readers)}"
        )
    return rule


def _parsed(text: str) -> VotingRule:
    if text in (MAJORITY, UNANIMOUS):
        return majority if text == MAJORITY else unanimous
    if match := _K_OF_N.fullmatch(text):
        k, n = int(match[1]), int(match[2])
        if 1 <= k <= n:
            return KOfN(k, n)
        raise SettingsError(f"vote {text!r} can never be reached", f"in K-of-N, K is from 1 to {n}")
    if text.startswith(_WEIGHTED):
        pairs = [pair.strip().rpartition("=") for pair in text.removeprefix(_WEIGHTED).split(",")]
        weights = {reader.strip(): _weight(number) for reader, _, number in pairs}
        if len(weights) == len(pairs) and all(reader and weight for reader, weight in weights.items()):
            return Weighted({reader: weight for reader, weight in weights.items() if weight})
        raise SettingsError(f"vote {text!r} has a weight that is no number above 0, or names a reader twice", _FORMS)
    raise SettingsError(f"vote {text!r} is no rule", _FORMS)


def _weight(text: str) -> Fraction | None:
    """A fraction, since 0.1 + 0.2 against 0.3 must be a tie."""
    return Fraction(text.strip()) if re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", text) else None


def _number(weight: Fraction) -> str:
    return f"{float(weight):g}"


# --- what the rules share -------------------------------------------------------------------------------------------


def _tally(verdicts: Mapping[str, Verdict], rule: str, decide: Callable[[_Votes], tuple[Status, str]]) -> Tally:
    votes = {reader: verdict.status for reader, verdict in verdicts.items()}
    count = Counter(votes.values())
    if not votes:
        status, reason = Status.WITHHELD, "no reader was asked"
    elif count[Status.UNREADABLE] == len(votes):
        status, reason = Status.UNREADABLE, "the paper cannot be read"
    elif count[Status.FAILED] + count[Status.UNREADABLE] == len(votes):
        status, reason = Status.FAILED, "every reader failed"
    else:
        status, reason = decide(votes)
    return Tally(status=status, votes=votes, rule=rule, reason=reason)


def _heavier(votes: _Votes, weights: Mapping[str, Fraction]) -> tuple[Status, str]:
    yes, no = (_together(votes, weights, side) for side in (Status.REPORTED, Status.NOT_REPORTED))
    asked = sum(weights.values(), Fraction(0))
    of_all = f"{_number(asked)} readers" if asked == len(votes) else f"{_number(asked)} in weight"
    if 2 * (yes + no) < asked:
        return Status.WITHHELD, f"only {_number(yes + no)} of {of_all} decided"
    if yes == no:
        return Status.WITHHELD, f"a tie, {_number(yes)} to {_number(no)}"
    return (Status.REPORTED if yes > no else Status.NOT_REPORTED), f"{_number(max(yes, no))} of {of_all}"


def _together(votes: _Votes, weights: Mapping[str, Fraction], side: Status) -> Fraction:
    return sum((weights[reader] for reader, status in votes.items() if status is side), Fraction(0))


def _agreed(votes: _Votes) -> tuple[Status, str]:
    present = [status for status in votes.values() if status not in (Status.FAILED, Status.UNREADABLE)]
    if 2 * len(present) < len(votes):
        return Status.WITHHELD, f"only {len(present)} of {len(votes)} readers answered"
    if len(set(present)) > 1 or present[0].reported is None:
        return Status.WITHHELD, "not all readers say the same"
    return present[0], f"all {len(present)} readers that answered"
