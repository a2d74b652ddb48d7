"""The REST endpoints. docs/how-to/review.md describes them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import APIRouter, File, Query, Request, UploadFile
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from methodlens.errors import InputError
from methodlens.evaluation.measure import annotator_name
from methodlens.questions.question_set import normalised
from methodlens.records import Annotation, Status
from methodlens.reports.formats.jsonl import encode_line
from methodlens.text.printable import one_line
from methodlens.web.background_jobs import JobView
from methodlens.web.expected_errors import EXPECTED_ERRORS, error_message
from methodlens.web.http import downloads
from methodlens.web.http.app_state import AppState, CurrentReviewer, PageNumber, Seed, State, StateView
from methodlens.web.http.uploads import FOLDER, save
from methodlens.web.review.agreement_view import AgreementView
from methodlens.web.review.cell_view import CellView
from methodlens.web.review.matrix_view import MatrixView
from methodlens.web.review.page_view import PageText, page_of, page_text
from methodlens.web.review.queues import Queue, QueueView
from methodlens.web.review.room import Reviewer

router = APIRouter(prefix="/api")

_POLL_S = 0.5
_POLL_AFTER_ERROR_S = 2.0
_POLLS_PER_KEEP_ALIVE = 30
_MAX_FILES = 200

Endpoint = TypeVar("Endpoint", bound=Callable[..., Response])

RESPONSE_TYPES: dict[str, Any] = {}
"""By function: the type of its JSON response, for `openapi`."""
MEDIA_TYPES: dict[str, tuple[str, ...]] = {
    "get_events": ("text/event-stream",),
    "get_picture": ("image/png",),
    "export_annotations": tuple(downloads.MEDIA_TYPES[kind] for kind in downloads.TableFormat),
    "export_cells": tuple(downloads.MEDIA_TYPES.values()),
}
"""By function: the media types of a response that is not JSON."""


def _json(value: object, status: int = 200) -> Response:
    return Response(encode_line(msgspec.to_builtins(value)), status, media_type="application/json")


def _returns(type: Any) -> Callable[[Endpoint], Endpoint]:
    def register(endpoint: Endpoint) -> Endpoint:
        RESPONSE_TYPES[endpoint.__name__] = type
        return endpoint

    return register


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid")


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
    sentences: list[Span] = Field(
        default_factory=list, max_length=50, description="Evidence: sentences of the paper, by their spans."
    )


class QuestionRequest(RequestBody):
    text: str = Field(min_length=3, max_length=2000)


@router.post("/session", tags=["people"])
@_returns(Reviewer)
def set_session(body: SessionRequest, state: State) -> Response:
    """Set your name. It is stored in a cookie of this browser."""
    reviewer = Reviewer(annotator_name(body.annotator) if body.annotator.strip() else "", body.blind or state.options.blind)
    response = _json(reviewer)
    state.set_reviewer(response, reviewer)
    return response


@router.get("/state", tags=["run"])
@_returns(StateView)
def get_state(state: State) -> Response:
    """Progress of the run and of jobs started in the browser."""
    return _json(state.view())


@router.get("/events", tags=["run"])
async def get_events(request: Request, state: State) -> StreamingResponse:
    """The state as server-sent events whenever it changes, including changes by other processes."""
    return StreamingResponse(_events(request, state), media_type="text/event-stream")


@router.get("/matrix", tags=["run"])
@_returns(MatrixView)
def get_matrix(
    state: State, reviewer: CurrentReviewer, page: PageNumber = 1, find: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Verdicts and your own decisions by paper and question, 500 papers per page; or the papers from that page on with `find`
    in their name or title."""
    return _json(state.room.matrix(reviewer, page=page, find=find.strip()))


@router.get("/queue", tags=["review"])
@_returns(QueueView)
def get_queue(state: State, reviewer: CurrentReviewer, queue: Queue = Queue.WITHHELD, seed: Seed = 7) -> Response:
    """Cells in review order."""
    return _json(state.room.queue(queue, reviewer, seed=seed))


@router.get("/queues", tags=["review"])
@_returns(list[QueueView])
def get_queues(state: State, reviewer: CurrentReviewer, seed: Seed = 7) -> Response:
    """The queues available to you, with the number of cells left in each."""
    return _json(state.room.queues(reviewer.queues, reviewer, seed=seed))


@router.get("/cells/{paper_sha256}/{question}", tags=["review"])
@_returns(CellView)
def get_cell(paper_sha256: str, question: str, state: State, reviewer: CurrentReviewer) -> Response:
    """One cell: the readers' answers with located quotes, the passages, and people's annotations."""
    return _json(state.room.cell(paper_sha256, question, reviewer))


@router.get("/papers/{paper_sha256}/pages/{page}", tags=["review"])
@_returns(PageText)
def get_page(paper_sha256: str, page: int, state: State) -> Response:
    """The sentences of a page with their boxes, in points from its top left."""
    return _json(page_text(state.room.paper(paper_sha256), page))


@router.get("/papers/{paper_sha256}/pages/{page}/picture", tags=["review"])
def get_picture(paper_sha256: str, page: int, state: State) -> Response:
    """The page as PNG."""
    number = page_of(state.room.paper(paper_sha256), page).number
    png = state.renderer.png(paper_sha256, number, state.room.file(paper_sha256))
    # the URL contains the file's checksum, so its content never changes
    return Response(png, media_type="image/png", headers={"cache-control": "private, max-age=86400, immutable"})


@router.post("/annotations", status_code=201, tags=["review"])
@_returns(Annotation)
def post_annotation(body: AnnotationRequest, state: State, reviewer: CurrentReviewer) -> Response:
    """Annotate a cell. Your annotation is added with your name and the time; nothing is overwritten."""
    spans = tuple((span.start, span.end) for span in body.sentences)
    annotation = Annotation(
        body.paper_sha256, body.question, reviewer.name, body.status, at="", note=body.note, answer=body.answer
    )
    return _json(state.room.annotate(annotation, reviewer, spans=spans), 201)


@router.post("/undo", tags=["review"])
@_returns(Annotation)
def post_undo(state: State, reviewer: CurrentReviewer) -> Response:
    """Withdraw your last annotation. The undo is recorded too."""
    return _json(state.room.undo(reviewer))


@router.get("/annotations", tags=["review"])
@_returns(list[Annotation])
def get_annotations(state: State, reviewer: CurrentReviewer) -> Response:
    """The current annotations on this run; in blind mode only your own."""
    return _json([annotation for _, annotation in state.room.annotations(reviewer)])


@router.get("/agreement", tags=["review"])
@_returns(AgreementView)
def get_agreement(state: State, reviewer: CurrentReviewer) -> Response:
    """Kappa and AC1 between people, and between people and verdicts; not in blind mode."""
    return _json(state.room.agreement(reviewer))


@router.post("/papers", status_code=202, tags=["add"])
@_returns(JobView)
def post_papers(state: State, files: Annotated[list[UploadFile], File(description="PDFs")]) -> Response:
    """Add PDFs. They are saved in the run's folder and asked the run's questions in the background."""
    if len(files) > _MAX_FILES:
        raise InputError(f"{len(files)} files at once", f"send at most {_MAX_FILES}, or run 'methodlens run' on their folder")
    folder, max_mb = state.options.folder / FOLDER, state.options.max_file_mb
    saved = [
        save(file.file, file.filename or "paper.pdf", folder, is_taken=state.room.has_paper, max_mb=max_mb) for file in files
    ]
    state.room.follow_newest()
    return _json(state.jobs.add_papers(folder, list(dict.fromkeys(saved))), 202)


@router.post("/questions", status_code=202, tags=["add"])
@_returns(JobView)
def post_question(body: QuestionRequest, state: State) -> Response:
    """Ask every paper of the run your own question, in the background."""
    text = one_line(body.text)
    if len(text) < 3:
        raise InputError("the question is empty", "enter a question")
    for known in state.room.existing_run().questions:
        if normalised(known.text) == normalised(text):
            raise InputError(f"this is question {known.id} of the run", "see its column in the matrix")
    state.room.follow_newest()
    return _json(state.jobs.add_question(text), 202)


@router.get("/jobs", tags=["add"])
@_returns(list[JobView])
def get_jobs(state: State) -> Response:
    """Jobs started in the browser, with their progress."""
    return _json(state.jobs.views())


@router.get("/export/annotations.{format}", tags=["export"])
def export_annotations(
    format: downloads.TableFormat,
    state: State,
    reviewer: CurrentReviewer,
    annotator: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """People's annotations, in the format that 'methodlens annotate import' reads; in blind mode only your own."""
    annotations = state.room.annotations(reviewer, annotator)
    return downloads.annotations(annotations, format, state.room.existing_run())


@router.get("/export/cells.{format}", tags=["export"])
def export_cells(format: str, state: State, reviewer: CurrentReviewer) -> Response:
    """Every cell of the run, as 'methodlens export' writes it."""
    if reviewer.blind:
        raise InputError("the export contains the readers' answers", "leave blind mode first")
    state.room.saw_verdicts(reviewer)
    return downloads.cells(state.room.ledger, state.room.existing_run(), format)


async def _events(request: Request, state: AppState) -> AsyncIterator[bytes]:
    last: StateView | None = None
    unchanged = 0
    while not state.closing.is_set() and not await request.is_disconnected():
        try:
            view = await asyncio.to_thread(state.view)
        except EXPECTED_ERRORS as err:  # such as a lost database: report it, and continue when it is back
            last = None
            yield b"event: trouble\ndata: " + encode_line({"detail": error_message(err)}) + b"\n"
            await asyncio.sleep(_POLL_AFTER_ERROR_S)
            continue
        unchanged += 1
        if view != last:
            last, unchanged = view, 0
            yield b"event: state\ndata: " + encode_line(msgspec.to_builtins(view)) + b"\n"
        elif unchanged >= _POLLS_PER_KEEP_ALIVE:
            unchanged = 0
            yield b": keep-alive\n\n"
        await asyncio.sleep(_POLL_S)
