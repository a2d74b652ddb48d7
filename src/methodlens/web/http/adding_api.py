"""The endpoints that add papers and questions to a run, as background jobs."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, File, UploadFile
from fastapi.responses import Response
from pydantic import Field

from methodlens.errors import InputError
from methodlens.ledger.audit_trail import Action
from methodlens.papers import paper_suffixes
from methodlens.questions.question_set import normalised
from methodlens.text.printable import one_line
from methodlens.web.background_jobs import JobView
from methodlens.web.http.app_state import Audit, State
from methodlens.web.http.json_responses import RequestBody, json_response, returns
from methodlens.web.http.uploads import FOLDER, RefusedFile, Upload, UploadRules, save_all

router = APIRouter(prefix="/api", tags=["add"])

_MAX_FILES = 200
_MAX_NAMED = 3  # refused files in one message


class QuestionRequest(RequestBody):
    text: str = Field(min_length=3, max_length=2000)


class UploadView(msgspec.Struct, frozen=True):
    """The job that reads the papers, and the files that were not saved."""

    job: JobView
    refused: tuple[RefusedFile, ...]


@router.post("/papers", status_code=202)
@returns(UploadView)
def post_papers(state: State, audit: Audit, files: Annotated[list[UploadFile], File(description="Papers")]) -> Response:
    """Add papers: PDF, JATS XML, HTML, LaTeX (.tex, or its files as .zip), DOCX, Markdown or text. They are saved in the run's
    folder and asked the run's questions in the background. A file that is none of these or too large is refused; the others
    are added. A PDF and its JATS or HTML with the same name are one paper; a supplement named after a paper is read as such."""
    if len(files) > _MAX_FILES:
        raise InputError(f"{len(files)} files at once", f"send at most {_MAX_FILES}, or run 'methodlens run' on their folder")
    folder = state.options.folder / FOLDER
    rules = UploadRules(state.room.has_paper, state.options.max_file_mb, paper_suffixes())
    papers, refused = save_all([Upload(file.filename or "paper.pdf", file.file) for file in files], folder, rules)
    if not papers:
        raise InputError("; ".join(file.reason for file in refused[:_MAX_NAMED]), "no paper was added")
    state.room.follow_newest()
    audit(Action.ADDED_PAPERS, ", ".join(paper.name for paper in papers))
    return json_response(UploadView(state.jobs.add_papers(folder, papers), refused), 202)


@router.post("/questions", status_code=202)
@returns(JobView)
def post_question(body: QuestionRequest, state: State, audit: Audit) -> Response:
    """Ask every paper of the run your own question, in the background."""
    text = one_line(body.text)
    if len(text) < 3:
        raise InputError("the question is empty", "enter a question")
    for known in state.room.existing_run().questions:
        if normalised(known.text) == normalised(text):
            raise InputError(f"this is question {known.id} of the run", "see its column in the matrix")
    state.room.follow_newest()
    audit(Action.ADDED_QUESTION, text)
    return json_response(state.jobs.add_question(text), 202)


@router.get("/jobs")
@returns(list[JobView])
def get_jobs(state: State) -> Response:
    """Jobs started in the browser, with their progress."""
    return json_response(state.jobs.views())
