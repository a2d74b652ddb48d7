"""A review room on loopback: a real server and a real ledger, with synthetic papers and readers."""

import shutil
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from methodlens.ledger.store import Ledger
from methodlens.papers import WorkerPool
from methodlens.questions import QuestionSet
from methodlens.readers.grounding import locate_quote
from methodlens.records import Answer, Hit, Paper, Question, ReaderInfo
from methodlens.settings import Settings
from methodlens.settings_sources import load
from methodlens.web.http.app_state import RoomOptions
from methodlens.web.http.room_server import Address, RunningRoom, serve
from tests.cli.conftest import methodlens
from tests.engine.local import planned, run_locally
from tests.waiting import PATIENCE_S

__all__ = ["methodlens"]

WHERE = Question("Q1", "Where was the network trained?", facts=("hardware", "training_time_h"))
QUESTIONS = QuestionSet("two", "Two questions", "", (WHERE, Question("Q2", "How many gulls were counted?")))
TRAINED = "We trained the network on a barge in the harbour."
COUNTED = "We counted 120 gulls from the pier on one morning."
PAPERS = {
    "a": [TRAINED, COUNTED],
    "b": [TRAINED, "Nobody counted any birds on that day."],
    "c": ["It rained for the whole week."],
}


class QuotingReader:
    """A reader that reports a sentence if the paper contains it; it gives p = 0.5 for the questions in `unsure`."""

    def __init__(self, name: str, sentences: dict[str, str], *, unsure: Sequence[str] = ()) -> None:
        self.info = ReaderInfo(name, "made-up", f"{name}-1")
        self._sentences, self._unsure = sentences, unsure

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        if question.id in self._unsure:
            return Answer("It may be so.", p_reported=0.5)
        sentence = self._sentences.get(question.id, "")
        if not sentence or sentence not in paper.text:
            return Answer("Not reported.", p_reported=0.02)
        return Answer(sentence, (locate_quote(sentence, paper),), p_reported=0.98)


HERON = QuotingReader("heron", {"Q1": TRAINED, "Q2": COUNTED})
STOAT = QuotingReader("stoat", {"Q1": TRAINED}, unsure=["Q2"])
OWL = QuotingReader("owl", {"Q2": COUNTED})
"""Contradicts the others on Q1: it never reports the barge."""


class Visitor:
    """An HTTP client that behaves like a browser: it keeps cookies and sends an Origin."""

    open_visitors: ClassVar[list["Visitor"]] = []

    def __init__(self, url: str, name: str = "", *, blind: bool = False) -> None:
        self.open_visitors.append(self)
        self.base = url.split("/?")[0]
        self.http = httpx.Client(base_url=self.base, headers={"origin": self.base}, follow_redirects=True, timeout=PATIENCE_S)
        entered = self.http.get(url)
        assert entered.status_code == 200
        self.http.base_url = entered.url.copy_with(query=None)
        if name or blind:
            self.post("/api/session", {"annotator": name, "blind": blind})

    def get(self, path: str, **query: Any) -> Any:
        response = self.http.get(path, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        response = self.http.post(path, json=body)
        assert response.status_code < 300, response.text
        return response.json()

    def annotate(self, ref: tuple[str, str], status: str, **details: Any) -> Any:
        return self.post("/api/annotations", {"paper_sha256": ref[0], "question": ref[1], "status": status, **details})


@contextmanager
def open_room(
    folder: Path,
    *,
    settings: Settings | None = None,
    questions: QuestionSet = QUESTIONS,
    ledger: Ledger | None = None,
    address: Address | None = None,
    **options: Any,
) -> Iterator[str]:
    """The URL of a room that is open until the end of the block. Uses the folder's ledger or `ledger`, and closes it."""
    ready = threading.Event()
    rooms: list[RunningRoom] = []

    def on_ready(room: RunningRoom) -> None:
        rooms.append(room)
        ready.set()

    room_options = RoomOptions(folder, questions, options.pop("readers", ("embedded",)), **options)
    open_ledger = ledger or Ledger.at(folder, create=True)
    thread = threading.Thread(
        target=serve,
        args=(room_options, settings or load(None), open_ledger),
        kwargs={"address": address or Address(), "ready": on_ready},
        daemon=True,
    )
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield rooms[0].url
    finally:
        while Visitor.open_visitors:
            Visitor.open_visitors.pop().http.close()
        rooms[0].stop()
        thread.join(PATIENCE_S)
        open_ledger.close()
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory, pool: WorkerPool) -> Path:
    """A folder with a run of three papers, two questions and three readers. Do not write to it."""
    folder = tmp_path_factory.mktemp("room")
    papers = folder / "papers"
    papers.mkdir()
    for name, lines in PAPERS.items():
        write_pdf(papers / f"{name}.pdf", lines)
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    run_locally(planned([papers], QUESTIONS, [HERON, STOAT, OWL]), folder / "out", pool)
    return folder / "out"


def write_pdf(path: Path, lines: Sequence[str]) -> Path:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=(600, 600), invariant=1)
    for index, line in enumerate(lines):
        canvas.drawString(40, 500 - 14 * index, line)
    canvas.save()
    return path


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path) -> Path:
    """A copy of the finished run that may be changed."""
    return Path(shutil.copytree(finished_run, tmp_path / "out"))


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    with open_room(folder) as address:
        yield address


Enter = Callable[..., Visitor]


@pytest.fixture
def enter(url: str) -> Enter:
    return lambda name="", *, blind=False: Visitor(url, name, blind=blind)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def cell_ref(visitor: Visitor, paper: str, question: str) -> tuple[str, str]:
    papers = {paper["name"]: paper["sha256"] for paper in visitor.get("/api/matrix")["papers"]}
    return papers[f"{paper}.pdf"], question
