"""Papers and questions added in the browser: processed in the background, saved under safe names."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from methodlens.ledger import run_rows
from methodlens.ledger.store import Ledger
from methodlens.questions import QuestionSet
from methodlens.records import Question
from methodlens.settings_sources import load
from methodlens.web.background_jobs import ENDED
from methodlens.web.http.uploads import Upload, UploadRules, save_all
from tests.engine.serving import honest, write_settings
from tests.loopback import chat_server
from tests.waiting import wait_until
from tests.web.conftest import COUNTED, TRAINED, Visitor, open_room, write_pdf

HARDWARE = QuestionSet("one", "One", "", (Question("CQ20", "Which hardware was the network trained on?", facts=("hardware",)),))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def visitor(out: Path) -> Iterator[Visitor]:
    """In a room without a run."""
    with open_room(out, questions=HARDWARE) as url:
        yield Visitor(url, "ann")


def wait_for_jobs(visitor: Visitor) -> list[dict[str, object]]:
    def ended() -> bool:
        jobs[:] = visitor.get("/api/jobs")
        return bool(jobs) and all(job["state"] in ENDED for job in jobs)

    jobs: list[dict[str, object]] = []
    wait_until(ended)
    return jobs


def send(visitor: Visitor, *files: tuple[str, bytes]) -> int:
    return visitor.http.post(
        "/api/papers", files=[("files", (name, body, "application/pdf")) for name, body in files]
    ).status_code


def test_added_papers_and_questions_appear_in_the_matrix(visitor: Visitor, out: Path, tmp_path: Path) -> None:
    assert "No papers yet" in visitor.http.get("/").text
    gpu = "All networks were trained on two NVIDIA A100 GPUs with 40 GB of memory each."
    first = write_pdf(tmp_path / "first.pdf", [gpu, COUNTED]).read_bytes()
    second = write_pdf(tmp_path / "second.pdf", [TRAINED, COUNTED]).read_bytes()
    assert send(visitor, ("first.pdf", first)) == 202
    assert [job["state"] for job in wait_for_jobs(visitor)] == ["done"]
    (paper,) = visitor.get("/api/matrix")["papers"]
    assert (paper["name"], paper["marks"]) == ("first.pdf", ["reported"])
    assert visitor.http.get(f"/api/papers/{paper['sha256']}/pages/1/picture").content.startswith(b"\x89PNG")
    assert send(visitor, ("../../second.pdf", second), ("first.pdf", first)) == 202
    assert [job["state"] for job in wait_for_jobs(visitor)] == ["done", "done"]
    assert [paper["name"] for paper in visitor.get("/api/matrix")["papers"]] == ["first.pdf", "second.pdf"]
    visitor.annotate((paper["sha256"], "CQ20"), "reported")
    visitor.post("/api/questions", {"text": "How many gulls were counted?"})
    jobs = wait_for_jobs(visitor)
    assert (jobs[-1]["state"], jobs[-1]["done"], jobs[-1]["total"]) == ("done", 2, 2)
    seen = visitor.get("/api/matrix")
    assert [question["id"] for question in seen["questions"]] == ["CQ20", "QA"]
    assert all(mark is not None for paper in seen["papers"] for mark in paper["marks"])
    assert seen["papers"][0]["mine"] == ["reported", None]
    again = visitor.http.post("/api/questions", json={"text": "how many gulls were counted"})
    assert again.status_code == 400
    assert "question QA" in again.json()["detail"]
    assert {path.name for path in (out / "uploads").iterdir()} == {"first.pdf", "second.pdf"}
    with Ledger.at(out) as ledger:
        assert len(list(run_rows.rows(ledger, run_rows.latest(ledger)))) == 4


NAMES = [
    "../../etc/passwd",
    "CON.pdf",
    "a\\b\\c.pdf",
    ".hidden.pdf",
    "x" * 300 + ".pdf",
    "né\u202efdp.exe",
    "-rf.pdf",
    ".pdf",
    "",
]


@pytest.mark.parametrize("name", NAMES)
def test_an_upload_is_saved_in_the_folder_under_a_safe_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "uploads"
    body = write_pdf(tmp_path / "x.pdf", [TRAINED]).read_bytes()
    (saved,), _ = save_all([Upload(name, io.BytesIO(body))], folder, UploadRules(lambda _: False, 1))
    assert list(folder.iterdir()) == [saved.path]
    assert saved.path.read_bytes() == body
    assert saved.name.endswith(".pdf")
    assert saved.name.isascii()
    assert not saved.name.startswith((".", "-"))
    assert len(saved.name) < 120
    assert saved.name.split(".")[0].lower() != "con"


def test_different_papers_with_the_same_name_are_both_kept(visitor: Visitor, tmp_path: Path) -> None:
    send(visitor, ("x.pdf", write_pdf(tmp_path / "1.pdf", [TRAINED]).read_bytes()))
    wait_for_jobs(visitor)
    send(visitor, ("x.pdf", write_pdf(tmp_path / "2.pdf", [COUNTED]).read_bytes()))
    wait_for_jobs(visitor)
    names = [paper["name"] for paper in visitor.get("/api/matrix")["papers"]]
    assert len(set(names)) == 2


@pytest.mark.parametrize("body", [b"", b"<html>not yet</html>", b"GIF89a"])
def test_a_file_that_is_not_a_pdf_is_refused_and_removed(visitor: Visitor, out: Path, body: bytes) -> None:
    assert send(visitor, ("x.pdf", body)) == 400
    assert list((out / "uploads").iterdir()) == []
    assert visitor.get("/api/jobs") == []


def test_a_bad_file_does_not_reject_the_good_ones(visitor: Visitor, out: Path, tmp_path: Path) -> None:
    good = write_pdf(tmp_path / "good.pdf", [TRAINED]).read_bytes()
    files = [("files", (name, body, "application/pdf")) for name, body in (("bad.pdf", b"GIF89a"), ("good.pdf", good))]
    answer = visitor.http.post("/api/papers", files=files)
    assert answer.status_code == 202
    (refused,) = answer.json()["refused"]
    assert refused["name"] == "bad.pdf"
    assert "choose a PDF" in refused["reason"]
    wait_for_jobs(visitor)
    assert [paper["name"] for paper in visitor.get("/api/matrix")["papers"]] == ["good.pdf"]
    both_bad = visitor.http.post("/api/papers", files=[("files", (name, b"x", "application/pdf")) for name in ("a.pdf", "b.pdf")])
    assert both_bad.status_code == 400
    assert "a.pdf" in both_bad.json()["detail"]
    assert "b.pdf" in both_bad.json()["detail"]


def test_a_file_over_the_size_limit_is_refused(out: Path) -> None:
    with open_room(out, questions=HARDWARE, max_file_mb=1) as url:
        assert send(Visitor(url), ("x.pdf", b"%PDF-1.7" + bytes(1 << 20))) == 400


def test_a_job_stops_and_reports_it_when_its_budget_is_spent(out: Path, tmp_path: Path) -> None:
    paper = write_pdf(tmp_path / "x.pdf", [TRAINED, COUNTED]).read_bytes()
    questions = QuestionSet("three", "Three", "", tuple(Question(f"Q{n}", f"How many gulls of kind {n}?") for n in (1, 2, 3)))
    with chat_server(honest) as fern:
        settings = load(write_settings(tmp_path / "s.toml", fern={"base_url": fern.url, "concurrency": 1}))
        with open_room(out, settings=settings, questions=questions, readers=("chat:fern",), max_tokens=1) as url:
            visitor = Visitor(url)
            send(visitor, ("x.pdf", paper))
            (job,) = wait_for_jobs(visitor)
            assert (job["state"], len(fern.requests)) == ("stopped", 1)
            assert "--max-tokens 1 is reached (42); 2 cells are left" in str(job["message"])


def test_a_job_waits_while_another_process_writes(visitor: Visitor, out: Path, tmp_path: Path) -> None:
    with Ledger.at(out, create=True) as other:
        with other.lock():
            send(visitor, ("x.pdf", write_pdf(tmp_path / "x.pdf", [TRAINED]).read_bytes()))
            wait_until(lambda: visitor.get("/api/jobs")[0]["message"])
            assert visitor.get("/api/jobs")[0]["message"] == "waiting for another run to end"
            assert other.runs() == []
        assert [job["state"] for job in wait_for_jobs(visitor)] == ["done"]
        assert len(other.runs()) == 1
