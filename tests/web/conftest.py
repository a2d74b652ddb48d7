"""A review room on loopback: a real server over a real ledger, with papers and readers of our own making."""

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from methodlens.engine import driver
from methodlens.engine.engine import LocalEngine
from methodlens.engine.execute import Stages
from methodlens.engine.plan import plan
from methodlens.ledger.ledger import Ledger
from methodlens.papers import WorkerPool
from methodlens.questions import QuestionSet
from methodlens.readers.grounding import locate_quote
from methodlens.records import Answer, Hit, Paper, Question, ReaderInfo
from methodlens.retrieval import LexicalRetriever
from methodlens.settings import RetrievalSettings, Settings, load
from methodlens.web.http.app_state import RoomOptions
from methodlens.web.http.room_server import Address, RunningRoom, serve
from tests.cli.conftest import methodlens
from tests.waiting import PATIENCE_S

__all__ = ["methodlens"]

QUESTIONS = QuestionSet(
    "two", "Two questions", "", (Question("Q1", "Where was the network trained?"), Question("Q2", "How many gulls were counted?"))
)
TRAINED = "We trained the network on a barge in the harbour."
COUNTED = "We counted 120 gulls from the pier on one morning."
PAPERS = {
    "a": [TRAINED, COUNTED],
    "b": [TRAINED, "Nobody counted any birds on that day."],
    "c": ["It rained for the whole week."],
}


class Quoting:
    """A reader that quotes a sentence wherever a paper has it, and says no elsewhere; unless it is told to be unsure."""

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


HERON = Quoting("heron", {"Q1": TRAINED, "Q2": COUNTED})
STOAT = Quoting("stoat", {"Q1": TRAINED}, unsure=["Q2"])
OWL = Quoting("owl", {"Q2": COUNTED})
"""Splits with the others on Q1: it never finds the barge."""


class Visitor:
    """A person with a browser's manners: a cookie, and an Origin on what changes something."""

    inside: ClassVar[list["Visitor"]] = []

    def __init__(self, url: str, name: str = "", *, blind: bool = False) -> None:
        self.inside.append(self)
        self.base = url.split("/?")[0]
        self.http = httpx.Client(base_url=self.base, headers={"origin": self.base}, follow_redirects=True, timeout=PATIENCE_S)
        assert self.http.get(url).status_code == 200
        if name or blind:
            self.post("/api/session", {"annotator": name, "blind": blind})

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        answer = self.http.post(path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def decide(self, place: tuple[str, str], status: str, **more: Any) -> Any:
        return self.post("/api/annotations", {"paper_sha256": place[0], "question": place[1], "status": status, **more})


@contextmanager
def opened(
    folder: Path,
    *,
    settings: Settings | None = None,
    questions: QuestionSet = QUESTIONS,
    ledger: Ledger | None = None,
    **more: Any,
) -> Iterator[str]:
    """The address of a room that is open until the end of the block; on the folder's ledger, or another, which it closes."""
    ready = threading.Event()
    found: list[RunningRoom] = []

    def tell(room: RunningRoom) -> None:
        found.append(room)
        ready.set()

    opening = RoomOptions(folder, questions, more.pop("readers", ("embedded",)), **more)
    shown = ledger or Ledger.at(folder, create=True)
    thread = threading.Thread(
        target=serve, args=(opening, settings or load(None), shown), kwargs={"address": Address(), "ready": tell}, daemon=True
    )
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield found[0].url
    finally:
        while Visitor.inside:
            Visitor.inside.pop().http.close()
        found[0].stop()
        thread.join(PATIENCE_S)
        shown.close()
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, pool: WorkerPool) -> Path:
    """A folder with a run of three papers, two questions and three readers."""
    folder = tmp_path_factory.mktemp("room")
    made = folder / "papers"
    made.mkdir()
    for name, lines in PAPERS.items():
        write_pdf(made / f"{name}.pdf", lines)
    (made / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    todo = plan([made], QUESTIONS, [HERON, STOAT, OWL])
    stages = Stages(pool, LexicalRetriever(), todo.readers, todo.run.questions, RetrievalSettings())
    with Ledger.at(folder / "out", create=True) as ledger:
        driver.run(todo, LocalEngine(stages, ledger, at_once=1), ledger)
    return folder / "out"


def write_pdf(path: Path, lines: Sequence[str]) -> Path:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=(600, 600), invariant=1)
    for index, line in enumerate(lines):
        canvas.drawString(40, 500 - 14 * index, line)
    canvas.save()
    return path


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy to write to."""
    return Path(shutil.copytree(finished, tmp_path / "out"))


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    with opened(folder) as address:
        yield address


Enter = Callable[..., Visitor]


@pytest.fixture
def enter(url: str) -> Enter:
    return lambda name="", *, blind=False: Visitor(url, name, blind=blind)


def place(visitor: Visitor, paper: str, question: str) -> tuple[str, str]:
    papers = {one["name"]: one["sha256"] for one in visitor.get("/api/matrix")["papers"]}
    return papers[f"{paper}.pdf"], question
