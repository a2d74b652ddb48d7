"""A run of any size: the matrix comes in pages, queues are led through a few cells at a time, and nobody is led in circles."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile, copytree

import httpx
import pytest
from msgspec.structs import replace

from methodlens.ledger.ledger import Ledger
from methodlens.records import Annotation, Status
from methodlens.web.review import queue_index as survey
from methodlens.web.review import queues
from methodlens.web.review.annotation_index import Words
from methodlens.web.review.queues import Queue
from methodlens.web.review.room import Room, Who
from tests.web.conftest import Visitor, opened
from tests.web.corpus import large_run

PAPERS = 1001
ANN = Who("ann")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many") / "out"
    large_run(folder, PAPERS, questions=1)
    return folder


@pytest.fixture
def visitor(many: Path, tmp_path: Path) -> Iterator[Visitor]:
    with opened(Path(copytree(many, tmp_path / "out"))) as url:
        yield Visitor(url, "ann")


def test_the_matrix_has_every_paper_on_one_page_and_says_which(visitor: Visitor) -> None:
    pages = [visitor.get("/api/matrix", page=number) for number in (1, 2, 3)]
    assert [(one["page"], one["pages"], one["total"], len(one["papers"])) for one in pages] == [
        (1, 3, PAPERS, 500),
        (2, 3, PAPERS, 500),
        (3, 3, PAPERS, 1),
    ]
    names = [paper["name"] for one in pages for paper in one["papers"]]
    assert names == [f"paper-{number:05}.pdf" for number in range(1, PAPERS + 1)]
    assert visitor.http.get("/api/matrix?page=4").status_code == 404
    assert visitor.http.get("/?page=4").status_code == 404
    assert "papers 501–1,000 of 1,001" in visitor.http.get("/?page=2").text
    (last,) = pages[2]["papers"]
    assert str(visitor.http.get(f"/?at={last['sha256']}").url).endswith(f"/?page=3#{last['sha256']}")
    cell = visitor.http.get(f"/cells/{last['sha256']}/CQ1").text
    assert f'href="/?at={last["sha256"]}"' in cell


def test_a_search_covers_all_papers_by_name_and_title_and_says_so(visitor: Visitor) -> None:
    found = visitor.get("/api/matrix", find="BARGE 99")
    assert [one["name"] for one in found["papers"]] == [f"paper-{n:05}.pdf" for n in (99, *range(990, 1000))]
    assert (found["page"], found["until"], found["pages"]) == (1, 3, 3)
    everything = visitor.get("/api/matrix", find="paper-")
    assert (len(everything["papers"]), everything["until"]) == (500, 1)
    assert visitor.get("/api/matrix", find="paper-", page=3)["papers"][0]["name"] == "paper-01001.pdf"
    assert visitor.get("/api/matrix", find="no such words")["papers"] == []


def test_queues_send_a_few_hundred_cells_and_count_all(visitor: Visitor) -> None:
    unseen = visitor.get("/api/queue", queue="unseen")
    assert (len(unseen["cells"]), unseen["left"]) == (queues.MOST, PAPERS)
    assert len(visitor.get("/api/queue", queue="all")["cells"]) == queues.MOST
    assert visitor.get("/api/queue", queue="all")["left"] == PAPERS
    assert [one["queue"] for one in visitor.get("/api/queues")] == ["withheld", "disagreements", "random", "unseen"]
    visitor.decide(tuple(unseen["cells"][0]), "reported")
    elsewhere = visitor.get("/api/matrix", page=3)["papers"][0]["sha256"]
    visitor.decide((elsewhere, "CQ1"), "reported")
    assert visitor.get("/api/queue", queue="unseen")["left"] == PAPERS - 2
    visitor.post("/api/undo", {})
    assert visitor.get("/api/queue", queue="unseen")["left"] == PAPERS - 1
    visitor.post("/api/undo", {})
    assert visitor.get("/api/queue", queue="unseen")["cells"] == unseen["cells"]


def walked(room: Room, queue: Queue) -> list[tuple[str, str]]:
    """From the first cell on by 'next' alone, until there is none or one comes again."""
    found: list[tuple[str, str]] = []
    place = ("", "")
    while (following := room.after(queue, ANN, seed=7, place=place)) and following not in found:
        found.append(following)
        place = following
    return found


@pytest.fixture
def copies(finished: Path, tmp_path: Path) -> Path:
    """A run with the same paper under two names, the later of which comes first by the alphabet."""
    folder = Path(copytree(finished, tmp_path / "out"))
    with Ledger.at(folder) as ledger:
        run = ledger.runs()[0]
        names = (*ledger.names(run), "A copy of b.pdf")
        entry, parser = next(pair for pair in ledger.entries(run) if pair[0].name == "b.pdf")
        cells = ledger.cells(run, entry, parser)
        ledger.begin(replace(run, papers=len(names)), names)
        ledger.keep_entry(run.id, replace(entry, name=names[-1]), parser)
        for cell in cells:
            ledger.reuse_cell(run.id, names[-1], cell)
    return folder


@pytest.mark.parametrize("queue", list(Queue))
def test_every_cell_of_a_queue_is_come_by_once_however_few_are_held(
    copies: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.at(copies) as ledger:
        whole = walked(Room(ledger), queue)
        assert sorted(whole) == sorted(Room(ledger).queue(queue, ANN, seed=7).cells)
        assert len(whole) == (2 if queue is Queue.DISAGREEMENTS else 0 if queue is Queue.WITHHELD else 6)
        monkeypatch.setattr(queues, "MOST", 2)
        assert walked(Room(ledger), queue) == whole


def test_who_decides_cell_by_cell_comes_to_the_end(copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "MOST", 2)
    with Ledger.at(copies) as ledger:
        room = Room(ledger)
        done: list[tuple[str, str]] = []
        place = ("", "")
        while following := room.after(Queue.UNSEEN, ANN, seed=7, place=place):
            assert room.queue(Queue.UNSEEN, ANN, seed=7).left == 6 - len(done)
            ledger.keep_annotations([Annotation(*following, "ann", Status.REPORTED, f"2020-01-0{len(done) + 1}")])
            done.append(following)
            place = following
        assert len(set(done)) == 6
        assert room.queue(Queue.UNSEEN, ANN, seed=7).left == 0
        room.undo(ANN)
        assert room.after(Queue.UNSEEN, ANN, seed=7, place=("", "")) == done[-1]


def test_a_person_who_contradicts_the_verdict_makes_a_disagreement(copies: Path) -> None:
    with Ledger.at(copies) as ledger:
        room = Room(ledger)
        before = room.queue(Queue.DISAGREEMENTS, ANN, seed=7)
        agreed = next(place for place in room.queue(Queue.ALL, ANN, seed=7).cells if place not in before.cells)
        verdict = room.cell(*agreed, ANN).verdict
        other = Status.NOT_REPORTED if verdict is Status.REPORTED else Status.REPORTED
        ledger.keep_annotations([Annotation(*agreed, "bob", other, "2030-01-01")])
        after = room.queue(Queue.DISAGREEMENTS, ANN, seed=7)
        assert (set(after.cells), after.left) == ({*before.cells, agreed}, before.left + 1)
        assert set(walked(room, Queue.DISAGREEMENTS)) == set(after.cells)


def test_a_run_that_goes_on_is_noticed_by_its_queues(copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "_QUICK_S", 3600)  # however busy this machine is
    with Ledger.at(copies) as ledger, Ledger.at(copies) as other:
        room = Room(ledger)
        (first, *_) = room.queue(Queue.ALL, ANN, seed=7).cells
        assert room.queue(Queue.WITHHELD, ANN, seed=7).left == 0
        run = other.runs()[0]
        entry, parser = other.entries_of(run, [first[0]])[first[0]]
        for cell in other.cells(run, entry, parser, question=first[1]):
            doubt = replace(cell, key=cell.key[::-1], verdict=replace(cell.verdict, status=Status.WITHHELD))
            other.keep_cell(run.id, entry.name, doubt)
        assert room.queue(Queue.WITHHELD, ANN, seed=7).cells == (first,)


def test_words_that_come_late_or_are_taken_back_elsewhere_are_heard(tmp_path: Path) -> None:
    def word(at: int, status: Status = Status.REPORTED, *, undo: bool = False) -> Annotation:
        return Annotation("ab", "Q1", "ann", status, f"2030-01-0{at}", undo=undo)

    with Ledger.at(tmp_path, create=True) as ledger:
        words = Words(ledger)
        assert words.all() == []
        ledger.keep_annotations([word(5)])
        assert words.of("ann") == {("ab", "Q1"): Status.REPORTED}
        ledger.keep_annotations([word(3, Status.NOT_REPORTED), replace(word(4), annotator="published:x")])
        assert [one.at for one in words.all()] == ["2030-01-05"]
        ledger.keep_annotations([word(6, undo=True)])
        assert words.of("ann") == {("ab", "Q1"): Status.NOT_REPORTED}
        assert list(words.whole(words.all())) == [word(3, Status.NOT_REPORTED)]
        ledger.keep_annotations([word(7, undo=True)])
        assert (words.of("ann"), words.all()) == ({}, [])


def test_an_export_that_breaks_in_the_middle_is_no_whole_file(many: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    copyfile(many / "ledger.sqlite", folder / "ledger.sqlite")
    with opened(folder) as url:
        visitor = Visitor(url)
        whole = visitor.http.get("/api/export/cells.jsonl").text
        assert len(whole.splitlines()) == 3 * PAPERS
        assert visitor.http.get("/api/export/cells.csv").content.startswith(b"\xef\xbb\xbf")
        with sqlite3.connect(folder / "ledger.sqlite") as connection:
            connection.execute("UPDATE run_papers SET checksum = 'x' WHERE paper = 'paper-01001.pdf'")
        connection.close()
        with pytest.raises(httpx.RemoteProtocolError):
            visitor.http.get("/api/export/cells.jsonl")
        with sqlite3.connect(folder / "ledger.sqlite") as connection:
            connection.execute("UPDATE run_papers SET checksum = 'x'")
        connection.close()
        refused = visitor.http.get("/api/export/cells.jsonl")
        assert refused.status_code == 409
        assert re.search("damaged.*run again", refused.json()["detail"])
