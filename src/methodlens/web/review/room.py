"""What there is to see and to decide in the review room. Nothing here knows HTTP, and nothing holds the whole run."""

import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.exc import DatabaseError

from methodlens.errors import InputError, LedgerError, LedgerLost
from methodlens.evaluation.raters import Cell as Place
from methodlens.ledger import rows as board
from methodlens.ledger.annotations import RESERVED
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.listing import PAGE
from methodlens.papers import PaperFile, locate
from methodlens.records import Annotation, Paper, PaperEntry, Question, Status
from methodlens.text.printable import printable
from methodlens.web.review import agreement_view as agreement
from methodlens.web.review import cell_view as cells
from methodlens.web.review import matrix_view as matrix
from methodlens.web.review import run_order as order
from methodlens.web.review.annotation_index import Word, Words
from methodlens.web.review.page_view import picked
from methodlens.web.review.queue_index import Survey
from methodlens.web.review.queues import BLIND, MOST, WALKED, Asked, Queue
from methodlens.web.views import AgreementView, CellView, MatrixView, QueueView

_DECISIONS = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})
_HEX = frozenset("0123456789abcdef")
_PAPERS_KEPT = 16
_FILES_KEPT = 500


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
        self._words = Words(ledger)
        self._survey = Survey(ledger)
        self._page = 0  # where somebody was last
        self._files: OrderedDict[tuple[str, str], PaperFile | None] = OrderedDict()
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

    def matrix(self, who: Who, *, page: int = 1, find: str = "") -> MatrixView:
        """A page of the papers, from 1; or, of the papers from that page on, those that have `find` in their name or title."""
        run = self.run()
        if run is None:
            return matrix.nothing(blind=who.blind)
        if page > order.pages(run):
            raise NotThere(f"there is no page {page}", f"this run has {order.pages(run)}")
        return matrix.view(self.ledger, run, matrix.Part(page - 1, find), self._words.of(who.name), blind=who.blind)

    def page_with(self, sha256: str) -> int:
        """From 1: the page of the matrix that has the paper."""
        run, (entry, _), _ = self._place(sha256)
        return self._page_of(run, entry.name) + 1

    def _page_of(self, run: Run, name: str) -> int:
        guess = min(self._page, order.pages(run) - 1)
        self._page = order.page_of(self.ledger, run, name, guess=guess)
        return self._page

    # --- queues -----------------------------------------------------------------------------------------------------

    def queue(self, queue: Queue, who: Who, *, seed: int) -> QueueView:
        """In blind mode a queue that gives verdicts away becomes the one of cells not yet looked at."""
        (found,) = self.queues([queue], who, seed=seed)
        return found

    def queues(self, wanted: Sequence[Queue], who: Who, *, seed: int) -> list[QueueView]:
        """The beginning of each, a few hundred cells at most, and how many wait in all."""
        run = self.existing_run()
        done = self._words.of(who.name).keys()
        asked = [_asked(queue, who, seed=seed) for queue in wanted]
        found = []
        for one, window in zip(asked, self._survey.windows(run, asked, done), strict=True):
            places: list[Place] = list(window.places)
            left = window.waiting
            if one.queue is Queue.DISAGREEMENTS:
                differing = self._survey.contradictions(run, self._people())
                merged = sorted([*zip(window.keys, window.places, strict=True), *differing])
                places, left = [place for _, place in merged[:MOST]], left + len(differing)
            elif one.queue not in WALKED:
                left = self._survey.left(run, one.queue, window, done)
                places = [place for place in places if place not in done or one.queue is Queue.RANDOM]
            found.append(QueueView(one.queue.value, seed, tuple(places), left))
        return found

    def after(self, queue: Queue, who: Who, *, seed: int, place: Place) -> Place | None:
        """The next cell of the queue: of most, one on which this person has no word yet, from the beginning again at its end."""
        run = self.existing_run()
        asked = _asked(queue, who, seed=seed)
        if asked.queue is Queue.ALL:
            there = self.ledger.entries_of(run, [place[0]]).get(place[0])
            return order.following(self.ledger, run, place, page=self._page_of(run, there[0].name) if there else 0)
        if asked.queue is Queue.DISAGREEMENTS:
            return self._survey.next_disagreement(run, asked, place, self._people())
        return self._survey.following(run, asked, place, self._words.of(who.name).keys())

    def _people(self) -> dict[Place, list[Status]]:
        people: dict[Place, list[Status]] = {}
        for word in self._words.all():
            people.setdefault(word.place, []).append(word.status)
        return people

    # --- one cell ---------------------------------------------------------------------------------------------------

    def cell(self, sha256: str, question: str, who: Who) -> CellView:
        run, (entry, parser), asked = self._place(sha256, question)
        rows = board.rows_of(self.ledger, run, (entry, parser), asked)
        said = self.ledger.annotations(sha256)
        words = [one for one in said if one.question == question and not one.annotator.startswith(RESERVED)]
        return cells.view(run, entry, asked, rows, words, self.paper(sha256), name=who.name, blind=who.blind)

    def paper(self, sha256: str) -> Paper:
        """As the run's parser read it; a few are kept, since a person stays with one for a while."""
        _, (entry, parser), _ = self._place(sha256)
        key = (sha256, parser)
        if (kept := self._papers.get(key)) is not None:
            return kept
        found = self.ledger.paper(sha256, parser) or Paper(sha256, parser, entry.status, entry.reason)
        if len(self._papers) >= _PAPERS_KEPT:
            self._papers.clear()
        self._papers[key] = found
        return found

    def file(self, sha256: str) -> PaperFile | None:
        run, (entry, _), _ = self._place(sha256)
        key = (run.id, entry.name)
        if self._files.get(key) is None:
            self._files[key] = locate(run.sources, entry.name)
            while len(self._files) > _FILES_KEPT:
                self._files.popitem(last=False)
        return self._files[key]

    def _place(self, sha256: str, question: str | None = None) -> tuple[Run, tuple[PaperEntry, str], Question]:
        run = self.existing_run()
        # what cannot be a checksum is not asked for: PostgreSQL minds some characters
        paper = self.ledger.entries_of(run, [sha256]).get(sha256) if _HEX.issuperset(sha256) else None
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
        run = self.existing_run()
        mine = (word for word in reversed(self._words.all()) if word.annotator == who.name)
        while some := list(itertools.islice(mine, PAGE)):
            there = self.ledger.entries_of(run, {word.place[0] for word in some})
            for last in self._words.whole([word for word in some if word.place[0] in there][:1]):
                self._say(Annotation(last.paper_sha256, last.question, who.name, last.status, at="", undo=True))
                return last
        raise NotThere("there is nothing to undo", "decide something first")

    def said(self, annotator: str = "") -> Iterator[tuple[PaperEntry, Annotation]]:
        """The standing words on this run's papers, oldest first, of one person or of all; a page at a time."""
        run = self.existing_run()
        asked = {question.id for question in run.questions}
        words = [one for one in self._words.all() if one.place[1] in asked and annotator in ("", one.annotator)]
        return self._on_papers(run, words)

    def _on_papers(self, run: Run, words: list[Word]) -> Iterator[tuple[PaperEntry, Annotation]]:
        for start in range(0, len(words), PAGE):
            some = words[start : start + PAGE]
            papers = self.ledger.entries_of(run, {word.place[0] for word in some})
            for word in self._words.whole([word for word in some if word.place[0] in papers]):
                yield papers[word.paper_sha256][0], word

    def agreement(self) -> AgreementView:
        run = self.existing_run()
        words = self._words.all()
        there = self._survey.cells(run, (word.place for word in words))
        return agreement.agreement([word for word in words if word.place in there], there)

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


def offered(who: Who) -> tuple[Queue, ...]:
    return BLIND if who.blind else (Queue.WITHHELD, Queue.DISAGREEMENTS, Queue.RANDOM, Queue.UNSEEN)


def _asked(queue: Queue, who: Who, *, seed: int) -> Asked:
    """Only draws depend on the seed, and only what is skipped on the person."""
    if who.blind and queue not in BLIND:
        queue = Queue.UNSEEN
    return Asked(
        queue,
        seed if queue in (Queue.RANDOM, Queue.UNSEEN) else 0,
        "" if queue in WALKED or queue is Queue.RANDOM else who.name,
    )
