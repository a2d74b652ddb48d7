"""Combine the verdicts of several readers into one.

A failed reader counts neither as yes nor as no, but it counts as asked. With every built-in rule a tie or too few decisions
are withheld, and the tally keeps the verdict of every reader.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from methodlens import plugins
from methodlens.errors import SettingsError
from methodlens.records import Status, Tally, Verdict
from methodlens.seams import VotingRule

MAJORITY = "majority"
UNANIMOUS = "unanimous"
_WEIGHTED = "weighted:"
_K_OF_N = re.compile(r"(\d{1,3})-of-(\d{1,3})")
_Votes = Mapping[str, Status]


def majority(verdicts: Mapping[str, Verdict]) -> Tally:
    """The majority of the readers that decided; withheld if fewer than half of the readers did.

    >>> majority({"a": Verdict(Status.REPORTED), "b": Verdict(Status.REPORTED), "c": Verdict(Status.FAILED)}).status
    <Status.REPORTED: 'reported'>
    """
    return _tally(verdicts, MAJORITY, lambda votes: _heavier_side(votes, dict.fromkeys(votes, Fraction(1))))


def unanimous(verdicts: Mapping[str, Verdict]) -> Tally:
    """The verdict of all readers that answered; withheld if one of them differs or is unsure."""
    return _tally(verdicts, UNANIMOUS, _common_verdict)


class KOfN(Struct, frozen=True):
    """Reported if k of the n readers say so, not reported if so many say no that k cannot be reached; else withheld."""

    k: int
    n: int

    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally:
        return _tally(verdicts, f"{self.k}-of-{self.n}", self._decide)

    def _decide(self, votes: _Votes) -> tuple[Status, str]:
        count = Counter(votes.values())
        yes, no = count[Status.REPORTED], count[Status.NOT_REPORTED]
        if yes >= self.k:
            return Status.REPORTED, f"{yes} of {self.n} readers"
        if no > self.n - self.k:
            return Status.NOT_REPORTED, f"{no} of {self.n} readers"
        return Status.WITHHELD, f"{yes} of {self.n} readers say yes, {no} no: neither is enough"


class Weighted(Struct, frozen=True):
    """The heavier side of the readers that decided; withheld if they have less than half of the total weight.

    Readers without a weight have weight 1.
    """

    weights: Mapping[str, Fraction]

    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally:
        rule = _WEIGHTED + ",".join(f"{reader}={_number(weight)}" for reader, weight in self.weights.items())
        weights = {reader: self.weights.get(reader, Fraction(1)) for reader in verdicts}
        return _tally(verdicts, rule, lambda votes: _heavier_side(votes, weights))


def voting_rule(rule: str | VotingRule, readers: Sequence[str] = ()) -> VotingRule:
    """Parse a rule such as `majority` or `2-of-3`, and check that it fits the `readers`, if given.

    Rules of installed packages (entry points of the group `methodlens.voting_rules`) are written `NAME` or `NAME:ARGUMENT`;
    their factory is called with the argument and the readers. A VotingRule object is returned unchanged.
    Raises SettingsError if the rule is unknown or does not fit.
    """
    if not isinstance(rule, str):
        return rule
    parsed = _built_in(rule.strip()) or _installed(rule.strip(), readers)
    if isinstance(parsed, KOfN) and readers and parsed.n != len(readers):
        raise SettingsError(f"vote {rule!r} is for {parsed.n} readers, but there are {len(readers)}", _known_rules())
    unknown = sorted(set(parsed.weights) - set(readers)) if isinstance(parsed, Weighted) and readers else ()
    if unknown:
        raise SettingsError(f"vote {rule!r} has a weight for unknown readers: {', '.join(unknown)}", f"use {', '.join(readers)}")
    return parsed


def _known_rules() -> str:
    return ", ".join(
        ["use majority", "unanimous", "K-of-N such as 2-of-3", *plugins.names("voting_rules"), "or weighted:READER=2,READER=1"]
    )


def _built_in(text: str) -> VotingRule | None:
    if text in (MAJORITY, UNANIMOUS):
        return majority if text == MAJORITY else unanimous
    if match := _K_OF_N.fullmatch(text):
        k, n = int(match[1]), int(match[2])
        if 1 <= k <= n:
            return KOfN(k, n)
        raise SettingsError(f"vote {text!r} can never be reached", f"use a K from 1 to {n}")
    if text.startswith(_WEIGHTED):
        pairs = [pair.strip().rpartition("=") for pair in text.removeprefix(_WEIGHTED).split(",")]
        weights = {reader.strip(): _weight(number) for reader, _, number in pairs}
        if len(weights) == len(pairs) and all(reader and weight for reader, weight in weights.items()):
            return Weighted({reader: weight for reader, weight in weights.items() if weight})
        raise SettingsError(f"vote {text!r} has a weight that is not a positive number, or a duplicate reader", _known_rules())
    return None


def _installed(text: str, readers: Sequence[str]) -> VotingRule:
    name, _, argument = text.partition(":")
    rule: VotingRule | None = plugins.create("voting_rules", name, argument, readers)
    if rule is None:
        raise SettingsError(f"unknown voting rule {text!r}", _known_rules())
    return rule


def _weight(text: str) -> Fraction | None:
    """A fraction: 0.1 + 0.2 against 0.3 must be a tie."""
    return Fraction(text.strip()) if re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", text) else None


def _number(weight: Fraction) -> str:
    return f"{float(weight):g}"


# --- shared by the rules --------------------------------------------------------------------------------------------


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


def _heavier_side(votes: _Votes, weights: Mapping[str, Fraction]) -> tuple[Status, str]:
    yes, no = (_weight_of(side, votes, weights) for side in (Status.REPORTED, Status.NOT_REPORTED))
    total = sum(weights.values(), Fraction(0))
    of_all = f"{_number(total)} readers" if total == len(votes) else f"{_number(total)} in weight"
    if 2 * (yes + no) < total:
        return Status.WITHHELD, f"only {_number(yes + no)} of {of_all} decided"
    if yes == no:
        return Status.WITHHELD, f"a tie, {_number(yes)} to {_number(no)}"
    return (Status.REPORTED if yes > no else Status.NOT_REPORTED), f"{_number(max(yes, no))} of {of_all}"


def _weight_of(side: Status, votes: _Votes, weights: Mapping[str, Fraction]) -> Fraction:
    return sum((weights[reader] for reader, status in votes.items() if status is side), Fraction(0))


def _common_verdict(votes: _Votes) -> tuple[Status, str]:
    answered = [status for status in votes.values() if status not in (Status.FAILED, Status.UNREADABLE)]
    if 2 * len(answered) < len(votes):
        return Status.WITHHELD, f"only {len(answered)} of {len(votes)} readers answered"
    if len(set(answered)) > 1 or answered[0].reported is None:
        return Status.WITHHELD, "not all readers say the same"
    return answered[0], f"all {len(answered)} readers that answered"
