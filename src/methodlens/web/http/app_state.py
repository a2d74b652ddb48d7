"""What the endpoints share: options, room, page images and jobs; and the reviewer, read from a cookie on each request."""

import contextlib
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import Depends, Query, Request
from msgspec import Struct
from starlette.responses import Response

from methodlens.engine.budget import Budget
from methodlens.engine.plan import run_id
from methodlens.errors import InputError, MethodlensError
from methodlens.evaluation.measure import annotator_name
from methodlens.ledger import audit_trail, overview
from methodlens.ledger.audit_trail import Action
from methodlens.ledger.overview import Progress
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import WorkerPool
from methodlens.questions import QuestionSet
from methodlens.web.background_jobs import BackgroundJobs, JobView, MakeLens
from methodlens.web.cooldown import Cooldown
from methodlens.web.http.cookies import cookie_value
from methodlens.web.review.page_view import PageRenderer
from methodlens.web.review.reviewer import Reviewer
from methodlens.web.review.room import Room
from methodlens.web.team.authentication import Authentication

_NAME_COOKIE = "methodlens-name"
_YEAR_S = 365 * 24 * 3600
_QUICK_S = 0.05


class RoomOptions(Struct, frozen=True):
    """`folder` takes uploads; `questions` and `readers` apply when papers are added before there is a run; `max_cost` and
    `max_tokens` limit each job."""

    folder: Path
    questions: QuestionSet
    readers: tuple[str, ...]
    run: str = ""
    blind: bool = False
    max_file_mb: int = 300
    max_cost: float | None = None
    max_tokens: int | None = None
    cookie: str = "methodlens"
    base: str = ""
    """The path that the room is served below."""
    public_url: str = ""
    """The address that a TLS proxy serves the room at."""
    team: bool = False
    """People sign in with accounts of the ledger, which set their names and roles."""


class StateView(Struct, frozen=True):
    """Two equal states look the same in the browser."""

    progress: Progress | None
    jobs: tuple[JobView, ...]


class AppState:
    def __init__(self, options: RoomOptions, ledger: Ledger, pool: WorkerPool, make_lens: MakeLens) -> None:
        self.options = options
        self.room = Room(ledger, run=options.run)
        self.renderer = PageRenderer(pool)
        questions, readers = options.questions.questions, options.readers
        empty = Run(run_id((), questions, readers), (), questions, readers, question_set=options.questions.name)
        self.jobs = BackgroundJobs(
            ledger,
            make_lens,
            lambda: self.room.run() or empty,
            lambda: Budget(options.max_cost, options.max_tokens),
        )
        self.authentication = Authentication(ledger)
        self.closing = threading.Event()
        self._progress_lock = threading.Lock()
        self._progress: Progress | None = None
        self._cooldown = Cooldown(_QUICK_S)
        self._warm_up = threading.Thread(target=self._render_first_page, name="warm-up", daemon=True)
        self._warm_up.start()

    def view(self) -> StateView:
        with self._progress_lock:
            if not self._cooldown.active:
                with self._cooldown.timing():
                    run = self.room.run()
                    self._progress = overview.progress(self.room.ledger, run) if run else None
            return StateView(self._progress, self.jobs.views())

    def set_reviewer(self, response: Response, reviewer: Reviewer) -> None:
        value = quote(f"{int(reviewer.blind)}{reviewer.name}", safe="")
        response.set_cookie(
            self._reviewer_cookie, value, max_age=_YEAR_S, httponly=True, samesite="strict", path=self.options.base or "/"
        )
        # the room's own cookie is lost when the room starts again, below another path: the name is kept for the next start
        name = quote(reviewer.name, safe="")
        response.set_cookie(_NAME_COOKIE, name, max_age=_YEAR_S, httponly=True, samesite="strict", path="/")

    def reviewer(self, headers: Mapping[str, str]) -> Reviewer:
        """Without a team: whoever has the token chooses a name."""
        value = unquote(cookie_value(headers, self._reviewer_cookie), errors="replace")
        if not value:
            value = "0" + unquote(cookie_value(headers, _NAME_COOKIE), errors="replace")
        try:
            name = annotator_name(value[1:]) if value[1:].strip() else ""
        except InputError:
            value = name = ""
        return Reviewer(name, value[:1] == "1" or self.options.blind)

    def _render_first_page(self) -> None:
        """Starts the rendering process before the first reviewer needs it."""
        with contextlib.suppress(MethodlensError):
            run = self.room.run()
            first = next((entry for entry, _ in self.room.ledger.entries(run, page=0) if entry.pages), None) if run else None
            if first:
                self.renderer.png(first.sha256, 1, self.room.file(first.sha256))

    def close(self) -> None:
        self.closing.set()
        self._warm_up.join(timeout=30)
        self.jobs.close()

    @property
    def _reviewer_cookie(self) -> str:
        return f"{self.options.cookie}-who"


def _app_state(request: Request) -> AppState:
    state: AppState = request.app.state.room
    return state


def reviewer_of(request: Request) -> Reviewer:
    """In a team, whoever the guard has identified; no part of the request itself can name somebody else."""
    state = _app_state(request)
    if state.options.team:
        reviewer: Reviewer = request.state.reviewer
        return reviewer
    return state.reviewer(request.headers)


def _audit(request: Request) -> Callable[[Action, str], None]:
    state = _app_state(request)
    if not state.options.team:
        return lambda _action, _detail: None
    return partial(audit_trail.record, state.room.ledger, reviewer_of(request).name)


State = Annotated[AppState, Depends(_app_state)]
CurrentReviewer = Annotated[Reviewer, Depends(reviewer_of)]
Audit = Annotated[Callable[[Action, str], None], Depends(_audit)]
"""Records what the current member does. Without a team it does nothing: annotations have names and times in any case."""
Seed = Annotated[int, Query(ge=0, le=2**31 - 1)]
PageNumber = Annotated[int, Query(ge=1, le=2**31 - 1)]
