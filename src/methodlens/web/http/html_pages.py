"""The HTML pages. Templates escape all text, and the guard's content security policy forbids inline scripts."""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from methodlens.ledger.final_words import is_adjudication
from methodlens.ledger.listing import PAGE
from methodlens.papers import paper_suffixes
from methodlens.records import Annotation, ContentRef, Evidence, Paper, Place, Status
from methodlens.reports.fact_words import fact_label, shown_facts
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.formats.format_registry import file_formats
from methodlens.reports.html.assets import script, stylesheet
from methodlens.reports.statistics.sections import format_number
from methodlens.reports.verdict_matrix import MARKS, status_label
from methodlens.text.printable import one_line, printable
from methodlens.web.http.app_state import AppState, CurrentReviewer, PageNumber, Seed, State, reviewer_of
from methodlens.web.http.uploads import accepted_suffixes
from methodlens.web.review.cell_view import CellView
from methodlens.web.review.queues import WALKED, Queue
from methodlens.web.review.reading_view import ReadingSection, reading_view
from methodlens.web.review.reviewer import Reviewer
from methodlens.web.review.shown_run import check_page

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

_PASSAGES_MARKED = 4
STATIC = files("methodlens.web").joinpath("static")
QUEUES = {
    Queue.INFORMATIVE: ("Most informative next", "Uncertain cells, of the questions with most doubt first."),
    Queue.WITHHELD: ("Withheld first", "The readers are not sure, or failed."),
    Queue.DISAGREEMENTS: ("Disagreements", "Readers or people contradict each other."),
    Queue.RANDOM: ("Random sample", "Fifty cells, spread over the questions."),
    Queue.UNSEEN: ("Not yet reviewed", "All cells that you have not decided."),
    Queue.ADJUDICATE: ("To adjudicate", "Reviewers decided differently: you settle it."),
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
        "facts": lambda facts: [(fact_label(key), shown) for key, shown in shown_facts(facts)],
    }
    environment.globals["marks"] = MARKS
    return environment


def _printable(value: Any) -> Any:
    """Removes control characters and text direction overrides from every value. Escaping follows."""
    return printable(value) if type(value) is str else value


_TEMPLATES = _environment()


def render(template: str, **values: Any) -> bytes:
    html = _TEMPLATES.get_template(template).render(**values)
    return html.encode("utf-8", "replace")  # file names may contain lone surrogates


def _page(template: str, reviewer: Reviewer, state: AppState, *, status: int = 200, **values: Any) -> HTMLResponse:
    options = state.options
    shared = {"reviewer": reviewer, "always_blind": options.blind, "base": options.base, "team": options.team}
    return HTMLResponse(render(template, **shared, **values), status)


@router.get("/static/shared.css")
def shared_style() -> Response:
    """The styles that the room shares with the report."""
    return Response(stylesheet("base", "matrix", "wide", "code"), media_type="text/css")


@router.get("/static/wide.js")
def shared_script() -> Response:
    """The script of the wide table, which the room shares with the report."""
    return Response(script("elements", "wide_filter", "wide_copy", "wide_table"), media_type="text/javascript")


@router.get("/")
def matrix(
    state: State, reviewer: CurrentReviewer, page: PageNumber = 1, at: Annotated[str, Query(max_length=300)] = ""
) -> Response:
    """`at`, the checksum of a paper with a colon and a question, redirects to the page with that cell."""
    if at:
        sha256, _, question = at.partition(":")
        place = f"{sha256}:{quote(question, safe='')}" if question else sha256
        return RedirectResponse(f"/?page={state.room.matrix_page_of(sha256)}#{place}", 303)
    run = state.room.run()
    pages = check_page(run, page)
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
    view = state.room.cell(paper_sha256, question, reviewer, adjudicate=queue is Queue.ADJUDICATE)
    others = [annotation for annotation in view.people if annotation.annotator != reviewer.name]
    return _page(
        "cell.html",
        reviewer,
        state,
        cell=view,
        queue=queue,
        queue_title=QUEUES[queue][0] if queue in QUEUES else "All cells",
        seed=seed,
        next_cell=state.room.next_cell(queue, reviewer, seed=seed, after=ContentRef(paper_sha256, question)),
        home=f"/?at={paper_sha256}:{question}",
        left=state.room.queue(queue, reviewer, seed=seed).left,
        walked=queue in WALKED and not reviewer.blind,
        unsure=Status.WITHHELD,
        has_decision=view.verdict is not None and view.verdict.reported is not None,
        others=others,
        sides=[annotation for annotation in others if not is_adjudication(annotation)],
        known_tags=state.room.tags(reviewer),
        marked=_marked(view, others if view.disputed else ()),
        reading=_reading(state.room.paper(paper_sha256), view),
        facts=_facts(view),
        passages_marked=_PASSAGES_MARKED,
    )


def _marked(view: CellView, sides: Sequence[Annotation]) -> dict[str, list[dict[str, Any]]]:
    """What to mark on the pages: readers' quotes, passages, and the evidence of the reviewer, or of the sides to choose from."""
    own = [evidence for annotation in (view.mine, *sides) if annotation for evidence in annotation.evidence]
    return {
        "quotes": _boxes(quote.places for reader in view.readers for quote in reader.quotes),
        "passages": _boxes(passage.places for passage in view.passages[:_PASSAGES_MARKED]),
        "own": _boxes(evidence.places for evidence in own),
        "picked": [_picked(evidence) for evidence in (view.mine.evidence if view.mine else ())],
        "sides": [
            {
                "status": annotation.status.value,
                "answer": annotation.answer,
                "facts": msgspec.to_builtins(annotation.facts),
                "sentences": [{"start": evidence.start, "end": evidence.end} for evidence in annotation.evidence],
            }
            for annotation in sides
            if not is_adjudication(annotation)
        ],
    }


def _reading(paper: Paper, view: CellView) -> tuple[ReadingSection, ...]:
    """The text of a paper without pages."""
    own = view.mine.evidence if view.mine else ()
    return reading_view(
        paper,
        quotes=[(quote.start, quote.end) for reader in view.readers for quote in reader.quotes],
        picked=[(evidence.start, evidence.end) for evidence in own],
        passages=[(passage.start, passage.end) for passage in view.passages[:_PASSAGES_MARKED]],
    )


def _picked(evidence: Evidence) -> dict[str, Any]:
    return {"start": evidence.start, "end": evidence.end, "text": evidence.quote}


def _facts(view: CellView) -> dict[str, Any]:
    """The fields of the form for facts, and their values: the reviewer's, else the final ones."""
    own = view.mine.facts if view.mine else None
    known = own if own is not None else view.final.facts if view.final else {}
    return {"fields": msgspec.to_builtins(view.fact_fields), "facts": msgspec.to_builtins(known)}


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


@router.get("/table")
def table(state: State, reviewer: CurrentReviewer, page: PageNumber = 1) -> HTMLResponse:
    run = state.room.run()
    pages = check_page(run, page)
    return _page("table.html", reviewer, state, run=run, page=page, pages=pages, size=PAGE)


@router.get("/agreement")
def agreement(state: State, reviewer: CurrentReviewer) -> HTMLResponse:
    run = state.room.run()
    view = state.room.agreement(reviewer) if run and not reviewer.blind else None
    progress = state.room.progress(reviewer) if run else None
    learning = state.room.learning(reviewer) if run and not reviewer.blind else None
    return _page("agreement.html", reviewer, state, agreement=view, progress=progress, learning=learning)


@router.get("/add")
def add(state: State, reviewer: CurrentReviewer) -> HTMLResponse:
    accept = ",".join(accepted_suffixes(paper_suffixes()))
    return _page("add.html", reviewer, state, run=state.room.run(), max_mb=state.options.max_file_mb, accept=accept)


@router.get("/api")
def api(request: Request, state: State, reviewer: CurrentReviewer) -> HTMLResponse:
    schema = request.app.openapi()
    groups: dict[str, list[tuple[str, str, dict[str, Any]]]] = {tag: [] for tag in ("run", "review", "people", "add", "export")}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            groups[operation["tags"][0]].append((method.upper(), path, operation))
    return _page("api.html", reviewer, state, groups=groups, schemas=schema["components"]["schemas"])


def error_page(request: Request, message: str, status: int) -> HTMLResponse:
    heading, state = "Something went wrong", request.app.state.room
    return _page("problem.html", reviewer_of(request), state, status=status, heading=heading, message=message)
