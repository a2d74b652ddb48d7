"""The export format `pdf`: a folder with an annotated copy of each paper's PDF. Needs the extra `pdf`."""

import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from methodlens.confined.child import Child, Children, only_needed
from methodlens.errors import InputError
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import PaperFile, locate_all
from methodlens.papers.pool import check_file, request_reply
from methodlens.records import PaperEntry, PaperStatus, Row
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.formats.export_format import Exported
from methodlens.reports.output_files import atomic_path, output_errors, slug, with_hash
from methodlens.reports.pdf.marks import PaperMarks, group_colours, paper_marks
from methodlens.reports.pdf.worker import Annotated, AnnotateRequest, BlockRequest
from methodlens.settings import PaperLimits, Settings

_PAPERS_PER_WORKER = 100  # then the worker is restarted, which bounds memory leaks of libraries
_MOST_NAMES = 20
_BLOCK = 16 << 20  # bytes of a copy per message, well below the limit of a pipe

T = TypeVar("T")


class _Copy(NamedTuple):
    """An annotated copy, or the reason why there is none."""

    paper: str
    reason: str = ""
    note: str = ""


class _WorkerFailed(Exception):
    """The message says why."""


class AnnotatedPdfs:
    name = "pdf"
    suffix = ""
    description = "a folder with each paper's PDF, its quotes highlighted and its verdicts on a cover page"

    def __init__(self, run: Run | None = None, settings: Settings = Settings()) -> None:  # noqa: B008 - frozen
        self._run, self._settings = run, settings

    def for_run(self, run: Run, ledger: Ledger, settings: Settings) -> "AnnotatedPdfs":
        return AnnotatedPdfs(run, settings)

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        """A paper that cannot be annotated is named in the note; the others are written."""
        if find_spec("pikepdf") is None:
            raise InputError("annotated PDFs need the extra 'pdf' (pikepdf)", "pip install 'methodlens[pdf]'")
        if self._run is None:
            raise InputError("annotated PDFs need the files of a run", "use 'methodlens export --format pdf --out DIR'")
        with output_errors(path):
            path.mkdir(parents=True, exist_ok=True)
        copies, names, cells = _Copies(), _FileNames(), 0
        colours, workers = group_colours(self._run.questions), self._settings.worker_count
        with _Annotators(self._run.sources, self._settings.papers, workers) as annotators:
            for paper, paper_rows in deciding_rows(rows):
                marks = paper_marks(paper, paper_rows, colours)
                copies.add(annotators.submit(paper, marks, path / names.choose(paper)), most_pending=2 * workers)
                cells += len(paper_rows)
            copies.wait()
        return Exported(cells, copies.note, lines=f"{copies.written} of {copies.count} papers")


class _FileNames:
    """Papers whose names are equal, or differ only in characters that file names cannot have, get part of their hash."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def choose(self, paper: PaperEntry) -> str:
        name = slug(paper.name[:-4] if paper.name.lower().endswith(".pdf") else paper.name)
        if name.lower() in self._taken:
            name = with_hash(name, f"{paper.name}\0{paper.sha256}")
        self._taken.add(name.lower())
        return f"{name}.pdf"


class _Copies:
    """What came of each paper, in order; only a few are pending at a time."""

    def __init__(self) -> None:
        self._pending: deque[Future[_Copy]] = deque()
        self._failed: list[str] = []
        self._notes: Counter[str] = Counter()
        self.count = self.written = self._failures = 0

    def add(self, copy: "Future[_Copy]", *, most_pending: int) -> None:
        self._pending.append(copy)
        while len(self._pending) > most_pending:
            self._finish(self._pending.popleft().result())

    def wait(self) -> None:
        while self._pending:
            self._finish(self._pending.popleft().result())

    def _finish(self, copy: _Copy) -> None:
        self.count += 1
        if not copy.reason:
            self.written += 1
            self._notes.update([copy.note] if copy.note else [])
            return
        self._failures += 1
        if self._failures <= _MOST_NAMES:
            self._failed.append(f"{copy.paper}: no annotated PDF: {copy.reason}")

    @property
    def note(self) -> str:
        more = [f"and {self._failures - _MOST_NAMES:,} more without one"] if self._failures > _MOST_NAMES else []
        notes = [f"{note} ({count} {'paper' if count == 1 else 'papers'})" for note, count in self._notes.items()]
        return "\n".join([*notes, *self._failed, *more])


class _Annotators:
    """Child processes that annotate PDFs, each used by one thread."""

    def __init__(self, sources: tuple[str, ...], limits: PaperLimits, size: int) -> None:
        self._files: Mapping[str, PaperFile] = locate_all(sources)
        self._originals = frozenset(os.path.realpath(file.location) for file in self._files.values())
        self._limits = limits
        # restarted here, between papers: the requests for one paper must reach the same process
        self._children = Children("methodlens.reports.pdf.worker", size, max_requests=sys.maxsize, environment=only_needed)
        self._annotated: Counter[Child] = Counter()
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="pdf")
        self._at = datetime.now(UTC).strftime("D:%Y%m%d%H%M%SZ")

    def __enter__(self) -> "_Annotators":
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._children.close()

    def submit(self, paper: PaperEntry, marks: PaperMarks, to: Path) -> "Future[_Copy]":
        return self._threads.submit(self._copy, paper, marks, to)

    def _copy(self, paper: PaperEntry, marks: PaperMarks, to: Path) -> _Copy:
        file = self._files.get(paper.name)
        if paper.status is not PaperStatus.OK:
            return _Copy(paper.name, f"{paper.status.value}: {paper.reason}")
        if file is None:
            return _Copy(paper.name, "its PDF was not found in the folders of the run; put it back or run methodlens again")
        if os.path.realpath(to) in self._originals:
            return _Copy(paper.name, "its copy would replace a paper of the run; choose another folder with --to")
        if failure := check_file(file.path, self._limits):
            return _Copy(paper.name, failure[1])
        request = AnnotateRequest(os.fsencode(file.path.absolute()), paper.sha256, self._limits, marks, self._at)
        try:
            with self._children.borrow() as child:
                annotated = self._ask(child, request, partial(msgspec.json.decode, type=Annotated))
                if annotated.reason:
                    return _Copy(paper.name, annotated.reason)
                with atomic_path(to) as draft, draft.open("wb") as out:
                    for start in range(0, annotated.size, _BLOCK):
                        out.write(self._ask(child, BlockRequest(start, _BLOCK, self._limits), bytes))
                self._annotated[child] += 1
                if self._annotated[child] % _PAPERS_PER_WORKER == 0:
                    child.kill()
                return _Copy(paper.name, note=annotated.note)
        except _WorkerFailed as err:
            return _Copy(paper.name, str(err))

    def _ask(self, child: Child, request: AnnotateRequest | BlockRequest, decode: Callable[[bytes], T]) -> T:
        reply, failure = request_reply(child, msgspec.json.encode(request), self._limits, decode)
        if reply is None:
            raise _WorkerFailed(failure[1])
        return reply
