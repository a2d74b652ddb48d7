"""The review room: what reviewers can see and annotate. Knows nothing of HTTP and never holds a whole run in memory."""

import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from cachetools import LRUCache, cachedmethod
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.exc import DatabaseError

from methodlens.errors import InputError, LedgerError, LedgerLost
from methodlens.ledger import run_rows
from methodlens.ledger.annotations import RESERVED
from methodlens.ledger.listing import PAGE
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import PaperFile, locate
from methodlens.records import Annotation, ContentRef, Paper, PaperEntry, Question, Status
from methodlens.text.printable import printable
from methodlens.web.review import run_order
from methodlens.web.review.agreement_view import AgreementView, agreement_view
from methodlens.web.review.annotation_index import AnnotationIndex
from methodlens.web.review.cell_view import CellView, cell_view
from methodlens.web.review.matrix_view import MatrixView, empty_matrix, matrix_view
from methodlens.web.review.page_view import picked_evidence
from methodlens.web.review.queue_index import QueueIndex
from methodlens.web.review.queues import BLIND, MOST, WALKED, Queue, QueueView, WindowRequest

_ANNOTATABLE = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})
_HEX = frozenset("0123456789abcdef")
_CACHED_PAPERS = 16
_CACHED_FILES = 500
START = ContentRef("", "")
"""Before the first cell of a queue."""


class NotInRun(InputError):
    """The run has no such paper, question or page."""


class Reviewer(Struct, frozen=True):
    """A blind reviewer sees verdicts and other people's annotations on a cell only after annotating it."""

    name: str = ""
    blind: bool = False

    @property
    def queues(self) -> tuple[Queue, ...]:
        return BLIND if self.blind else (Queue.WITHHELD, Queue.DISAGREEMENTS, Queue.RANDOM, Queue.UNSEEN)


class Room:
    """Reads the ledger and adds annotations to it. Thread-safe.

    Saving an annotation is one short transaction, which SQLite admits between two cells of a run in another process: it needs
    no lock on the ledger, and a run never waits for reviewers.
    """

    def __init__(self, ledger: Ledger, *, run: str = "") -> None:
        self.ledger = ledger
        self._run_prefix = run
        self._save_lock = threading.Lock()
        self._last_saved = ""
        self._annotations = AnnotationIndex(ledger)
        self._queues = QueueIndex(ledger)
        self._last_page = 0
        self._cache_lock = threading.Lock()
        self._files: LRUCache[tuple[str, str], PaperFile] = LRUCache(_CACHED_FILES)
        self._papers: LRUCache[tuple[str, str], Paper] = LRUCache(_CACHED_PAPERS)
        self._seen: set[tuple[str, ContentRef]] = set()  # cells whose verdict was shown, by reviewer
        self._seen_all: set[str] = set()  # reviewers who were shown verdicts of many cells

    # --- the run ----------------------------------------------------------------------------------------------------

    def run(self) -> Run | None:
        """The requested run, or the newest; None if there is none yet."""
        return next((run for run in self.ledger.runs() if run.id.startswith(self._run_prefix)), None)

    def follow_newest(self) -> None:
        """Show the newest run from now on, because papers or questions are being added to it."""
        self._run_prefix = ""

    def existing_run(self) -> Run:
        run = self.run()
        if run is None:
            raise NotInRun("there is no run yet", "add papers first")
        return run

    def has_paper(self, name: str) -> bool:
        run = self.run()
        return run is not None and name in self.ledger.names(run)

    def matrix(self, reviewer: Reviewer, *, page: int = 1, find: str = "") -> MatrixView:
        """One page of the papers, counted from 1; or the papers from that page on with `find` in their name or title."""
        run = self.run()
        if run is None:
            return empty_matrix(blind=reviewer.blind)
        if page > run_order.page_count(run):
            raise NotInRun(f"there is no page {page}", f"this run has {run_order.page_count(run)}")
        self.saw_verdicts(reviewer)
        mine = self._annotations.statuses(reviewer.name)
        return matrix_view(self.ledger, run, mine, page=page - 1, find=find, blind=reviewer.blind)

    def saw_verdicts(self, reviewer: Reviewer) -> None:
        """Remember that verdicts of many cells are being shown: from now on the reviewer's decisions are not blind."""
        if not reviewer.blind:
            self._seen_all.add(reviewer.name)

    def matrix_page_of(self, sha256: str) -> int:
        """The page of the matrix with this paper, counted from 1."""
        run, (entry, _), _ = self._look_up(sha256)
        return self._page_of(run, entry.name) + 1

    def _page_of(self, run: Run, name: str) -> int:
        guess = min(self._last_page, run_order.page_count(run) - 1)
        self._last_page = run_order.page_of(self.ledger, run, name, guess=guess)
        return self._last_page

    # --- queues -----------------------------------------------------------------------------------------------------

    def queue(self, queue: Queue, reviewer: Reviewer, *, seed: int) -> QueueView:
        """A blind reviewer gets the queue of unseen cells in place of a queue that reveals verdicts."""
        (view,) = self.queues([queue], reviewer, seed=seed)
        return view

    def queues(self, queues: Sequence[Queue], reviewer: Reviewer, *, seed: int) -> list[QueueView]:
        run = self.existing_run()
        done = self._annotations.statuses(reviewer.name).keys()
        requests = [_window_request(queue, reviewer, seed=seed) for queue in queues]
        views = []
        for request, window in zip(requests, self._queues.windows(run, requests, done), strict=True):
            refs, left = list(window.refs), window.waiting
            if request.queue is Queue.DISAGREEMENTS:
                contradictions = self._queues.contradictions(run, self._statuses())
                merged = sorted([*zip(window.keys, window.refs, strict=True), *contradictions])
                refs, left = [ref for _, ref in merged[:MOST]], left + len(contradictions)
            elif request.queue not in WALKED:
                left = self._queues.left(run, request.queue, window, done)
                refs = [ref for ref in refs if ref not in done or request.queue is Queue.RANDOM]
            views.append(QueueView(request.queue.value, seed, tuple(refs), left))
        return views

    def next_cell(self, queue: Queue, reviewer: Reviewer, *, seed: int, after: ContentRef = START) -> ContentRef | None:
        """The next cell of the queue. Most queues skip annotated cells and start again at the beginning when they end."""
        run = self.existing_run()
        request = _window_request(queue, reviewer, seed=seed)
        if request.queue is Queue.ALL:
            listed = self.ledger.entries_of(run, [after.paper_sha256]).get(after.paper_sha256)
            return run_order.next_cell(self.ledger, run, after, page=self._page_of(run, listed[0].name) if listed else 0)
        if request.queue is Queue.DISAGREEMENTS:
            return self._queues.next_disagreement(run, request, after, self._statuses())
        return self._queues.next_cell(run, request, after, self._annotations.statuses(reviewer.name).keys())

    def _statuses(self) -> dict[ContentRef, list[Status]]:
        statuses: dict[ContentRef, list[Status]] = {}
        for annotation in self._annotations.all():
            statuses.setdefault(annotation.ref, []).append(annotation.status)
        return statuses

    # --- one cell ---------------------------------------------------------------------------------------------------

    def cell(self, sha256: str, question_id: str, reviewer: Reviewer) -> CellView:
        run, (entry, parser), question = self._look_up(sha256, question_id)
        rows = run_rows.rows_of(self.ledger, run, (entry, parser), question)
        annotations = [
            annotation
            for annotation in self.ledger.annotations(sha256)
            if annotation.question == question_id and not annotation.annotator.startswith(RESERVED)
        ]
        paper = self._paper(entry, parser)
        view = cell_view(run, entry, question, rows, annotations, paper, reviewer=reviewer.name, blind=reviewer.blind)
        if not view.hidden:
            self._seen.add((reviewer.name, ContentRef(sha256, question_id)))
        return view

    def paper(self, sha256: str) -> Paper:
        """As the run's parser read it."""
        _, (entry, parser), _ = self._look_up(sha256)
        return self._paper(entry, parser)

    @cachedmethod(
        lambda self: self._papers,
        key=lambda _self, entry, parser: (entry.sha256, parser),
        lock=lambda self: self._cache_lock,
    )
    def _paper(self, entry: PaperEntry, parser: str) -> Paper:
        return self.ledger.paper(entry.sha256, parser) or Paper(entry.sha256, parser, entry.status, entry.reason)

    def file(self, sha256: str) -> PaperFile | None:
        run, (entry, _), _ = self._look_up(sha256)
        key = (run.id, entry.name)
        with self._cache_lock:
            file = self._files.get(key)
        if file is None and (file := locate(run.sources, entry.name)):  # a missing file may come back: not cached
            with self._cache_lock:
                self._files[key] = file
        return file

    def _look_up(self, sha256: str, question_id: str | None = None) -> tuple[Run, tuple[PaperEntry, str], Question]:
        run = self.existing_run()
        # PostgreSQL rejects some characters, so only what can be a checksum is queried
        paper = self.ledger.entries_of(run, [sha256]).get(sha256) if _HEX.issuperset(sha256) else None
        if paper is None:
            raise NotInRun("there is no such paper in this run", "go back to the matrix")
        question = next((question for question in run.questions if question_id in (None, question.id)), None)
        if question is None:
            raise NotInRun("there is no such question in this run", "go back to the matrix")
        return run, paper, question

    # --- annotations ------------------------------------------------------------------------------------------------

    def annotate(self, annotation: Annotation, reviewer: Reviewer, *, spans: Iterable[tuple[int, int]] = ()) -> Annotation:
        """Save an annotation in the reviewer's name with the current time, and whether it was given blind. `spans` of the
        paper's text are the sentences picked as evidence."""
        annotation = replace(annotation, annotator=reviewer.name)
        if not annotation.annotator:
            raise InputError("your decision was not saved because you have not given a name", "enter your name first")
        if annotation.status not in _ANNOTATABLE:
            raise InputError(f"{annotation.status.value} is not a decision", "choose reported, not reported or unsure")
        _, (entry, parser), _ = self._look_up(annotation.paper_sha256, annotation.question)
        evidence = picked_evidence(self._paper(entry, parser), spans)
        note, answer = printable(annotation.note).strip(), printable(annotation.answer).strip()
        blind = reviewer.blind and not self._has_seen(reviewer, ContentRef(annotation.paper_sha256, annotation.question))
        return self._save(replace(annotation, note=note, answer=answer, evidence=evidence, blind=blind))

    def _has_seen(self, reviewer: Reviewer, ref: ContentRef) -> bool:
        """A decision reveals the verdict, even if it is withdrawn. Other looks are remembered until the room closes."""
        seen = reviewer.name in self._seen_all or (reviewer.name, ref) in self._seen
        return seen or self._annotations.has_annotated(reviewer.name, ref)

    def undo(self, reviewer: Reviewer) -> Annotation:
        """Withdraw and return the reviewer's last annotation on any paper of the run."""
        run = self.existing_run()
        mine = (annotation for annotation in reversed(self._annotations.all()) if annotation.annotator == reviewer.name)
        while page := list(itertools.islice(mine, PAGE)):
            papers = self.ledger.entries_of(run, {annotation.ref.paper_sha256 for annotation in page})
            in_run = [annotation for annotation in page if annotation.ref.paper_sha256 in papers]
            for last in self._annotations.load(in_run[:1]):
                self._save(Annotation(last.paper_sha256, last.question, reviewer.name, last.status, at="", undo=True))
                return last
        raise NotInRun("there is nothing to undo", "decide a cell first")

    def annotations(self, reviewer: Reviewer, annotator: str = "") -> Iterator[tuple[PaperEntry, Annotation]]:
        """The current annotations on this run, oldest first, by one annotator or by all; a blind reviewer gets only their own.
        Reads one page at a time."""
        run = self.existing_run()
        if reviewer.blind:
            annotator = reviewer.name
            if not annotator:
                return
        questions = {question.id for question in run.questions}
        current = (summary for summary in self._annotations.all() if summary.ref.question in questions)
        wanted = (summary for summary in current if annotator in ("", summary.annotator))
        while page := list(itertools.islice(wanted, PAGE)):
            papers = self.ledger.entries_of(run, {summary.ref.paper_sha256 for summary in page})
            for annotation in self._annotations.load([summary for summary in page if summary.ref.paper_sha256 in papers]):
                yield papers[annotation.paper_sha256][0], annotation

    def agreement(self, reviewer: Reviewer) -> AgreementView:
        run = self.existing_run()
        if reviewer.blind:
            raise InputError("agreement figures reveal other people's decisions and the verdicts", "leave blind mode first")
        self.saw_verdicts(reviewer)
        annotations = self._annotations.all()
        cells = self._queues.cells(run, (annotation.ref for annotation in annotations))
        return agreement_view([annotation for annotation in annotations if annotation.ref in cells], cells)

    def _save(self, annotation: Annotation) -> Annotation:
        """With the current time. Times never repeat, because the last annotation counts."""
        with self._save_lock:
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            while now <= self._last_saved:
                now = datetime.now(UTC).isoformat(timespec="microseconds")
            self._last_saved = now
            saved = replace(annotation, at=now)
            try:
                self.ledger.keep_annotations([saved])
            except DatabaseError as err:
                raise LedgerError(f"your decision was not saved ({err.orig})", "free some disk space, then decide again") from err
            except LedgerLost as err:
                raise LedgerLost(f"your decision was not saved: {err.problem}", err.fix) from err
        return saved


def _window_request(queue: Queue, reviewer: Reviewer, *, seed: int) -> WindowRequest:
    """Leaves out a seed or reviewer on which the window does not depend, so that requests share it."""
    if reviewer.blind and queue not in BLIND:
        queue = Queue.UNSEEN
    return WindowRequest(
        queue,
        seed if queue in (Queue.RANDOM, Queue.UNSEEN) else 0,
        "" if queue in WALKED or queue is Queue.RANDOM else reviewer.name,
    )
