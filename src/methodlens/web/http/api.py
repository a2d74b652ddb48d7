"""The REST endpoints. Each hands over to the room and says what came of it; docs/how-to/review.md tells the story."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import APIRouter, Depends, File, Query, Request, UploadFile
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from methodlens.errors import InputError
from methodlens.evaluation.measure import annotator_name
from methodlens.questions.question_set import normalised
from methodlens.records import Annotation, Status
from methodlens.reports.formats.jsonl import encode_line
from methodlens.text.printable import one_line
from methodlens.web.expected_errors import TROUBLE, explained
from methodlens.web.http import downloads as exports
from methodlens.web.http.app_state import Services, services, who
from methodlens.web.http.uploads import FOLDER, Listed, keep
from methodlens.web.review.page_view import PageText, page_of, page_text
from methodlens.web.review.queues import Queue
from methodlens.web.review.room import Decision, Who, offered
from methodlens.web.views import AgreementView, CellView, JobView, MatrixView, QueueView, StateView

router = APIRouter(prefix="/api")

Here = Annotated[Services, Depends(services)]
Person = Annotated[Who, Depends(who)]
Seed = Annotated[int, Query(ge=0, le=2**31 - 1)]
Page = Annotated[int, Query(ge=1, le=2**31 - 1)]
_TICK_S = 0.5
_TROUBLED_S = 2.0
_KEEP_ALIVE = 30  # ticks
_MOST_FILES = 200

Endpoint = TypeVar("Endpoint", bound=Callable[..., Response])

SHAPES: dict[str, Any] = {}
"""By name of the endpoint: what it answers with. msgspec writes their schemas; see `openapi`."""
FILES: dict[str, tuple[str, ...]] = {
    "get_events": ("text/event-stream",),
    "get_picture": ("image/png",),
    "export_annotations": tuple(exports.TYPES[one] for one in exports.TableFormat),
    "export_cells": tuple(exports.TYPES[one] for one in exports.CellFormat),
}
"""By name of the endpoint: what kinds of file it answers with."""


def _json(value: object, status: int = 200) -> Response:
    return Response(encode_line(msgspec.to_builtins(value)), status, media_type="application/json")


def _answers(shape: Any) -> Callable[[Endpoint], Endpoint]:
    def note(endpoint: Endpoint) -> Endpoint:
        SHAPES[endpoint.__name__] = shape
        return endpoint

    return note


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SessionIn(Strict):
    annotator: str = Field(max_length=200, description="Who decides; empty to only look.")
    blind: bool = Field(False, description="Hide what readers and other people said, until you have decided.")


class SpanIn(Strict):
    start: int = Field(ge=0, le=10**9)
    end: int = Field(ge=1, le=10**9)


class DecisionIn(Strict):
    paper_sha256: str = Field(max_length=64)
    question: str = Field(max_length=200)
    status: Status = Field(description="reported, not_reported, or withheld for 'unsure'.")
    answer: str = Field("", max_length=10_000, description="Your answer, where a reader's is wrong.")
    note: str = Field("", max_length=10_000)
    sentences: list[SpanIn] = Field(
        default_factory=list, max_length=50, description="Sentences of the page, picked by their span."
    )


class QuestionIn(Strict):
    text: str = Field(min_length=3, max_length=2000)


@router.post("/session", tags=["people"])
@_answers(Who)
def set_session(body: SessionIn, here: Here) -> Response:
    """Say who you are. Kept in a cookie, for this browser only."""
    person = Who(annotator_name(body.annotator) if body.annotator.strip() else "", body.blind or here.always_blind)
    answer = _json(person)
    here.remember(answer, person)
    return answer


@router.get("/state", tags=["run"])
@_answers(StateView)
def get_state(here: Here) -> Response:
    """How far the run is, and the jobs that were started from the page."""
    return _json(_state(here))


@router.get("/events", tags=["run"])
async def get_events(request: Request, here: Here) -> StreamingResponse:
    """The state as server-sent events, whenever it changes; also when the run goes on in another process."""
    return StreamingResponse(_events(request, here), media_type="text/event-stream")


@router.get("/matrix", tags=["run"])
@_answers(MatrixView)
def get_matrix(here: Here, person: Person, page: Page = 1, find: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Papers x questions with their verdicts and your own decisions, 500 papers a page; or of the papers from that page on
    those with `find` in their name or title."""
    return _json(here.room.matrix(person, page=page, find=find.strip()))


@router.get("/queue", tags=["review"])
@_answers(QueueView)
def get_queue(here: Here, person: Person, queue: Queue = Queue.WITHHELD, seed: Seed = 7) -> Response:
    """Cells in the order in which to look at them."""
    return _json(here.room.queue(queue, person, seed=seed))


@router.get("/queues", tags=["review"])
@_answers(list[QueueView])
def get_queues(here: Here, person: Person, seed: Seed = 7) -> Response:
    """The queues that are open to you, and how many cells wait in each."""
    return _json(here.room.queues(offered(person), person, seed=seed))


@router.get("/cells/{paper_sha256}/{question}", tags=["review"])
@_answers(CellView)
def get_cell(paper_sha256: str, question: str, here: Here, person: Person) -> Response:
    """One cell: readers' answers with their quotes and places, passages, people's words."""
    return _json(here.room.cell(paper_sha256, question, person))


@router.get("/papers/{paper_sha256}/pages/{page}", tags=["review"])
@_answers(PageText)
def get_page(paper_sha256: str, page: int, here: Here) -> Response:
    """The sentences of a page with their boxes, in points from its top left."""
    return _json(page_text(here.room.paper(paper_sha256), page))


@router.get("/papers/{paper_sha256}/pages/{page}/picture", tags=["review"])
def get_picture(paper_sha256: str, page: int, here: Here) -> Response:
    """The page as PNG."""
    number = page_of(here.room.paper(paper_sha256), page).number
    png = here.pictures.page(paper_sha256, number, here.room.file(paper_sha256))
    # the address holds the file's checksum: what it names never changes
    return Response(png, media_type="image/png", headers={"cache-control": "private, max-age=86400, immutable"})


@router.post("/annotations", status_code=201, tags=["review"])
@_answers(Annotation)
def post_annotation(body: DecisionIn, here: Here, person: Person) -> Response:
    """Decide a cell. Your word is added, with your name and the time; nothing is overwritten."""
    spans = tuple((span.start, span.end) for span in body.sentences)
    decision = Decision(body.paper_sha256, body.question, body.status, body.answer, body.note, spans)
    return _json(here.room.decide(decision, person), 201)


@router.post("/undo", tags=["review"])
@_answers(Annotation)
def post_undo(here: Here, person: Person) -> Response:
    """Take back your last word. That is recorded too."""
    return _json(here.room.undo(person))


@router.get("/annotations", tags=["review"])
@_answers(list[Annotation])
def get_annotations(here: Here, person: Person) -> Response:
    """The standing words on this run; in blind mode your own."""
    return _json([word for _, word in here.room.said(person.name if person.blind else "")])


@router.get("/agreement", tags=["review"])
@_answers(AgreementView)
def get_agreement(here: Here) -> Response:
    """Kappa and AC1 between people, and between people and verdicts."""
    return _json(here.room.agreement())


@router.post("/papers", status_code=202, tags=["add"])
@_answers(JobView)
def post_papers(here: Here, files: Annotated[list[UploadFile], File(description="PDFs")]) -> Response:
    """Add PDFs: they are kept in the run's folder and asked the run's questions in the background."""
    if len(files) > _MOST_FILES:
        raise InputError(f"{len(files)} files at once", f"send at most {_MOST_FILES}, or run 'methodlens run' on their folder")
    folder = here.folder / FOLDER
    run = here.room.run()
    taken = Listed(here.room.ledger, run)
    kept = []
    for file in files:
        kept.append(keep(file.file, file.filename or "paper.pdf", folder, taken=taken, max_mb=here.max_file_mb))
    here.room.follow_newest()
    return _json(here.jobs.add_papers(folder, list(dict.fromkeys(kept))), 202)


@router.post("/questions", status_code=202, tags=["add"])
@_answers(JobView)
def post_question(body: QuestionIn, here: Here) -> Response:
    """Ask every paper of the run a question of your own, in the background."""
    text = one_line(body.text)
    if len(text) < 3:
        raise InputError("the question is empty", "write it in your own words")
    for known in here.room.existing_run().questions:
        if normalised(known.text) == normalised(text):
            raise InputError(f"that is question {known.id} of this run", "look at its column in the matrix")
    here.room.follow_newest()
    return _json(here.jobs.ask(text), 202)


@router.get("/jobs", tags=["add"])
@_answers(list[JobView])
def get_jobs(here: Here) -> Response:
    """What was added from the page, and how far it is."""
    return _json(here.jobs.views())


@router.get("/export/annotations.{format}", tags=["export"])
def export_annotations(
    format: exports.TableFormat, here: Here, person: Person, annotator: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """People's words, in the shape that 'methodlens annotate import' reads; in blind mode your own."""
    said = here.room.said(person.name if person.blind else annotator)
    return exports.annotations(said, format, here.room.existing_run())


@router.get("/export/cells.{format}", tags=["export"])
def export_cells(format: exports.CellFormat, here: Here, person: Person) -> Response:
    """Every cell of the run, as 'methodlens export' writes it."""
    if person.blind:
        raise InputError("the cells hold what the readers said", "leave blind mode first")
    return exports.cells(here.room.ledger, here.room.existing_run(), format)


def _state(here: Services) -> StateView:
    return StateView(here.progress(), here.jobs.views())


async def _events(request: Request, here: Services) -> AsyncIterator[bytes]:
    last: StateView | None = None
    quiet = 0
    while not here.closing.is_set() and not await request.is_disconnected():
        try:
            state = await asyncio.to_thread(_state, here)
        except TROUBLE as err:  # the database is gone: say so, and go on when it is back
            last = None
            yield b"event: trouble\ndata: " + encode_line({"detail": explained(err)}) + b"\n"
            await asyncio.sleep(_TROUBLED_S)
            continue
        quiet += 1
        if state != last:
            last, quiet = state, 0
            yield b"event: state\ndata: " + encode_line(msgspec.to_builtins(state)) + b"\n"
        elif quiet >= _KEEP_ALIVE:
            quiet = 0
            yield b": still here\n\n"
        await asyncio.sleep(_TICK_S)
