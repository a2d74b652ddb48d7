"""Fakes with canned results for the seams and the engine: for tests and experiments."""

import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from methodlens.engine.execute import Task, entry_of
from methodlens.errors import ReaderFailed
from methodlens.ledger.paper_results import PaperResult
from methodlens.records import Answer, Box, Hit, Paper, PaperStatus, Passage, Question, ReaderInfo, Status, Tally, Verdict


class FakeParser:
    """Returns the paper given for a file name, or a malformed one."""

    fingerprint = "fake-parser"

    def __init__(self, papers: Mapping[str, Paper]) -> None:
        self._papers = papers

    def parse(self, path: Path) -> Paper:
        unknown = Paper(sha256="", parser=self.fingerprint, status=PaperStatus.MALFORMED, reason=f"no fake paper {path.name}")
        return self._papers.get(path.name, unknown)


class FakeIndex:
    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages

    def rank(self, question: Question) -> Sequence[Hit]:
        return [Hit(passage, score=1.0 / rank) for rank, passage in enumerate(self._passages, 1)]


class FakeRetriever:
    """Returns every passage, in the order of the paper."""

    def index(self, passages: Sequence[Passage]) -> FakeIndex:
        return FakeIndex(passages)


class FakeReader:
    """Returns the answer given for a question's id and fails on others. `asked` lists the ids in order."""

    def __init__(self, answers: Mapping[str, Answer], name: str = "fake", *, model: str = "canned") -> None:
        self.info = ReaderInfo(name, model, f"{name}-{model}")
        self.asked: list[str] = []
        self._answers = answers

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        self.asked.append(question.id)
        if question.id not in self._answers:
            raise ReaderFailed(f"{self.info.name} has no answer to {question.id}", "add one to `answers`")
        return self._answers[question.id]


class FakePagePictures:
    """The same bytes for every page of the papers it knows. `asked` lists the pages."""

    def __init__(self, papers: Collection[str], png: bytes) -> None:
        self._papers, self._png = papers, png
        self.asked: list[int] = []

    def picture(self, paper_sha256: str, page: int, box: Box) -> bytes:
        self.asked.append(page)
        return self._png if paper_sha256 in self._papers else b""


class FakeVote:
    """Always the same status, whatever the verdicts."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally:
        return Tally(self._status, {reader: verdict.status for reader, verdict in verdicts.items()}, rule="fake")


class FakeEngine:
    """Calls every paper malformed. `most` is the highest number of papers in progress at a time."""

    local_files = False

    def __init__(self, *, at_once: int = 1) -> None:
        self.at_once = at_once
        self.most = self._now = 0
        self._lock = threading.Lock()

    def execute(self, task: Task) -> PaperResult:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            paper = Paper(f"sha256 of {task.name}", "fake-parser", PaperStatus.MALFORMED, "it does not exist")
            return PaperResult(entry_of(task.name, paper), paper.parser)
        finally:
            with self._lock:
                self._now -= 1

    def abandon(self) -> None:
        pass
