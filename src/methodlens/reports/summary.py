"""The figures of a whole run: how many papers report what, which could not be read, and what else to know about them."""

from collections import Counter
from statistics import median

from msgspec import Struct

from methodlens.records import PaperEntry, PaperStatus, Question, Status
from methodlens.reports.corpus import CorpusBuilder
from methodlens.reports.flags import FLAGS
from methodlens.reports.matrix import in_words, numbers


class QuestionShare(Struct, frozen=True):
    """How the papers that could be read stand on one question."""

    question: Question
    number: str
    counts: tuple[tuple[Status, int], ...]
    reported: int
    asked: int

    @property
    def share(self) -> float | None:
        return self.reported / self.asked if self.asked else None


class Flagged(Struct, frozen=True):
    flag: str
    meaning: str
    papers: tuple[tuple[str, PaperEntry], ...]
    """With their keys."""


class Summary(Struct, frozen=True):
    papers: int
    readable: int
    cells: tuple[tuple[Status, int], ...]
    """Of the lead: the vote, or the only reader."""
    asked: int
    questions: tuple[QuestionShare, ...]
    unread: tuple[tuple[str, PaperEntry], ...]
    hidden: tuple[tuple[str, PaperEntry], ...]
    again: tuple[tuple[str, PaperEntry], ...]
    flags: tuple[Flagged, ...]
    passages: int
    characters: int
    """What a reader was given for a cell, at the median."""

    @property
    def reasons(self) -> tuple[tuple[str, int], ...]:
        """'encrypted', 2: why papers could not be read."""
        return tuple(Counter(in_words(paper.status) for _, paper in self.unread).most_common())

    @property
    def reported(self) -> int:
        return dict(self.cells).get(Status.REPORTED, 0)


def summarised(corpus: CorpusBuilder) -> Summary:
    statuses = corpus.statuses(corpus.lead)
    keyed = [(corpus.key(paper), entry) for paper, entry in corpus.papers.items()]
    shares = []
    for number, question in zip(numbers(corpus.questions.values()), corpus.questions.values(), strict=True):
        found = [of_paper[question.id] for of_paper in statuses.values() if question.id in of_paper]
        asked = [status for status in found if status is not Status.UNREADABLE]
        shares.append(QuestionShare(question, number, _counts(Counter(found)), asked.count(Status.REPORTED), len(asked)))
    every = Counter(status for of_paper in statuses.values() for status in of_paper.values())
    flags = dict.fromkeys(flag for _, entry in keyed for flag in entry.flags)
    return Summary(
        papers=len(keyed),
        readable=sum(entry.status is PaperStatus.OK for _, entry in keyed),
        cells=_counts(every),
        asked=every.total() - every[Status.UNREADABLE],
        questions=tuple(shares),
        unread=tuple((key, entry) for key, entry in keyed if entry.status is not PaperStatus.OK),
        hidden=tuple((key, entry) for key, entry in keyed if entry.hidden),
        again=tuple((key, entry) for key, entry in keyed if entry.duplicate_of),
        flags=tuple(
            Flagged(flag, FLAGS.get(flag, ""), tuple((key, entry) for key, entry in keyed if flag in entry.flags))
            for flag in flags
        ),
        passages=round(median(count for count, _ in corpus.shown)) if corpus.shown else 0,
        characters=round(median(characters for _, characters in corpus.shown)) if corpus.shown else 0,
    )


def _counts(found: Counter[Status]) -> tuple[tuple[Status, int], ...]:
    return tuple((status, found[status]) for status in Status if found[status])
