"""The REST endpoints for reading and deciding. docs/how-to/review.md describes them."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from methodlens.evaluation.measure import annotator_name
from methodlens.ledger.audit_trail import Action
from methodlens.records import Annotation, Status
from methodlens.reports.annotation_files import AnnotationFormat
from methodlens.web.http import downloads
from methodlens.web.http.app_state import AppState, Audit, CurrentReviewer, PageNumber, Seed, State, StateView
from methodlens.web.http.json_responses import RequestBody, json_response, returns
from methodlens.web.review.agreement_view import AgreementView
from methodlens.web.review.cell_view import CellView
from methodlens.web.review.learning import LearningView
from methodlens.web.review.matrix_view import MatrixView
from methodlens.web.review.page_view import PageText, page_of, page_text
from methodlens.web.review.progress_view import ProgressView
from methodlens.web.review.queues import Queue, QueueView
from methodlens.web.review.reviewer import NotAllowed, Reviewer
from methodlens.web.review.table_view import TableView

router = APIRouter(prefix="/api")

_MAX_TAGS = 20

MEDIA_TYPES: dict[str, tuple[str, ...]] = {
    "get_events": ("text/event-stream",),
    "get_picture": ("image/png",),
    "export_annotations": tuple(downloads.MEDIA_TYPES[kind] for kind in AnnotationFormat),
    "export_cells": tuple(downloads.MEDIA_TYPES.values()),
}
"""By function: the media types of a response that is not JSON."""


class SessionRequest(RequestBody):
    annotator: str = Field(max_length=200, description="Your name; empty for read-only access.")
    blind: bool = Field(False, description="Hide verdicts and other people's annotations until you have decided.")


class Span(RequestBody):
    start: int = Field(ge=0, le=10**9)
    end: int = Field(ge=1, le=10**9)


class AnnotationRequest(RequestBody):
    paper_sha256: str = Field(max_length=64)
    question: str = Field(max_length=200)
    status: Status = Field(description="reported, not_reported, or withheld for 'unsure'.")
    answer: str = Field("", max_length=10_000, description="Your answer, if a reader's answer is wrong.")
    note: str = Field("", max_length=10_000)
    facts: dict[str, Any] | None = Field(
        None, description="The corrected facts by key, as in the export; omit them to leave the readers' facts as they are."
    )
    tags: list[Annotated[str, Field(max_length=50)]] = Field(default_factory=list, max_length=_MAX_TAGS)
    adjudicates: bool = Field(False, description="Your decision settles a disagreement of other reviewers.")
    sentences: list[Span] = Field(
        default_factory=list, max_length=50, description="Evidence: sentences of the paper, by their spans."
    )


@router.post("/session", tags=["people"])
@returns(Reviewer)
def set_session(body: SessionRequest, state: State) -> Response:
    """Set your name. It is stored in a cookie of this browser. In a team, your account sets it."""
    if state.options.team:
        raise NotAllowed("your account sets your name", "sign out to use another account")
    reviewer = Reviewer(annotator_name(body.annotator) if body.annotator.strip() else "", body.blind or state.options.blind)
    response = json_response(reviewer)
    state.set_reviewer(response, reviewer)
    return response


@router.get("/state", tags=["run"])
@returns(StateView)
def get_state(state: State) -> Response:
    """Progress of the run and of jobs started in the browser."""
    return json_response(state.view())


@router.get("/matrix", tags=["run"])
@returns(MatrixView)
def get_matrix(
    state: State, reviewer: CurrentReviewer, page: PageNumber = 1, find: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Verdicts and your own decisions by paper and question, 500 papers per page; or the papers from that page on with `find`
    in their name or title."""
    return json_response(state.room.matrix(reviewer, page=page, find=find.strip()))


@router.get("/table", tags=["run"])
@returns(TableView)
def get_table(state: State, reviewer: CurrentReviewer, page: PageNumber = 1) -> Response:
    """Short answers and facts of the final words by paper and question, 500 papers per page; not in blind mode."""
    return json_response(state.room.table(reviewer, page=page))


@router.get("/queue", tags=["review"])
@returns(QueueView)
def get_queue(state: State, reviewer: CurrentReviewer, queue: Queue = Queue.WITHHELD, seed: Seed = 7) -> Response:
    """Cells in review order."""
    return json_response(state.room.queue(queue, reviewer, seed=seed))


@router.get("/queues", tags=["review"])
@returns(list[QueueView])
def get_queues(state: State, reviewer: CurrentReviewer, seed: Seed = 7) -> Response:
    """The queues available to you, with the number of cells left in each."""
    return json_response(state.room.queues(reviewer.queues, reviewer, seed=seed))


@router.get("/cells/{paper_sha256}/{question}", tags=["review"])
@returns(CellView)
def get_cell(paper_sha256: str, question: str, state: State, reviewer: CurrentReviewer, adjudicate: bool = False) -> Response:
    """One cell: the readers' answers with located quotes, the passages, and people's annotations. With `adjudicate`, a blind
    reviewer who may settle a disagreement of others sees their decisions too."""
    return json_response(state.room.cell(paper_sha256, question, reviewer, adjudicate=adjudicate))


@router.get("/papers/{paper_sha256}/answers", tags=["review"])
@returns(dict[str, str])
def get_answers(paper_sha256: str, state: State, reviewer: CurrentReviewer) -> Response:
    """The final answer to each question about the paper, shortened to a line; in blind mode only of cells you have decided."""
    return json_response(state.room.short_answers(paper_sha256, reviewer))


@router.get("/papers/{paper_sha256}/pages/{page}", tags=["review"])
@returns(PageText)
def get_page(paper_sha256: str, page: int, state: State) -> Response:
    """The sentences of a page with their boxes, in points from its top left."""
    return json_response(page_text(state.room.paper(paper_sha256), page))


@router.get("/papers/{paper_sha256}/pages/{page}/picture", tags=["review"])
def get_picture(paper_sha256: str, page: int, state: State) -> Response:
    """The page as PNG."""
    number = page_of(state.room.paper(paper_sha256), page).number
    png = state.renderer.png(paper_sha256, number, state.room.file(paper_sha256))
    # the URL contains the file's checksum, so its content never changes
    return Response(png, media_type="image/png", headers={"cache-control": "private, max-age=86400, immutable"})


@router.post("/annotations", status_code=201, tags=["review"])
@returns(Annotation)
def post_annotation(body: AnnotationRequest, state: State, reviewer: CurrentReviewer, audit: Audit) -> Response:
    """Annotate a cell. Your annotation is added with your name and the time; nothing is overwritten."""
    spans = tuple((span.start, span.end) for span in body.sentences)
    annotation = Annotation(
        body.paper_sha256,
        body.question,
        reviewer.name,
        body.status,
        at="",
        note=body.note,
        answer=body.answer,
        facts=body.facts,
        adjudicates=body.adjudicates,
        tags=tuple(body.tags),
    )
    saved = state.room.annotate(annotation, reviewer, spans=spans)
    audit(Action.ADJUDICATED if saved.adjudicates else Action.ANNOTATED, f"{_cell_name(state, saved)}: {saved.status.value}")
    return json_response(saved, 201)


@router.post("/undo", tags=["review"])
@returns(Annotation)
def post_undo(state: State, reviewer: CurrentReviewer, audit: Audit) -> Response:
    """Withdraw your last annotation. The undo is recorded too."""
    undone = state.room.undo(reviewer)
    audit(Action.UNDID, f"{_cell_name(state, undone)}: {undone.status.value}")
    return json_response(undone)


@router.get("/annotations", tags=["review"])
@returns(list[Annotation])
def get_annotations(state: State, reviewer: CurrentReviewer) -> Response:
    """The current annotations on this run; in blind mode only your own."""
    return json_response([annotation for _, annotation in state.room.annotations(reviewer)])


@router.get("/agreement", tags=["review"])
@returns(AgreementView)
def get_agreement(state: State, reviewer: CurrentReviewer) -> Response:
    """Kappa and AC1 between people, and between people and verdicts; not in blind mode."""
    return json_response(state.room.agreement(reviewer))


@router.get("/progress", tags=["review"])
@returns(ProgressView)
def get_progress(state: State, reviewer: CurrentReviewer) -> Response:
    """How much of each queue every reviewer has done, and how many cells are disputed."""
    return json_response(state.room.progress(reviewer))


@router.get("/learning", tags=["review"])
@returns(LearningView)
def get_learning(state: State, reviewer: CurrentReviewer) -> Response:
    """Questions whose probabilities can be refitted to the decisions, with agreement before and after; not in blind mode."""
    return json_response(state.room.learning(reviewer))


class LearningRequest(RequestBody):
    question: str = Field(max_length=200)


@router.post("/learning", tags=["review"])
@returns(LearningView)
def post_learning(body: LearningRequest, state: State, reviewer: CurrentReviewer, audit: Audit) -> Response:
    """Refit the probabilities of a question to the decisions. The readers' own answers are kept."""
    view = state.room.learn(body.question, reviewer)
    audit(Action.RECALIBRATED, body.question)
    return json_response(view)


@router.post("/learning/undo", tags=["review"])
@returns(LearningView)
def post_learning_undo(body: LearningRequest, state: State, reviewer: CurrentReviewer, audit: Audit) -> Response:
    """Go back to the readers' own probabilities."""
    view = state.room.unlearn(body.question, reviewer)
    audit(Action.RECALIBRATED, f"{body.question}: undone")
    return json_response(view)


@router.get("/export/annotations.{format}", tags=["export"])
def export_annotations(
    format: AnnotationFormat,
    state: State,
    reviewer: CurrentReviewer,
    audit: Audit,
    annotator: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """People's annotations, in the format that 'methodlens annotate import' reads; in blind mode only your own."""
    annotations = state.room.annotations(reviewer, annotator)
    response = downloads.annotations(annotations, format, state.room.existing_run())
    audit(Action.DOWNLOADED, f"annotations.{format}")
    return response


@router.get("/export/cells.{format}", tags=["export"])
def export_cells(format: str, state: State, reviewer: CurrentReviewer, audit: Audit) -> Response:
    """Every cell of the run, as 'methodlens export' writes it."""
    response = downloads.cells(state.room.ledger, state.room.run_to_export(reviewer), format)
    audit(Action.DOWNLOADED, f"cells.{format}")
    return response


def _cell_name(state: AppState, annotation: Annotation) -> str:
    return f"{state.room.paper_name(annotation.paper_sha256)} {annotation.question}"
