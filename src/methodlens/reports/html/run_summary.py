"""The figures of a whole run, and what one file of its report says of the papers in it."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from methodlens.records import PaperEntry, PaperStatus, Question, Status
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.run_totals import RunTotals
from methodlens.reports.html.script_data import FLAGS
from methodlens.reports.verdict_matrix import question_labels, status_label

Counted = tuple[tuple[Status, int], ...]
Keyed = tuple[tuple[str, PaperEntry], ...]
"""Papers with their keys."""


class QuestionShare(Struct, frozen=True):
    """How the papers that could be read stand on one question."""

    question: Question
    number: str
    counts: Counted
    reported: int
    asked: int

    @property
    def share(self) -> float | None:
        return self.reported / self.asked if self.asked else None


class Flagged(Struct, frozen=True):
    flag: str
    meaning: str
    papers: Keyed
    of: int
    """In the whole run."""


class RunSummary(Struct, frozen=True):
    """Of the whole run; verdicts are those of the lead: the vote, or the only reader."""

    papers: int
    readable: int
    cells: Counted
    asked: int
    questions: tuple[QuestionShare, ...]
    readers: tuple[tuple[str, Counted], ...]
    reasons: tuple[tuple[str, int], ...]
    """'encrypted', 2: why papers could not be read."""
    hidden: int
    again: int
    passages: int
    characters: int
    """What a reader was given for a cell, at the median."""

    @property
    def reported(self) -> int:
        return dict(self.cells).get(Status.REPORTED, 0)

    @property
    def unread(self) -> int:
        return self.papers - self.readable


class PartSummary(Struct, frozen=True):
    """Of the papers in one file."""

    readable: int
    questions: tuple[QuestionShare, ...]
    lines: tuple[tuple[PaperEntry, tuple[Status | None, ...]], ...]
    """The lead's verdicts on each paper."""
    unread: Keyed
    hidden: Keyed
    again: Keyed
    flags: tuple[Flagged, ...]


def summarise(figures: RunTotals) -> RunSummary:
    verdicts = figures.verdicts.get(figures.lead, {})
    every = sum(verdicts.values(), Counter[Status]())
    unread = Counter({status_label(status): count for status, count in figures.states.items() if status is not PaperStatus.OK})
    return RunSummary(
        papers=figures.papers,
        readable=figures.states[PaperStatus.OK],
        cells=_counts(every),
        asked=every.total() - every[Status.UNREADABLE],
        questions=_shares(figures, verdicts),
        readers=tuple((reader, _counts(sum(figures.verdicts[reader].values(), Counter()))) for reader in figures.readers),
        reasons=tuple(unread.most_common()),
        hidden=figures.hidden,
        again=figures.again,
        passages=figures.passages,
        characters=figures.characters,
    )


def summarise_part(part: ReportPart, figures: RunTotals) -> PartSummary:
    keyed = tuple(zip(part.keys, part.papers, strict=True))
    flags = dict.fromkeys(flag for _, entry in keyed for flag in entry.flags)
    unread = tuple((key, entry) for key, entry in keyed if entry.status is not PaperStatus.OK)
    return PartSummary(
        readable=len(keyed) - len(unread),
        questions=_shares(figures, part.counts(figures.lead, figures.questions)),
        lines=tuple(zip(part.papers, part.statuses(figures.lead, len(figures.questions)), strict=True)),
        unread=unread,
        hidden=tuple((key, entry) for key, entry in keyed if entry.hidden),
        again=tuple((key, entry) for key, entry in keyed if entry.duplicate_of),
        flags=tuple(
            Flagged(
                flag,
                FLAGS.get(flag, ""),
                tuple((key, entry) for key, entry in keyed if flag in entry.flags),
                figures.flags[flag],
            )
            for flag in flags
        ),
    )


def _shares(figures: RunTotals, verdicts: Mapping[str, Counter[Status]]) -> tuple[QuestionShare, ...]:
    shares = []
    for number, question in zip(question_labels(figures.questions.values()), figures.questions.values(), strict=True):
        found = verdicts.get(question.id, Counter())
        asked = found.total() - found[Status.UNREADABLE]
        shares.append(QuestionShare(question, number, _counts(found), found[Status.REPORTED], asked))
    return tuple(shares)


def _counts(found: Counter[Status]) -> Counted:
    return tuple((status, found[status]) for status in Status if found[status])
