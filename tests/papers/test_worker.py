"""Parsing in a child process: a problem with a file becomes its status, and never affects the next paper."""

import io
import os
import select
import signal
import threading
from pathlib import Path

import pikepdf
import pytest
from msgspec.structs import replace

from methodlens.confined.child import without_secrets
from methodlens.papers import WorkerPool
from methodlens.records import PaperStatus
from methodlens.settings import PaperLimits
from tests.conftest import EXAMPLES, MakePdf
from tests.waiting import PATIENCE_S, wait_until

WORDS = "The gulls of the harbour were counted from the pier every morning at seven o'clock"


def test_a_parsed_paper_has_text_pages_lines_and_its_hash(pool: WorkerPool, make_pdf: MakePdf) -> None:
    paper = pool.parse(make_pdf("a.pdf", [[WORDS, "and once more."], ["The second page."]]))
    assert paper.status is PaperStatus.OK
    assert WORDS + " and once more." in paper.text
    assert [page.number for page in paper.pages] == [1, 2]
    last = paper.lines[-1]
    assert (last.page, paper.text[last.start : last.end]) == (2, "The second page.")
    assert all(paper.text[line.start : line.end].strip() for line in paper.lines)
    assert len(paper.sha256) == 64


@pytest.mark.parametrize("data", [b"", b"<html><body>Not found</body></html>", b"%PDF-1.7\ngarbage", os.urandom(500)])
def test_a_file_without_pdf_content_is_malformed(pool: WorkerPool, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(data)
    assert pool.parse(path).status is PaperStatus.MALFORMED


def test_a_truncated_pdf_has_a_status_and_the_next_paper_is_read(pool: WorkerPool, make_pdf: MakePdf, tmp_path: Path) -> None:
    whole = make_pdf("whole.pdf", [[f"Page {page}. {WORDS}"] for page in "abc"])
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(whole.read_bytes()[:300])
    assert pool.parse(cut).status is not PaperStatus.OK
    assert pool.parse(whole).status is PaperStatus.OK


def test_an_encrypted_pdf_is_encrypted_unless_the_empty_password_opens_it(
    pool: WorkerPool, make_pdf: MakePdf, tmp_path: Path
) -> None:
    plain = make_pdf("plain.pdf", [[WORDS]])
    for user, expected in (("secret", PaperStatus.ENCRYPTED), ("", PaperStatus.OK)):
        path = tmp_path / f"locked-{expected}.pdf"
        with pikepdf.open(plain) as document:
            document.save(path, encryption=pikepdf.Encryption(owner="owner", user=user))
        assert pool.parse(path).status is expected


def test_a_paper_of_images_has_the_status_no_text(pool: WorkerPool) -> None:
    paper = pool.parse(EXAMPLES / "papers" / "scanned.pdf")
    assert paper.status is PaperStatus.NO_TEXT
    assert "OCR" in paper.reason


def test_more_pages_than_the_limit_are_too_big(make_pdf: MakePdf) -> None:
    path = make_pdf("long.pdf", [[WORDS]] * 4)
    with WorkerPool(1, PaperLimits(max_pages=3)) as pool:
        assert pool.parse(path).status is PaperStatus.TOO_BIG


def test_a_deflate_bomb_affects_no_other_paper(make_pdf: MakePdf, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.pdf"
    with pikepdf.new() as document:
        document.add_blank_page(page_size=(200, 200))
        stream = pikepdf.Stream(document, b"BT " + b" " * (300 << 20))
        document.pages[0].Contents = document.make_indirect(stream)
        buffer = io.BytesIO()
        document.save(buffer, compress_streams=True)
        bomb.write_bytes(buffer.getvalue())
    good = make_pdf("good.pdf", [[WORDS]])
    with WorkerPool(1, PaperLimits(memory_mb=400, timeout_s=20)) as pool:
        assert pool.parse(bomb).status in {
            PaperStatus.TOO_BIG,
            PaperStatus.CRASHED,
            PaperStatus.TIMEOUT,
            PaperStatus.NO_TEXT,
            PaperStatus.MALFORMED,
        }
        assert pool.parse(good).status is PaperStatus.OK


@pytest.mark.long
def test_a_worker_that_exceeds_the_timeout_is_replaced(make_pdf: MakePdf) -> None:
    path = make_pdf("a.pdf", [[WORDS]])
    generous = PaperLimits(timeout_s=PATIENCE_S)
    with WorkerPool(1, generous) as pool:
        assert pool.parse(path).status is PaperStatus.OK
        os.kill(worker_pid(pool), signal.SIGSTOP)
        pool.limits = replace(generous, timeout_s=0.5)
        assert pool.parse(path).status is PaperStatus.TIMEOUT
        pool.limits = generous
        assert pool.parse(path).status is PaperStatus.OK


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads the worker's stdin in /proc")
def test_a_worker_killed_during_a_request_is_replaced_and_its_paper_crashed(make_pdf: MakePdf) -> None:
    path = make_pdf("a.pdf", [[WORDS]])
    with WorkerPool(1, PaperLimits()) as pool:
        assert pool.parse(path).status is PaperStatus.OK
        pid = worker_pid(pool)
        os.kill(pid, signal.SIGSTOP)
        killer = threading.Thread(target=kill_when_asked, args=(pid,))
        killer.start()
        assert pool.parse(path).status is PaperStatus.CRASHED
        assert pool.parse(path).status is PaperStatus.OK
        killer.join()


def kill_when_asked(pid: int) -> None:
    """Kills a stopped worker once a request is waiting in its stdin."""
    with Path(f"/proc/{pid}/fd/0").open("rb", buffering=0) as stdin:
        wait_until(lambda: select.select([stdin], [], [], 0)[0])
    os.kill(pid, signal.SIGKILL)


def test_a_worker_that_dies_between_two_papers_affects_neither(make_pdf: MakePdf) -> None:
    path = make_pdf("a.pdf", [[WORDS]])
    with WorkerPool(1, PaperLimits()) as pool:
        assert pool.parse(path).status is PaperStatus.OK
        os.kill(worker_pid(pool), signal.SIGKILL)
        os.waitid(os.P_PID, worker_pid(pool), os.WEXITED | os.WNOWAIT)
        assert pool.parse(path).status is PaperStatus.OK


def test_workers_get_no_secrets_in_their_environment() -> None:
    kept = without_secrets({"PATH": "/bin", "OPENAI_API_KEY": "k", "HF_TOKEN": "t", "DB_PASSWORD": "p", "LANG": "C"})
    assert kept == {"PATH": "/bin", "LANG": "C"}


def worker_pid(pool: WorkerPool) -> int:
    with pool._workers.borrow() as worker:
        assert worker._process is not None
        return worker._process.pid
