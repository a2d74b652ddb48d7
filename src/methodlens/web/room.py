"""What there is to see and to decide in the review room. Nothing here knows HTTP."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.exc import DatabaseError

from methodlens.errors import InputError, LedgerError, LedgerLost
from methodlens.evaluation.raters import Cell as Place
from methodlens.evaluation.sampling import Candidate
from methodlens.papers import PaperFile
from methodlens.records import Annotation, Paper, PaperEntry, Question, Status
from methodlens.reports.matrix import numbers
from methodlens.reports.plain import printable
from methodlens.runs import board, overview
from methodlens.runs.ledger import Ledger, Run
from methodlens.runs.measure import RESERVED
from methodlens.runs.sources import files_of
from methodlens.web import cells, queues
from methodlens.web.pictures import picked
from methodlens.web.views import CellView, MatrixView, PaperLine, QuestionHead, QueueView

_DECISIONS = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})


class NotThere(InputError):
    """No such paper, question or page in this run."""


class Who(Struct, frozen=True):
    """Who looks. Blind: without what the readers and other people said, until this person has decided."""

    name: str = ""
    blind: bool = False


class Decision(Struct, frozen=True):
    paper_sha256: str
    question: str
    status: Status
    answer: str = ""
    note: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    """Sentences picked on the page, as spans of the paper's text."""


class Snapshot(NamedTuple):
    """A run's papers and verdicts, read once for as long as they are the same."""

    stamp: tuple[object, ...]
    entries: Sequence[tuple[PaperEntry, str]]
    cells: Sequence[Candidate]

    @property
    def by_sha256(self) -> dict[str, tuple[PaperEntry, str]]:
        """Of two files that are the same paper, the first."""
        return {pair[0].sha256: pair for pair in reversed(self.entries) if pair[0].sha256}


class Room:
    """Reads the ledger and adds people's words to it. Safe to use from several threads.

    A word is one short transaction of its own: SQLite lets it in between two cells of a run that another process has going,
    so it needs no lock on the ledger, and a run never waits for people.
    """

    def __init__(self, ledger: Ledger, *, run: str = "") -> None:
        self.ledger = ledger
        self._wanted = run
        self._speaking = threading.Lock()
        self._last = ""
        self._snapshot: Snapshot | None = None
        self._files: tuple[str, dict[str, PaperFile]] = ("", {})
        self._papers: dict[tuple[str, str], Paper] = {}

    # --- the run ----------------------------------------------------------------------------------------------------

    def run(self) -> Run | None:
        """The newest, or the one that was asked for; None while there is none."""
        found = [run for run in self.ledger.runs() if run.id.startswith(self._wanted)]
        return found[0] if found else None

    def follow_newest(self) -> None:
        """Something was added here: from now on the run that has it is shown."""
        self._wanted = ""

    def existing_run(self) -> Run:
        run = self.run()
        if run is None:
            raise NotThere("there is no run yet", "add papers first")
        return run

    def seen(self, run: Run) -> Snapshot:
        now = overview.stamp(self.ledger, run)
        known = self._snapshot
        if known is None or known.stamp != now:
            known = Snapshot(now, tuple(self.ledger.entries(run)), tuple(overview.glance(self.ledger, run)))
            self._snapshot = known
        return known

    def matrix(self, who: Who) -> MatrixView:
        run = self.run()
        if run is None:
            return MatrixView("", who.blind, (), (), ())
        seen = self.seen(run)
        said = {(one.paper, one.question): one for one in seen.cells}
        mine = {(one.paper_sha256, one.question): one.status for one in self._words() if one.annotator == who.name}
        entered = {entry.name: entry for entry, _ in seen.entries}
        lines = [_line(entered.get(name) or PaperEntry(name, ""), run, said, mine, who) for name in self.ledger.names(run)]
        heads = [
            QuestionHead(question.id, number, question.title, question.text)
            for question, number in zip(run.questions, numbers(run.questions), strict=True)
        ]
        return MatrixView(run.id, who.blind, run.readers, tuple(heads), tuple(lines))

    def queue(self, queue: queues.Queue, who: Who, *, seed: int) -> QueueView:
        """In blind mode a queue that gives verdicts away becomes the one of cells not yet looked at."""
        if who.blind and queue not in queues.BLIND:
            queue = queues.Queue.UNSEEN
        found, mine = self._queued(queue, who, seed=seed)
        if queue is queues.Queue.UNSEEN:
            found = [place for place in found if place not in mine]
        left = len(found) if queue in queues.WALKED else sum(place not in mine for place in found)
        return QueueView(queue.value, seed, tuple(found), left)

    def after(self, queue: queues.Queue, who: Who, *, seed: int, place: Place) -> Place | None:
        """The next cell of the queue: of most, one on which this person has no word yet, from the beginning again at its end."""
        if who.blind and queue not in queues.BLIND:
            queue = queues.Queue.UNSEEN
        found, mine = self._queued(queue, who, seed=seed)
        at = found.index(place) + 1 if place in found else 0
        if queue in queues.WALKED:
            return found[at] if at < len(found) else None
        return next((one for one in (*found[at:], *found[:at]) if one not in mine and one != place), None)

    def _queued(self, queue: queues.Queue, who: Who, *, seed: int) -> tuple[list[Place], set[Place]]:
        """The cells in order, and those that this person has decided; papers by checksum."""
        run = self.existing_run()
        seen = self.seen(run)
        sha256 = {entry.name: entry.sha256 for entry, _ in seen.entries if entry.sha256}
        names = {sha: entry.name for sha, (entry, _) in seen.by_sha256.items()}
        decided: dict[Place, list[Status]] = {}
        mine: set[Place] = set()
        for one in self._words():
            if one.paper_sha256 in names:
                decided.setdefault((names[one.paper_sha256], one.question), []).append(one.status)
                if one.annotator == who.name:
                    mine.add((one.paper_sha256, one.question))
        found = queues.ordered(queue, seen.cells, decided, seed=seed)
        return list(dict.fromkeys((sha256[one.paper], one.question) for one in found if one.paper in sha256)), mine

    # --- one cell ---------------------------------------------------------------------------------------------------

    def cell(self, sha256: str, question: str, who: Who) -> CellView:
        run, (entry, parser), asked = self._place(sha256, question)
        rows = board.rows_of(self.ledger, run, (entry, parser), asked)
        words = [one for one in self._words(sha256) if one.question == question]
        return cells.view(run, entry, asked, rows, words, self.paper(sha256), name=who.name, blind=who.blind)

    def paper(self, sha256: str) -> Paper:
        """As the run's parser read it; a few are kept, since a person stays with one for a while."""
        _, (entry, parser), _ = self._place(sha256)
        key = (sha256, parser)
        if key not in self._papers:
            if len(self._papers) >= 16:
                self._papers.clear()
            found = self.ledger.paper(sha256, parser)
            self._papers[key] = found or Paper(sha256, parser, entry.status, entry.reason)
        return self._papers[key]

    def file(self, sha256: str) -> PaperFile | None:
        run, (entry, _), _ = self._place(sha256)
        if self._files[0] != run.id or entry.name not in self._files[1]:
            self._files = (run.id, files_of(run))
        return self._files[1].get(entry.name)

    def _place(self, sha256: str, question: str | None = None) -> tuple[Run, tuple[PaperEntry, str], Question]:
        run = self.existing_run()
        paper = self.seen(run).by_sha256.get(sha256)
        if paper is None:
            raise NotThere("there is no such paper in this run", "go back to the matrix")
        asked = next((one for one in run.questions if question in (None, one.id)), None)
        if asked is None:
            raise NotThere("there is no such question in this run", "go back to the matrix")
        return run, paper, asked

    # --- what people say --------------------------------------------------------------------------------------------

    def decide(self, decision: Decision, who: Who) -> Annotation:
        if not who.name:
            raise InputError("nobody has said who decides", "enter your name first")
        if decision.status not in _DECISIONS:
            raise InputError(f"{decision.status.value} is nothing a person can decide", "say reported, not reported or unsure")
        self._place(decision.paper_sha256, decision.question)
        evidence = picked(self.paper(decision.paper_sha256), decision.spans)
        return self._say(
            Annotation(
                decision.paper_sha256,
                decision.question,
                who.name,
                decision.status,
                at="",
                note=printable(decision.note).strip(),
                answer=printable(decision.answer).strip(),
                evidence=evidence,
            )
        )

    def undo(self, who: Who) -> Annotation:
        """Take back this person's last standing word on any paper of the run; the word is given back."""
        papers = self.seen(self.existing_run()).by_sha256
        mine = [one for one in self._words() if one.annotator == who.name and one.paper_sha256 in papers]
        if not mine:
            raise NotThere("there is nothing to undo", "decide something first")
        last = mine[-1]
        self._say(Annotation(last.paper_sha256, last.question, who.name, last.status, at="", undo=True))
        return last

    def said(self, annotator: str = "") -> list[tuple[PaperEntry, Annotation]]:
        """The standing words on this run's papers, oldest first, of one person or of all."""
        run = self.existing_run()
        papers = {sha: entry for sha, (entry, _) in self.seen(run).by_sha256.items()}
        asked = {question.id for question in run.questions}
        return [
            (papers[one.paper_sha256], one)
            for one in self._words()
            if one.paper_sha256 in papers and one.question in asked and annotator in ("", one.annotator)
        ]

    def verdicts(self) -> Sequence[Candidate]:
        return self.seen(self.existing_run()).cells

    def _words(self, sha256: str | None = None) -> Sequence[Annotation]:
        """What a study counted is no person's word."""
        return [one for one in self.ledger.annotations(sha256) if not one.annotator.startswith(RESERVED)]

    def _say(self, word: Annotation) -> Annotation:
        """With the time, which is later than that of any word before it: the last one counts."""
        with self._speaking:
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            while now <= self._last:
                now = datetime.now(UTC).isoformat(timespec="microseconds")
            self._last = now
            timed = replace(word, at=now)
            try:
                self.ledger.keep_annotations([timed])
            except DatabaseError as err:
                raise LedgerError(f"your word could not be kept ({err.orig})", "free some space, then decide again") from err
            except LedgerLost as err:
                raise LedgerLost(f"your word could not be kept: {err.problem}", err.fix) from err
        return timed


def _line(entry: PaperEntry, run: Run, said: dict[Place, Candidate], mine: dict[tuple[str, str], Status], who: Who) -> PaperLine:
    own = tuple(mine.get((entry.sha256, question.id)) for question in run.questions)
    found = [said.get((entry.name, question.id)) for question in run.questions]
    # a blind annotator sees what was decided already, and that a paper could not be read
    seen = [
        one if one and (not who.blind or decided or one.verdict is Status.UNREADABLE) else None
        for one, decided in zip(found, own, strict=True)
    ]
    return PaperLine(
        name=entry.name,
        sha256=entry.sha256,
        title=entry.title,
        year=entry.year,
        status=entry.status,
        reason=entry.reason,
        flags=entry.flags,
        marks=tuple(one.verdict if one else None for one in seen),
        split=tuple(index for index, one in enumerate(seen) if one and one.split),
        mine=own,
    )
