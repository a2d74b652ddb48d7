"""Large runs: the matrix comes in pages, queues in windows, and every cell of a queue is visited once."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile, copytree

import httpx
import pytest
from msgspec.structs import replace

from methodlens.ledger.paper_results import CellRecord, PaperResult
from methodlens.ledger.store import Ledger
from methodlens.records import Annotation, ContentRef, Status
from methodlens.web.review import queue_index, queues
from methodlens.web.review.annotation_index import AnnotationIndex
from methodlens.web.review.queues import Queue
from methodlens.web.review.reviewer import Reviewer
from methodlens.web.review.room import START, Room
from tests.web.conftest import Visitor, open_room
from tests.web.corpus import large_run

PAPERS = 1001
ANN = Reviewer("ann")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many") / "out"
    large_run(folder, PAPERS, questions=1)
    return folder


@pytest.fixture
def visitor(many: Path, tmp_path: Path) -> Iterator[Visitor]:
    with open_room(Path(copytree(many, tmp_path / "out"))) as url:
        yield Visitor(url, "ann")


def test_every_paper_is_on_exactly_one_page_of_the_matrix(visitor: Visitor) -> None:
    pages = [visitor.get("/api/matrix", page=number) for number in (1, 2, 3)]
    assert [(page["page"], page["pages"], page["total"], len(page["papers"])) for page in pages] == [
        (1, 3, PAPERS, 500),
        (2, 3, PAPERS, 500),
        (3, 3, PAPERS, 1),
    ]
    names = [paper["name"] for page in pages for paper in page["papers"]]
    assert names == [f"paper-{number:05}.pdf" for number in range(1, PAPERS + 1)]
    assert visitor.http.get("/api/matrix?page=4").status_code == 404
    assert visitor.http.get("/?page=4").status_code == 404
    assert "papers 501–1,000 of 1,001" in visitor.http.get("/?page=2").text
    (last,) = pages[2]["papers"]
    assert str(visitor.http.get(f"/?at={last['sha256']}").url).endswith(f"/?page=3#{last['sha256']}")
    cell = visitor.http.get(f"/cells/{last['sha256']}/CQ1").text
    assert f'/?at={last["sha256"]}:CQ1"' in cell
    assert str(visitor.http.get(f"/?at={last['sha256']}:CQ1").url).endswith(f"/?page=3#{last['sha256']}:CQ1")


def test_a_search_covers_names_and_titles_of_all_papers_and_reports_its_range(visitor: Visitor) -> None:
    matches = visitor.get("/api/matrix", find="BARGE 99")
    assert [paper["name"] for paper in matches["papers"]] == [f"paper-{n:05}.pdf" for n in (99, *range(990, 1000))]
    assert (matches["page"], matches["until"], matches["pages"]) == (1, 3, 3)
    everything = visitor.get("/api/matrix", find="paper-")
    assert (len(everything["papers"]), everything["until"]) == (500, 1)
    assert visitor.get("/api/matrix", find="paper-", page=3)["papers"][0]["name"] == "paper-01001.pdf"
    assert visitor.get("/api/matrix", find="no such words")["papers"] == []


def test_a_queue_sends_its_first_cells_and_the_number_of_all(visitor: Visitor) -> None:
    unseen = visitor.get("/api/queue", queue="unseen")
    assert (len(unseen["cells"]), unseen["left"]) == (queues.MOST, PAPERS)
    assert len(visitor.get("/api/queue", queue="all")["cells"]) == queues.MOST
    assert visitor.get("/api/queue", queue="all")["left"] == PAPERS
    assert [queue["queue"] for queue in visitor.get("/api/queues")] == [*queues.OPEN, "adjudicate"]
    visitor.annotate(tuple(unseen["cells"][0]), "reported")
    on_page_3 = visitor.get("/api/matrix", page=3)["papers"][0]["sha256"]
    visitor.annotate((on_page_3, "CQ1"), "reported")
    assert visitor.get("/api/queue", queue="unseen")["left"] == PAPERS - 2
    visitor.post("/api/undo", {})
    assert visitor.get("/api/queue", queue="unseen")["left"] == PAPERS - 1
    visitor.post("/api/undo", {})
    assert visitor.get("/api/queue", queue="unseen")["cells"] == unseen["cells"]


def walk(room: Room, queue: Queue) -> list[ContentRef]:
    """Follow 'next' from the first cell until there is none or a cell comes again."""
    visited: list[ContentRef] = []
    ref = START
    while (following := room.next_cell(queue, ANN, seed=7, after=ref)) and following not in visited:
        visited.append(following)
        ref = following
    return visited


@pytest.fixture
def copies(finished_run: Path, tmp_path: Path) -> Path:
    """A run with the same paper under two names, of which the later comes first in the alphabet."""
    folder = Path(copytree(finished_run, tmp_path / "out"))
    with Ledger.at(folder) as ledger:
        run = ledger.runs()[0]
        names = (*ledger.names(run), "A copy of b.pdf")
        entry, parser = next(pair for pair in ledger.entries(run) if pair[0].name == "b.pdf")
        cells = ledger.cells(run, entry, parser)
        ledger.begin(replace(run, papers=len(names)), names)
        known = tuple(CellRecord(cell.key, cell.question, cell.reader, cell.verdict) for cell in cells)
        ledger.keep_result(run.id, PaperResult(replace(entry, name=names[-1]), parser, known=known))
    return folder


CELLS = {Queue.DISAGREEMENTS: 2, Queue.WITHHELD: 0, Queue.INFORMATIVE: 5, Queue.ADJUDICATE: 0}


@pytest.mark.parametrize("queue", list(Queue))
def test_every_cell_of_a_queue_is_visited_once_whatever_the_size_of_a_window(
    copies: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.at(copies) as ledger:
        visited = walk(Room(ledger), queue)
        assert sorted(visited) == sorted(Room(ledger).queue(queue, ANN, seed=7).cells)
        assert len(visited) == CELLS.get(queue, 6)
        monkeypatch.setattr(queues, "MOST", 2)
        # the most informative cells are ranked again when the first have been decided, and not while none has
        assert walk(Room(ledger), queue) == (visited[:2] if queue is Queue.INFORMATIVE else visited)


def test_a_reviewer_who_decides_every_cell_reaches_the_end_of_the_queue(copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "MOST", 2)
    with Ledger.at(copies) as ledger:
        room = Room(ledger)
        done: list[ContentRef] = []
        ref = START
        while following := room.next_cell(Queue.UNSEEN, ANN, seed=7, after=ref):
            assert room.queue(Queue.UNSEEN, ANN, seed=7).left == 6 - len(done)
            ledger.keep_annotations([Annotation(*following, "ann", Status.REPORTED, f"2020-01-0{len(done) + 1}")])
            done.append(following)
            ref = following
        assert len(set(done)) == 6
        assert room.queue(Queue.UNSEEN, ANN, seed=7).left == 0
        room.undo(ANN)
        assert room.next_cell(Queue.UNSEEN, ANN, seed=7) == done[-1]


def test_a_person_who_contradicts_the_verdict_makes_a_disagreement(copies: Path) -> None:
    with Ledger.at(copies) as ledger:
        room = Room(ledger)
        before = room.queue(Queue.DISAGREEMENTS, ANN, seed=7)
        agreed = next(ref for ref in room.queue(Queue.ALL, ANN, seed=7).cells if ref not in before.cells)
        verdict = room.cell(*agreed, ANN).verdict
        other = Status.NOT_REPORTED if verdict is Status.REPORTED else Status.REPORTED
        ledger.keep_annotations([Annotation(*agreed, "bob", other, "2030-01-01")])
        after = room.queue(Queue.DISAGREEMENTS, ANN, seed=7)
        assert (set(after.cells), after.left) == ({*before.cells, agreed}, before.left + 1)
        assert set(walk(room, Queue.DISAGREEMENTS)) == set(after.cells)


def test_queues_follow_a_run_in_progress(copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_index, "_QUICK_S", 3600)  # no cooldown, however busy this machine is
    with Ledger.at(copies) as ledger, Ledger.at(copies) as other:
        room = Room(ledger)
        (first, *_) = room.queue(Queue.ALL, ANN, seed=7).cells
        assert room.queue(Queue.WITHHELD, ANN, seed=7).left == 0
        run = other.runs()[0]
        entry, parser = other.entries_of(run, [first.paper_sha256])[first.paper_sha256]
        for cell in other.cells(run, entry, parser, question=first.question):
            withheld = replace(cell, key=cell.key[::-1], verdict=replace(cell.verdict, status=Status.WITHHELD))
            other.keep_cell(run.id, entry.name, withheld)
        assert room.queue(Queue.WITHHELD, ANN, seed=7).cells == (first,)


def test_late_annotations_and_undos_from_another_process_are_noticed(tmp_path: Path) -> None:
    def annotation(at: int, status: Status = Status.REPORTED, *, undo: bool = False) -> Annotation:
        return Annotation("ab", "Q1", "ann", status, f"2030-01-0{at}", undo=undo)

    with Ledger.at(tmp_path, create=True) as ledger:
        index = AnnotationIndex(ledger)
        assert index.all() == []
        ledger.keep_annotations([annotation(5)])
        assert index.statuses("ann") == {("ab", "Q1"): Status.REPORTED}
        ledger.keep_annotations([annotation(3, Status.NOT_REPORTED), replace(annotation(4), annotator="published:x")])
        assert [summary.at for summary in index.all()] == ["2030-01-05"]
        ledger.keep_annotations([annotation(6, undo=True)])
        assert index.statuses("ann") == {("ab", "Q1"): Status.NOT_REPORTED}
        assert list(index.load(index.all())) == [annotation(3, Status.NOT_REPORTED)]
        ledger.keep_annotations([annotation(7, undo=True)])
        assert (index.statuses("ann"), index.all()) == ({}, [])


@pytest.mark.long
def test_an_export_that_fails_midway_breaks_the_connection(many: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    copyfile(many / "ledger.sqlite", folder / "ledger.sqlite")
    with open_room(folder) as url:
        visitor = Visitor(url)
        whole = visitor.http.get("/api/export/cells.jsonl").text
        assert len(whole.splitlines()) == 4 * PAPERS  # two readers, the vote and the final word
        with visitor.http.stream("GET", "/api/export/cells.csv") as csv:
            assert next(csv.iter_raw()).startswith(b"\xef\xbb\xbf")
        with sqlite3.connect(folder / "ledger.sqlite") as connection:
            connection.execute("UPDATE listings SET checksum = 'x' WHERE page = 2")
        connection.close()
        with pytest.raises(httpx.RemoteProtocolError):
            visitor.http.get("/api/export/cells.jsonl")
        with sqlite3.connect(folder / "ledger.sqlite") as connection:
            connection.execute("UPDATE listings SET checksum = 'x'")
        connection.close()
        refused = visitor.http.get("/api/export/cells.jsonl")
        assert refused.status_code == 409
        assert re.search("damaged.*rerun", refused.json()["detail"])
