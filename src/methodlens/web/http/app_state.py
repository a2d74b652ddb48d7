"""What the endpoints work with, made once for a server, and who is asking, read from a cookie at each request."""

import contextlib
import threading
import time
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import quote, unquote

from fastapi import Request
from msgspec import Struct
from starlette.responses import Response

from methodlens.engine.plan import run_id
from methodlens.errors import InputError, MethodlensError
from methodlens.evaluation.measure import annotator_name
from methodlens.ledger import overview
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.overview import Progress
from methodlens.papers import WorkerPool
from methodlens.questions import QuestionSet
from methodlens.web.background_jobs import Jobs, Workshop
from methodlens.web.review.page_view import Pictures
from methodlens.web.review.room import Room, Who

_YEAR_S = 365 * 24 * 3600
_QUICK_S = 0.05
_REST = 10


class Opening(Struct, frozen=True):
    """How a room is opened. `folder` takes uploads; `questions` and `readers` are for papers that are added before there is
    any run; `max_cost` and `max_tokens` is what each job may spend."""

    folder: Path
    questions: QuestionSet
    readers: tuple[str, ...]
    run: str = ""
    blind: bool = False
    max_file_mb: int = 300
    max_cost: float | None = None
    max_tokens: int | None = None
    cookie: str = "methodlens"


class Services:
    def __init__(self, opening: Opening, ledger: Ledger, pool: WorkerPool, workshop: Workshop) -> None:
        self.folder = opening.folder
        self.always_blind = opening.blind
        self.max_file_mb = opening.max_file_mb
        self.cookie = opening.cookie
        self.room = Room(ledger, run=opening.run)
        self.pictures = Pictures(pool)
        self._first = _first_run(opening.questions, opening.readers)
        self.jobs = Jobs(ledger, workshop, lambda: self.room.run() or self._first)
        self.closing = threading.Event()
        self._counting = threading.Lock()
        self._counted: tuple[Progress | None] | None = None
        self._count_again = 0.0
        self._warming = threading.Thread(target=self._warm, name="warming", daemon=True)
        self._warming.start()

    def progress(self) -> Progress | None:
        """How far the run is. Where counting takes long, the last count is shown for ten times as long."""
        with self._counting:
            if self._counted is None or time.monotonic() >= self._count_again:
                started = time.monotonic()
                run = self.room.run()
                self._counted = (overview.progress(self.room.ledger, run) if run else None,)
                ended = time.monotonic()
                self._count_again = ended + (_REST * (ended - started) if ended - started > _QUICK_S else 0.0)
            return self._counted[0]

    def remember(self, answer: Response, person: Who) -> None:
        value = quote(f"{int(person.blind)}{person.name}", safe="")
        answer.set_cookie(self._who, value, max_age=_YEAR_S, httponly=True, samesite="strict", path="/")

    def person(self, header: str) -> Who:
        try:
            morsel = SimpleCookie(header).get(self._who)
            value = unquote(morsel.value, errors="replace") if morsel else ""
            name = annotator_name(value[1:]) if value[1:].strip() else ""
        except (CookieError, InputError):
            value = name = ""
        return Who(name, value[:1] == "1" or self.always_blind)

    def _warm(self) -> None:
        """The process that draws pages takes a moment to start: it should have done so before anybody looks."""
        with contextlib.suppress(MethodlensError):
            run = self.room.run()
            first = next((entry for entry, _ in self.room.ledger.entries(run, page=0) if entry.pages), None) if run else None
            if first:
                self.pictures.page(first.sha256, 1, self.room.file(first.sha256))

    def close(self) -> None:
        self.closing.set()
        self._warming.join(timeout=30)
        self.jobs.close()

    @property
    def _who(self) -> str:
        return f"{self.cookie}-who"


def _first_run(questions: QuestionSet, readers: Sequence[str]) -> Run:
    """What a run would be that has no papers yet."""
    return Run(run_id((), questions.questions, readers), (), questions.questions, tuple(readers), question_set=questions.name)


def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


def who(request: Request) -> Who:
    return services(request).person(request.headers.get("cookie", ""))
