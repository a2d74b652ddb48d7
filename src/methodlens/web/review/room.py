"""The review room: what reviewers can see and annotate. Knows nothing of HTTP and never holds a whole run in memory."""

import itertools
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from methodlens.errors import InputError
from methodlens.facts.shapes import checked_facts
from methodlens.ledger import run_rows
from methodlens.ledger.final_words import human_annotations, is_adjudication, with_final
from methodlens.ledger.listing import PAGE
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.team_members import Role
from methodlens.records import Annotation, ContentRef, PaperEntry, Status
from methodlens.reports.checklists.filled_item import shorten
from methodlens.text.printable import one_line, printable
from methodlens.web.review import run_order
from methodlens.web.review.adjudication import check_adjudication, disputes, may_settle, next_dispute
from methodlens.web.review.agreement_view import AgreementView, agreement_view
from methodlens.web.review.annotation_index import AnnotationIndex
from methodlens.web.review.annotation_writer import AnnotationWriter
from methodlens.web.review.cell_view import CellView, cell_view
from methodlens.web.review.duplicate_index import DuplicateIndex
from methodlens.web.review.learning import LearningView, learn, learning_view, unlearn
from methodlens.web.review.matrix_view import MatrixView, empty_matrix, matrix_view
from methodlens.web.review.page_view import picked_evidence
from methodlens.web.review.progress_view import ProgressView, progress_view
from methodlens.web.review.queue_index import QueueIndex
from methodlens.web.review.queues import (
    BLIND,
    DEFAULT_SEED,
    MEASURED,
    MOST,
    NO_REFS,
    WALKED,
    Queue,
    QueueView,
    WindowRequest,
)
from methodlens.web.review.reviewer import Reviewer
from methodlens.web.review.seen_verdicts import SeenVerdicts
from methodlens.web.review.shown_run import NotInRun, ShownRun, check_page
from methodlens.web.review.table_view import TableView, table_view

_ANNOTATABLE = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})
_SHORT_ANSWER = 160  # characters
_LEARNING_REVEALS = "what would change reveals the verdicts"
START = ContentRef("", "")
"""Before the first cell of a queue."""


class Room(ShownRun):
    """Reads the ledger and adds annotations to it. Thread-safe.

    Saving an annotation is one short transaction, which SQLite admits between two cells of a run in another process: it needs
    no lock on the ledger, and a run never waits for reviewers.
    """

    def __init__(self, ledger: Ledger, *, run: str = "") -> None:
        super().__init__(ledger, run=run)
        self._annotations = AnnotationIndex(ledger)
        self._writer = AnnotationWriter(ledger)
        self._seen = SeenVerdicts(self._annotations)
        self._queues = QueueIndex(ledger)
        self._duplicates = DuplicateIndex(ledger)

    # --- the run ----------------------------------------------------------------------------------------------------

    def matrix(self, reviewer: Reviewer, *, page: int = 1, find: str = "") -> MatrixView:
        """One page of the papers, counted from 1; or the papers from that page on with `find` in their name or title."""
        run = self.run()
        if run is None:
            return empty_matrix(blind=reviewer.blind)
        check_page(run, page)
        self._seen.add_many(reviewer)
        mine, settled = self._annotations.of(reviewer.name), self._annotations.settlements()
        duplicates = self._duplicates.originals(run)
        return matrix_view(self.ledger, run, mine, settled, page=page - 1, find=find, blind=reviewer.blind, duplicates=duplicates)

    def short_answers(self, sha256: str, reviewer: Reviewer) -> dict[str, str]:
        """The final answer to each question about a paper, in a line; a blind reviewer gets those of annotated cells."""
        run, paper, _ = self.look_up(sha256)
        self._seen.add_many(reviewer)
        mine = self._annotations.of(reviewer.name)
        rows = (row for row in with_final(self.ledger, run_rows.rows_of_paper(self.ledger, run, paper)) if row.final)
        shown = (row for row in rows if not reviewer.blind or ContentRef(sha256, row.question.id) in mine)
        return {row.question.id: shorten(printable(row.cell.answer.text), _SHORT_ANSWER) for row in shown}

    def table(self, reviewer: Reviewer, *, page: int = 1) -> TableView:
        """One page of the wide table, counted from 1."""
        reviewer.refuse_blind("the table shows the verdicts")
        run = self.existing_run()
        check_page(run, page)
        self._seen.add_many(reviewer)
        return table_view(self.ledger, run, page=page)

    def run_to_export(self, reviewer: Reviewer) -> Run:
        reviewer.refuse_blind("the export contains the readers' answers")
        self._seen.add_many(reviewer)
        return self.existing_run()

    # --- queues -----------------------------------------------------------------------------------------------------

    def queue(self, queue: Queue, reviewer: Reviewer, *, seed: int) -> QueueView:
        """A blind reviewer gets the queue of unseen cells in place of a queue that reveals verdicts."""
        (view,) = self.queues([queue], reviewer, seed=seed)
        return view

    def queues(self, queues: Sequence[Queue], reviewer: Reviewer, *, seed: int) -> list[QueueView]:
        run = self.existing_run()
        done = self._annotations.statuses(reviewer.name).keys()
        requests = [reviewer.window(queue, seed=seed) for queue in queues]
        windowed = [request for request in requests if request.queue is not Queue.ADJUDICATE]
        views = {}
        for request, window in zip(windowed, self._queues.windows(run, windowed, done), strict=True):
            refs, left = list(window.refs), window.waiting
            if request.queue is Queue.DISAGREEMENTS:
                contradictions = self._queues.contradictions(run, self._statuses())
                merged = sorted([*zip(window.keys, window.refs, strict=True), *contradictions])
                refs, left = [ref for _, ref in merged[:MOST]], left + len(contradictions)
            elif request.queue not in WALKED:
                left = self._queues.left(run, request.queue, window, done)
                refs = [ref for ref in refs if ref not in done or request.queue is Queue.RANDOM]
            views[request] = QueueView(request.queue.value, seed, tuple(refs), left)
        return [views[request] if request in views else self._disputes_view(run, reviewer, seed=seed) for request in requests]

    def next_cell(self, queue: Queue, reviewer: Reviewer, *, seed: int, after: ContentRef = START) -> ContentRef | None:
        """The next cell of the queue. Most queues skip annotated cells and start again at the beginning when they end."""
        run = self.existing_run()
        request = reviewer.window(queue, seed=seed)
        if request.queue is Queue.ALL:
            listed = self.ledger.entries_of(run, [after.paper_sha256]).get(after.paper_sha256)
            return run_order.next_cell(self.ledger, run, after, page=self.page_of(run, listed[0].name) if listed else 0)
        if request.queue is Queue.ADJUDICATE:
            return next_dispute(self._disputes(run, reviewer), after)
        if request.queue is Queue.DISAGREEMENTS:
            return self._queues.next_disagreement(run, request, after, self._statuses())
        return self._queues.next_cell(run, request, after, self._annotations.statuses(reviewer.name).keys())

    def _disputes_view(self, run: Run, reviewer: Reviewer, *, seed: int) -> QueueView:
        cells = self._disputes(run, reviewer)
        return QueueView(Queue.ADJUDICATE.value, seed, tuple(cells[:MOST]), len(cells))

    def _disputes(self, run: Run, reviewer: Reviewer) -> list[ContentRef]:
        if not reviewer.can_adjudicate:
            return []
        cells = disputes(self._annotations.by_cell(), reviewer.name)
        in_run = self._queues.cells(run, cells)
        return [cell for cell in cells if cell in in_run]

    def _statuses(self) -> dict[ContentRef, list[Status]]:
        by_cell = self._annotations.by_cell()
        return {ref: [annotation.status for annotation in annotations] for ref, annotations in by_cell.items()}

    # --- one cell ---------------------------------------------------------------------------------------------------

    def cell(self, sha256: str, question_id: str, reviewer: Reviewer, *, adjudicate: bool = False) -> CellView:
        """`adjudicate`: also show a blind reviewer what others decided, if the reviewer may settle their disagreement."""
        run, (entry, parser), question = self.look_up(sha256, question_id)
        rows = run_rows.rows_of(self.ledger, run, (entry, parser), question)
        annotations = [word for word in human_annotations(self.ledger, sha256) if word.question == question_id]
        entry = replace(entry, duplicate_of=self._duplicates.originals(run).get(entry.name, ""))
        settling = adjudicate and reviewer.can_adjudicate and may_settle(annotations, reviewer.name)
        view = cell_view(
            run,
            entry,
            question,
            rows,
            annotations,
            self.read_paper(entry, parser),
            reviewer=reviewer.name,
            blind=reviewer.blind,
            settling=settling,
        )
        if not view.hidden:
            self._seen.add(reviewer, ContentRef(sha256, question_id))
        return view

    # --- annotations ------------------------------------------------------------------------------------------------

    def annotate(self, annotation: Annotation, reviewer: Reviewer, *, spans: Iterable[tuple[int, int]] = ()) -> Annotation:
        """Save an annotation in the reviewer's name with the current time, and whether it was given blind. `spans` of the
        paper's text are the sentences picked as evidence."""
        reviewer.require(Role.REVIEWER)
        annotation = replace(annotation, annotator=reviewer.name)
        if not annotation.annotator:
            raise InputError("your decision was not saved because you have not given a name", "enter your name first")
        if annotation.status not in _ANNOTATABLE:
            raise InputError(f"{annotation.status.value} is not a decision", "choose reported, not reported or unsure")
        _, (entry, parser), question = self.look_up(annotation.paper_sha256, annotation.question)
        ref = ContentRef(annotation.paper_sha256, annotation.question)
        if annotation.adjudicates:
            reviewer.require(Role.ADJUDICATOR)
            check_adjudication(self._annotations.by_cell().get(ref, ()), reviewer.name)
        evidence = picked_evidence(self.read_paper(entry, parser), spans)
        facts = None if annotation.facts is None else checked_facts(annotation.facts, question)
        note, answer = printable(annotation.note).strip(), printable(annotation.answer).strip()
        tags = tuple(dict.fromkeys(tag for text in annotation.tags if (tag := one_line(text).strip())))
        blind = reviewer.blind and not annotation.adjudicates and not self._seen.has_seen(reviewer, ref)
        details = {"note": note, "answer": answer, "evidence": evidence, "facts": facts, "blind": blind, "tags": tags}
        return self._writer.save(replace(annotation, **details))

    def undo(self, reviewer: Reviewer) -> Annotation:
        """Withdraw and return the reviewer's last annotation on any paper of the run."""
        reviewer.require(Role.REVIEWER)
        run = self.existing_run()
        mine = (annotation for annotation in reversed(self._annotations.all()) if annotation.annotator == reviewer.name)
        while page := list(itertools.islice(mine, PAGE)):
            papers = self.ledger.entries_of(run, {annotation.ref.paper_sha256 for annotation in page})
            in_run = [annotation for annotation in page if annotation.ref.paper_sha256 in papers]
            for last in self._annotations.load(in_run[:1]):
                self._writer.save(Annotation(last.paper_sha256, last.question, reviewer.name, last.status, at="", undo=True))
                return last
        raise NotInRun("there is nothing to undo", "decide a cell first")

    def tags(self, reviewer: Reviewer) -> list[str]:
        """The tags that the reviewer has used."""
        return sorted({tag for annotation in self._annotations.of(reviewer.name).values() for tag in annotation.tags})

    def annotations(self, reviewer: Reviewer, annotator: str = "") -> Iterator[tuple[PaperEntry, Annotation]]:
        """The current annotations on this run, oldest first, by one annotator or by all; a blind reviewer gets only their own.
        Reads one page at a time."""
        run = self.existing_run()
        if reviewer.blind:
            annotator = reviewer.name
            if not annotator:
                return
        self._seen.add_many(reviewer)
        questions = {question.id for question in run.questions}
        current = (summary for summary in self._annotations.all() if summary.ref.question in questions)
        wanted = (summary for summary in current if annotator in ("", summary.annotator))
        while page := list(itertools.islice(wanted, PAGE)):
            papers = self.ledger.entries_of(run, {summary.ref.paper_sha256 for summary in page})
            for annotation in self._annotations.load([summary for summary in page if summary.ref.paper_sha256 in papers]):
                yield papers[annotation.paper_sha256][0], annotation

    def agreement(self, reviewer: Reviewer) -> AgreementView:
        run = self.existing_run()
        reviewer.refuse_blind("agreement figures reveal other people's decisions and the verdicts")
        self._seen.add_many(reviewer)
        annotations = self._annotations.all()
        cells = self._queues.cells(run, (annotation.ref for annotation in annotations))
        in_run = [annotation for annotation in annotations if annotation.ref in cells]
        # an adjudicator has seen what the others decided: their agreement says nothing
        return agreement_view([annotation for annotation in in_run if not is_adjudication(annotation)], cells)

    def progress(self, reviewer: Reviewer) -> ProgressView:
        """Who has done how much of each queue, and how many cells are disputed; for a blind reviewer only their own part."""
        run = self.existing_run()
        measured = BLIND if reviewer.blind else MEASURED
        requests = [WindowRequest(queue, DEFAULT_SEED if queue in BLIND else 0, "") for queue in measured]
        windows = dict(zip(measured, self._queues.windows(run, requests, NO_REFS), strict=True))
        sample = set(windows[Queue.RANDOM].refs)
        by_cell = self._annotations.by_cell()
        if reviewer.blind:
            by_cell = {ref: [annotation] for ref, annotation in self._annotations.of(reviewer.name).items()}
        cells = self._queues.cells(run, by_cell)

        def contains(queue: str, ref: ContentRef) -> bool:
            cell = cells[ref]
            return cell is not None and (ref in sample if queue == Queue.RANDOM else Queue(queue).contains(cell))

        return progress_view(
            {ref: opinions for ref, opinions in by_cell.items() if ref in cells},
            {queue.value: window.waiting for queue, window in windows.items()},
            contains,
            [reviewer.name] if reviewer.name else [],
        )

    def learning(self, reviewer: Reviewer) -> LearningView:
        """Which questions can be refitted to the decisions, and what that would change."""
        run = self.existing_run()
        reviewer.refuse_blind(_LEARNING_REVEALS)
        self._seen.add_many(reviewer)
        settled = self._annotations.settlements()
        decided = [ref for ref, settlement in settled.items() if settlement.status.reported is not None]
        return learning_view(self.ledger, run, [*self._queues.cells(run, decided)])

    def learn(self, question: str, reviewer: Reviewer) -> LearningView:
        """Refit the probabilities of the question to the decisions."""
        self._require_learning(reviewer)
        learn(self.ledger, self.existing_run(), question)
        return self.learning(reviewer)

    def unlearn(self, question: str, reviewer: Reviewer) -> LearningView:
        """Go back to the readers' own probabilities."""
        self._require_learning(reviewer)
        unlearn(self.ledger, self.existing_run(), question)
        return self.learning(reviewer)

    def _require_learning(self, reviewer: Reviewer) -> None:
        reviewer.require(Role.ADJUDICATOR)
        reviewer.refuse_blind(_LEARNING_REVEALS)
