"""The HTML pages. Templates escape all text, and the guard's content security policy forbids inline scripts."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from methodlens.ledger.listing import PAGE
from methodlens.records import ContentRef, Place, Status
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.formats.format_registry import file_formats
from methodlens.reports.html.assets import stylesheet
from methodlens.reports.statistics.sections import format_number
from methodlens.reports.verdict_matrix import MARKS, status_label
from methodlens.text.printable import one_line, printable
from methodlens.web.http.app_state import AppState, CurrentReviewer, PageNumber, Seed, State
from methodlens.web.review.cell_view import CellView
from methodlens.web.review.queues import WALKED, Queue
from methodlens.web.review.room import NotInRun, Reviewer
from methodlens.web.review.run_order import page_count

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

_PASSAGES_MARKED = 4
STATIC = files("methodlens.web").joinpath("static")
QUEUES = {
    Queue.WITHHELD: ("Withheld first", "The readers are not sure, or failed."),
    Queue.DISAGREEMENTS: ("Disagreements", "Readers or people contradict each other."),
    Queue.RANDOM: ("Random sample", "Fifty cells, spread over the questions."),
    Queue.UNSEEN: ("Not yet reviewed", "All cells that you have not decided."),
}


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("methodlens.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_printable
    )
    environment.filters |= {
        "line": one_line,
        "text": printable,
        "label": status_label,
        "number": format_number,
        "where": quote_location,
        "thousands": "{:,}".format,
        "mark": lambda status: MARKS[Status(status)],
    }
    environment.globals["marks"] = MARKS
    return environment


def _printable(value: Any) -> Any:
    """Removes control characters and text direction overrides from every value. Escaping follows."""
    return printable(value) if type(value) is str else value


_TEMPLATES = _environment()


def _page(template: str, reviewer: Reviewer, state: AppState, **values: Any) -> HTMLResponse:
    html = _TEMPLATES.get_template(template).render(
        reviewer=reviewer, always_blind=state.options.blind, base=state.options.base, **values
    )
    return HTMLResponse(html.encode("utf-8", "replace"))  # file names may contain lone surrogates


@router.get("/static/shared.css")
def shared_style() -> Response:
    """The styles that the room shares with the report."""
    return Response(stylesheet("base", "matrix"), media_type="text/css")


@router.get("/")
def matrix(
    state: State, reviewer: CurrentReviewer, page: PageNumber = 1, at: Annotated[str, Query(max_length=64)] = ""
) -> Response:
    """`at`, the checksum of a paper, redirects to the page with that paper."""
    if at:
        return RedirectResponse(f"/?page={state.room.matrix_page_of(at)}#{at}", 303)
    run = state.room.run()
    pages = page_count(run) if run else 1
    if page > pages:
        raise NotInRun(f"there is no page {page}", f"the last page is {pages}")
    # counting the queues of a large run takes a moment: its page is sent without counts and requests them
    views = state.room.queues(reviewer.queues, reviewer, seed=7) if run and pages == 1 else ()
    left = {queue: view.left for queue, view in zip(reviewer.queues, views, strict=False)}
    queues = {queue: QUEUES[queue] for queue in reviewer.queues}
    paging = {"page": page, "pages": pages, "size": PAGE}
    return _page("matrix.html", reviewer, state, run=run, queues=queues, left=left, formats=file_formats(), **paging)


@router.get("/cells/{paper_sha256}/{question}")
def cell(
    paper_sha256: str, question: str, state: State, reviewer: CurrentReviewer, queue: Queue = Queue.ALL, seed: Seed = 7
) -> HTMLResponse:
    view = state.room.cell(paper_sha256, question, reviewer)
    return _page(
        "cell.html",
        reviewer,
        state,
        cell=view,
        queue=queue,
        queue_title=QUEUES[queue][0] if queue in QUEUES else "All cells",
        seed=seed,
        next_cell=state.room.next_cell(queue, reviewer, seed=seed, after=ContentRef(paper_sha256, question)),
        home=f"/?at={paper_sha256}" if page_count(state.room.existing_run()) > 1 else "/",
        left=state.room.queue(queue, reviewer, seed=seed).left,
        walked=queue in WALKED and not reviewer.blind,
        unsure=Status.WITHHELD,
        has_decision=view.verdict is not None and view.verdict.reported is not None,
        others=[annotation for annotation in view.people if annotation.annotator != reviewer.name],
        marked=_marked(view),
        passages_marked=_PASSAGES_MARKED,
    )


def _marked(view: CellView) -> dict[str, list[dict[str, Any]]]:
    """What to mark on the pages: readers' quotes, passages, and the reviewer's own evidence."""
    own = view.mine.evidence if view.mine else ()
    return {
        "quotes": _boxes(quote.places for reader in view.readers for quote in reader.quotes),
        "passages": _boxes(passage.places for passage in view.passages[:_PASSAGES_MARKED]),
        "own": _boxes(evidence.places for evidence in own),
        "picked": [{"start": evidence.start, "end": evidence.end, "text": evidence.quote} for evidence in own],
    }


def _boxes(marked: Iterable[Iterable[Place]]) -> list[dict[str, Any]]:
    unique = dict.fromkeys(place for places in marked for place in places)
    return [{"page": place.page, "boxes": place.boxes} for place in unique]


@router.get("/review")
def review(state: State, reviewer: CurrentReviewer, queue: Queue = Queue.UNSEEN, seed: Seed = 7) -> Response:
    """Redirects to the first cell of a queue."""
    first = state.room.next_cell(queue, reviewer, seed=seed)
    if first is None:
        message = "This queue is empty, or you have decided all its cells."
        return _page("problem.html", reviewer, state, heading="Nothing left", message=message)
    return RedirectResponse(f"/cells/{first.paper_sha256}/{quote(first.question, safe='')}?queue={queue.value}&seed={seed}", 303)


@router.get("/agreement")
def agreement(state: State, reviewer: CurrentReviewer) -> HTMLResponse:
    view = state.room.agreement(reviewer) if state.room.run() and not reviewer.blind else None
    return _page("agreement.html", reviewer, state, agreement=view)


@router.get("/add")
def add(state: State, reviewer: CurrentReviewer) -> HTMLResponse:
    return _page("add.html", reviewer, state, run=state.room.run(), max_mb=state.options.max_file_mb)


@router.get("/api")
def api(request: Request, state: State, reviewer: CurrentReviewer) -> HTMLResponse:
    schema = request.app.openapi()
    groups: dict[str, list[tuple[str, str, dict[str, Any]]]] = {tag: [] for tag in ("run", "review", "people", "add", "export")}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            groups[operation["tags"][0]].append((method.upper(), path, operation))
    return _page("api.html", reviewer, state, groups=groups, schemas=schema["components"]["schemas"])


def error_page(state: AppState, message: str) -> str:
    template = _TEMPLATES.get_template("problem.html")
    return template.render(
        reviewer=Reviewer(),
        always_blind=state.options.blind,
        base=state.options.base,
        heading="Something went wrong",
        message=message,
    )
