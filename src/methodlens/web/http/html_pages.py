"""The HTML pages. Text from papers and models is escaped by the templates, and the policy in `guard` runs nothing inline."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from methodlens._version import __version__
from methodlens.ledger.listing import PAGE
from methodlens.records import Place, Status
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.html.assets import stylesheet
from methodlens.reports.statistics.sections import format_number
from methodlens.reports.verdict_matrix import MARKS, status_label
from methodlens.text.printable import one_line, printable
from methodlens.web.http.app_state import Services, services, who
from methodlens.web.review import run_order as order
from methodlens.web.review.queues import WALKED, Queue
from methodlens.web.review.room import NotThere, Who, offered
from methodlens.web.views import CellView

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

Here = Annotated[Services, Depends(services)]
Person = Annotated[Who, Depends(who)]
Seed = Annotated[int, Query(ge=0, le=2**31 - 1)]
Page = Annotated[int, Query(ge=1, le=2**31 - 1)]

MOST_PASSAGES = 4
"""Marked on the page; the others are a click away."""
STATIC = files("methodlens.web").joinpath("static")
QUEUES = {
    Queue.WITHHELD: ("Withheld first", "The readers are not sure, or failed."),
    Queue.DISAGREEMENTS: ("Disagreements", "Readers or people contradict each other."),
    Queue.RANDOM: ("Random sample", "Fifty cells, spread over the questions."),
    Queue.UNSEEN: ("Not yet looked at", "Every cell without your word."),
}


def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("methodlens.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_harmless
    )
    found.filters |= {
        "line": one_line,
        "text": printable,
        "words": status_label,
        "number": format_number,
        "where": quote_location,
    }
    found.filters["thousands"] = "{:,}".format
    found.filters["mark"] = lambda status: MARKS[Status(status)]
    found.globals |= {"version": __version__, "marks": MARKS}
    return found


def _harmless(value: Any) -> Any:
    """Whatever a template shows: without what could steer a browser or make neighbours read backwards. Escaping comes after."""
    return printable(value) if type(value) is str else value


_TEMPLATES = _environment()


def _page(name: str, person: Who, here: Services, **values: Any) -> HTMLResponse:
    shown = _TEMPLATES.get_template(name).render(person=person, always_blind=here.always_blind, **values)
    return HTMLResponse(shown.encode("utf-8", "replace"))  # the name of a file may hold what UTF-8 has no bytes for


@router.get("/static/shared.css")
def shared_style() -> Response:
    """The visual language that the report has too."""
    return Response(stylesheet("base", "matrix"), media_type="text/css")


@router.get("/")
def matrix(here: Here, person: Person, page: Page = 1, at: Annotated[str, Query(max_length=64)] = "") -> Response:
    """`at` is a paper: to the page that has it."""
    if at:
        return RedirectResponse(f"/?page={here.room.page_with(at)}#{at}", 303)
    run = here.room.run()
    pages = order.pages(run) if run else 1
    if page > pages:
        raise NotThere(f"there is no page {page}", f"the last one is {pages}")
    allowed = offered(person)
    # all cells of a large run take a moment to look through: the page comes first, and asks for the counts then
    counted = here.room.queues(allowed, person, seed=7) if run and pages == 1 else ()
    left = {queue: found.left for queue, found in zip(allowed, counted, strict=False)}
    shown = {queue: QUEUES[queue] for queue in allowed}
    return _page("matrix.html", person, here, run=run, queues=shown, left=left, page=page, pages=pages, size=PAGE)


@router.get("/cells/{paper_sha256}/{question}")
def cell(paper_sha256: str, question: str, here: Here, person: Person, queue: Queue = Queue.ALL, seed: Seed = 7) -> HTMLResponse:
    view = here.room.cell(paper_sha256, question, person)
    run = here.room.existing_run()
    place = (paper_sha256, question)
    following = here.room.after(queue, person, seed=seed, place=place)
    return _page(
        "cell.html",
        person,
        here,
        cell=view,
        queue=queue,
        queue_title=QUEUES[queue][0] if queue in QUEUES else "All cells",
        seed=seed,
        following=following,
        home=f"/?at={paper_sha256}" if order.pages(run) > 1 else "/",
        left=here.room.queue(queue, person, seed=seed).left,
        walked=queue in WALKED and not person.blind,
        unsure=Status.WITHHELD,
        agreeable=view.verdict is not None and view.verdict.reported is not None,
        others=[word for word in view.people if word.annotator != person.name],
        spots=_spots(view),
    )


def _spots(view: CellView) -> dict[str, list[dict[str, Any]]]:
    """What to mark on the pages: readers' quotes, passages, and this person's own sentences."""
    own = view.mine.evidence if view.mine else ()
    return {
        "quotes": _on_pages(quote.places for reader in view.readers for quote in reader.quotes),
        "passages": _on_pages(passage.places for passage in view.passages[:MOST_PASSAGES]),
        "own": _on_pages(one.places for one in own),
        "mine": [{"start": one.start, "end": one.end, "text": one.quote} for one in own],
    }


def _on_pages(spots: Iterable[Iterable[Place]]) -> list[dict[str, Any]]:
    unique = dict.fromkeys(place for places in spots for place in places)
    return [{"page": place.page, "boxes": place.boxes} for place in unique]


@router.get("/review")
def review(here: Here, person: Person, queue: Queue = Queue.UNSEEN, seed: Seed = 7) -> Response:
    """To the first cell of a queue that waits for this person."""
    first = here.room.after(queue, person, seed=seed, place=("", ""))
    if first is None:
        said = "There is no cell in this queue, or none that waits for you."
        return _page("problem.html", person, here, heading="Nothing left", message=said)
    return RedirectResponse(f"/cells/{first[0]}/{quote(first[1], safe='')}?queue={queue.value}&seed={seed}", 303)


@router.get("/agreement")
def agreed(here: Here, person: Person) -> HTMLResponse:
    run = here.room.run()
    found = here.room.agreement() if run else None
    return _page("agreement.html", person, here, found=found)


@router.get("/add")
def add(here: Here, person: Person) -> HTMLResponse:
    return _page("add.html", person, here, run=here.room.run(), max_mb=here.max_file_mb)


@router.get("/api")
def api(request: Request, here: Here, person: Person) -> HTMLResponse:
    described = request.app.openapi()
    groups: dict[str, list[tuple[str, str, dict[str, Any]]]] = {tag: [] for tag in ("run", "review", "people", "add", "export")}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            groups[operation["tags"][0]].append((method.upper(), path, operation))
    return _page("api.html", person, here, groups=groups, described=described)


def problem(here: Services, message: str) -> str:
    """A page that says in one line what is wrong and what to do."""
    page = _TEMPLATES.get_template("problem.html")
    return page.render(person=Who(), always_blind=here.always_blind, heading="That did not work", message=message)
