"""The review room on a ledger in PostgreSQL: same results as on SQLite, and safe when the server is killed."""

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from methodlens.ledger.store import Ledger
from methodlens.ledger.upkeep import copy
from tests.cli.conftest import Call, methodlens, one_line  # noqa: F401
from tests.conftest import EXAMPLES
from tests.long.postgres import PASSWORD, Server, server
from tests.waiting import PATIENCE_S, wait_until
from tests.web import test_no_server_errors as odd
from tests.web.conftest import TRAINED, Visitor, finished_run, open_room, write_pdf
from tests.web.test_adding import HARDWARE, send, wait_for_jobs

__all__ = ["finished_run"]

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("password")]
PAPERS = EXAMPLES / "papers"


def test_a_run_of_another_process_is_shown_reviewed_and_exported(
    postgres: Server,
    methodlens: Call,  # noqa: F811
    tmp_path: Path,
) -> None:
    url = postgres.new_database("looking")
    with open_room(tmp_path / "room", ledger=Ledger.on(url, create=True, ping=True)) as address:
        ann = Visitor(address, "ann")
        assert "No papers yet" in ann.http.get("/").text
        run = [sys.executable, "-m", "methodlens.cli.app", "run", PAPERS, "--out", tmp_path / "run", "--ledger", url]
        with subprocess.Popen(list(map(str, run)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as going:
            wait_until(lambda: any(ann.get("/api/matrix")["papers"]))
            assert going.wait() == 0
        seen = ann.get("/api/matrix")
        assert (len(seen["papers"]), len(seen["questions"])) == (5, 28)
        first, second = ann.get("/api/queue", queue="unseen")["cells"][:2]
        assert ann.get("/api/cells/{}/{}".format(*first))["passages"]
        assert ann.http.get(f"/api/papers/{first[0]}/pages/1/picture").content.startswith(b"\x89PNG")
        ann.annotate(first, "reported", note="as they say")
        ann.annotate(second, "not_reported")
        assert ann.post("/api/undo", {})["question"] == second[1]
        assert [(one["paper_sha256"], one["question"]) for one in ann.get("/api/annotations")] == [tuple(first)]
        assert [one["n"] for one in ann.get("/api/agreement")["verdict"]] in ([0], [1])
        assert ann.http.get("/api/export/cells.jsonl").text == methodlens("export", "--ledger", url).out
        assert "as they say" in ann.http.get("/api/export/annotations.csv").text
        assert ann.http.get("/api/export/cells.xlsx").content.startswith(b"PK")
    assert not (tmp_path / "room" / "ledger.sqlite").exists()


def test_papers_and_questions_are_added_with_claims_instead_of_a_lock(postgres: Server, tmp_path: Path) -> None:
    url = postgres.new_database("adding")
    paper = write_pdf(tmp_path / "x.pdf", [TRAINED]).read_bytes()
    with open_room(tmp_path / "room", questions=HARDWARE, ledger=Ledger.on(url, create=True, lease_s=3)) as address:
        ann = Visitor(address, "ann")
        assert send(ann, ("x.pdf", paper)) == 202
        assert [job["state"] for job in wait_for_jobs(ann)] == ["done"]
        ann.post("/api/questions", {"text": "How many gulls were counted?"})
        assert [job["state"] for job in wait_for_jobs(ann)] == ["done", "done"]
        (line,) = ann.get("/api/matrix")["papers"]
        assert len(line["marks"]) == 2
        assert None not in line["marks"]
    assert (tmp_path / "room" / "uploads" / "x.pdf").is_file()
    assert postgres.query("SELECT count(*) FROM claims WHERE done_at IS NULL", "adding") == [(0,)]
    assert postgres.query("SELECT count(*) FROM claims", "adding") == [(1,)]


def test_odd_values_give_no_server_error(postgres: Server, finished_run: Path, tmp_path: Path) -> None:
    there = Ledger.on(postgres.new_database("odd"), create=True)
    with Ledger.at(finished_run) as ledger:
        copy(ledger, there)
    with open_room(tmp_path / "room", ledger=there) as address:
        ann = Visitor(address, "ann")
        odd.test_odd_values_in_any_parameter_give_no_server_error(ann)
        odd.test_a_lone_surrogate_in_an_answer_is_refused_or_replaced(ann)


def test_the_page_reports_a_killed_server_and_recovers_when_it_is_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with server() as postgres:
        url = postgres.new_database("dying")
        made = Ledger.on(url, create=True, ping=True)
        with open_room(tmp_path / "room", questions=HARDWARE, ledger=made) as address:
            ann = Visitor(address, "ann")
            send(ann, ("x.pdf", write_pdf(tmp_path / "x.pdf", [TRAINED]).read_bytes()))
            wait_for_jobs(ann)
            (place,) = ann.get("/api/queue", queue="all")["cells"]
            with ann.http.stream("GET", "/api/events", timeout=PATIENCE_S) as events:
                lines = events.iter_lines()
                assert next(lines) == "event: state"
                postgres.kill()
                event = next(line for line in lines if line.startswith("data:") and "detail" in line)
                assert "start the database server" in event
                refused = [ann.http.get(path) for path in ("/", "/api/matrix", "/cells/{}/{}".format(*place), "/agreement")]
                body = {"paper_sha256": place[0], "question": place[1], "status": "reported"}
                refused.append(ann.http.post("/api/annotations", json=body))
                refused.append(ann.http.get("/api/export/cells.jsonl"))
                for answer in refused:
                    assert answer.status_code == 409, (answer.url, answer.text)
                    assert "start the database server" in answer.text
                    assert PASSWORD not in answer.text
                assert send(ann, ("y.pdf", write_pdf(tmp_path / "y.pdf", ["Two"]).read_bytes())) == 409
                postgres.start()
                assert "progress" in next(line for line in lines if line.startswith("data:") and "detail" not in line)
            assert len(ann.get("/api/matrix")["papers"]) == 1
            ann.annotate(place, "reported")
            postgres.kill()
            postgres.start()  # without a request in between
            assert len(ann.get("/api/annotations")) == 1
            ann.post("/api/questions", {"text": "How many gulls were counted?"})
            assert wait_for_jobs(ann)[-1]["state"] == "done"
    assert "Traceback" not in caplog.text


def test_a_wrong_address_or_password_is_one_line_and_the_password_appears_nowhere(
    postgres: Server,
    methodlens: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = postgres.new_database("starting")
    out = ("--out", tmp_path / "o")
    assert "start the server" in one_line(methodlens("serve", "--ledger", "postgresql://ann:canary@127.0.0.1:1/x", *out))
    assert "there is no ledger" in one_line(methodlens("serve", "--ledger", url, "--run", "feed", *out))
    monkeypatch.setenv("PGPASSWORD", "canary-wrong")
    line = one_line(methodlens("serve", "--ledger", url, *out))
    assert "PGPASSWORD" in line
    assert "canary" not in line
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv("METHODLENS_LEDGER", url.replace("@", f":{PASSWORD}@"))
    command = [sys.executable, "-m", "methodlens.cli.app", "serve", "--out", str(tmp_path / "o")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as room:
        assert room.stdout
        line = room.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address
        listed = subprocess.run(["ps", "-ww", "-eo", "args"], check=True, capture_output=True, text=True).stdout
        pages = [httpx.get(address[0], follow_redirects=True, timeout=PATIENCE_S).text]
        with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as browser:
            matrix = browser.get(address[0])
            pages.append(matrix.text)
            home = str(matrix.url).rstrip("/")
            pages += [browser.get(home + path).text for path in ("/add", "/api/state", "/agreement")]
        room.terminate()
        rest, errors = room.communicate()
    assert "review room of postgresql://ann@127.0.0.1" in line
    assert not any(PASSWORD in text for text in (line, rest, errors, listed, *pages))
    assert "Traceback" not in errors
