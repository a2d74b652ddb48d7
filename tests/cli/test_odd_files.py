"""Folders as people have them: names in other encodings, FIFOs, links, folders without permission, scans with a stamp."""

import inspect
import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from methodlens.papers import find
from tests.cli.conftest import Call
from tests.conftest import EXAMPLES, MakePdf

LINE = "We trained the network on two NVIDIA V100 GPUs for nine hours in the harbour of the old town."


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("Which GPUs were used for training?\n")
    return path


def cells(methodlens: Call, out: Path) -> dict[str, str]:
    lines = methodlens("export", "--out", out).out.splitlines()
    return {row["paper"]: row["status"] for row in map(json.loads, lines)}


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Windows names are Unicode")
def test_a_name_that_is_not_utf8_is_read_by_every_command(
    methodlens: Call, make_pdf: MakePdf, tmp_path: Path, questions: Path
) -> None:
    plain = make_pdf("made/plain.pdf", [[LINE]])
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xe9sum\xe9s"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    odd = folder / os.fsdecode(b"caf\xe9.pdf")
    odd.write_bytes(plain.read_bytes())
    run = methodlens("run", folder, "--questions", questions, "--out", tmp_path / "out", "--no-pages")
    assert run.code == 0
    assert cells(methodlens, tmp_path / "out") == {"caf\\xe9.pdf": "reported"}
    again = methodlens("run", folder, "--questions", questions, "--out", tmp_path / "out", "--no-pages", "--json")
    assert json.loads(again.out)["summary"]["asked"] == 0
    assert "V100" in methodlens("ask", odd, "Which GPUs were used?").out
    assert json.loads(methodlens("ask", odd, "Which GPUs were used?", "--json").out)["paper"].endswith("caf\\xe9.pdf")
    assert "V100" in methodlens("show", odd).out
    assert methodlens("show", odd, "--json").code == 0
    assert "caf\\xe9.pdf" in methodlens("search", folder, "GPUs", "--out", tmp_path / "index").out
    assert methodlens("watch", folder, "--once", "--questions", questions, "--out", tmp_path / "w", "--no-pages").code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_what_is_not_a_regular_file_and_what_cannot_be_read_is_skipped_and_named(
    methodlens: Call, make_pdf: MakePdf, tmp_path: Path, questions: Path
) -> None:
    papers = make_pdf("papers/a.pdf", [[LINE]]).parent
    make_pdf("elsewhere/linked.pdf", [[LINE + " It rained."]])
    os.mkfifo(papers / "pipe.pdf")
    (papers / "zero.pdf").symlink_to("/dev/zero")
    (papers / "gone.pdf").symlink_to(papers / "nothing.pdf")
    (papers / "more").symlink_to(tmp_path / "elsewhere")
    (papers / "loop").symlink_to(papers)
    run = methodlens("run", papers, "--questions", questions, "--out", tmp_path / "out", "--no-pages")
    assert run.code == 0
    assert set(cells(methodlens, tmp_path / "out")) == {"a.pdf", "more/linked.pdf"}
    for name, reason in (("pipe.pdf", "not a regular file"), ("zero.pdf", "not a regular file"), ("gone.pdf", "a broken link")):
        assert any(line.startswith("skipped") and name in line and reason in line for line in run.err.splitlines())
    assert "not a regular file" in methodlens("ask", papers / "pipe.pdf", "Which GPUs?").err


def test_the_depth_of_folders_is_not_limited_by_recursion(make_pdf: MakePdf, tmp_path: Path) -> None:
    deep = make_pdf("papers/a.pdf", [[LINE]]).parent
    for _ in range(150):
        deep /= "d"
        deep.mkdir()
    (tmp_path / "papers" / "a.pdf").rename(deep / "a.pdf")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        (file,) = find([tmp_path / "papers"])
    finally:
        sys.setrecursionlimit(limit)
    assert file.name.endswith("d/a.pdf")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_without_permission_is_named(methodlens: Call, make_pdf: MakePdf, tmp_path: Path, questions: Path) -> None:
    papers = make_pdf("papers/a.pdf", [[LINE]]).parent
    locked = make_pdf("papers/locked/b.pdf", [[LINE]]).parent
    locked.chmod(0)
    try:
        run = methodlens("run", papers, "--questions", questions, "--out", tmp_path / "out", "--no-pages")
    finally:
        locked.chmod(0o700)
    assert "locked: the folder cannot be read" in run.err


def test_a_scan_with_a_running_head_is_no_text_and_nobody_is_asked(
    methodlens: Call, make_pdf: MakePdf, tmp_path: Path, questions: Path
) -> None:
    papers = make_pdf("papers/scan.pdf", [["Journal of Ponds, Volume 12, Annual Meeting"]] * 5).parent
    run = methodlens("run", papers, "--questions", questions, "--out", tmp_path / "out", "--no-pages", "--json")
    assert json.loads(run.out)["summary"]["papers"] == {"no_text": 1}
    shown = methodlens("show", papers / "scan.pdf").out
    assert "running heads or stamps" in shown


def test_a_paper_that_an_older_version_kept_as_ok_without_text_stops_nothing_and_is_read_again(
    methodlens: Call, make_pdf: MakePdf, tmp_path: Path, questions: Path
) -> None:
    papers = make_pdf("papers/a.pdf", [[LINE]]).parent
    make_pdf("papers/b.pdf", [[LINE + " It rained."]])
    run = ["run", papers, "--questions", questions, "--out", tmp_path / "out", "--no-pages"]
    assert methodlens(*run).code == 0
    empty_text(tmp_path / "out" / "ledger.sqlite", "a.pdf")
    for command in (["export"], ["report", "--no-pages"], ["sample", "--n", 1, "--to", tmp_path / "sheet.csv"]):
        assert methodlens(*command, "--out", tmp_path / "out").code == 0, command
    assert methodlens(*run).code == 0
    assert cells(methodlens, tmp_path / "out") == {"a.pdf": "reported", "b.pdf": "reported"}


@pytest.mark.long
def test_a_terminal_without_our_characters_gets_others(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "methodlens.cli.app", "run", EXAMPLES / "papers" / "rented-cpu.pdf", "--out", tmp_path]
    environ = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([*map(str, command), "--no-pages"], capture_output=True, env=environ, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert re.search(rb"rented-cpu\.pdf \(embedded\): \d+ reported", done.stdout)


@pytest.mark.skipif(os.name == "nt", reason="Windows allows no such names")
def test_terminal_escapes_in_a_file_name_are_shown_not_obeyed(
    methodlens: Call, make_pdf: MakePdf, tmp_path: Path, questions: Path
) -> None:
    plain = make_pdf("papers/plain.pdf", [[LINE]])
    plain.rename(plain.with_name("a\x1b]0;owned\x07.pdf"))
    run = methodlens("run", plain.parent, "--questions", questions, "--out", tmp_path / "out", "--no-pages")
    assert "\x1b" not in run.out + run.err
    assert "a\\x1b]0;owned\\x07.pdf" in run.out


@pytest.mark.skipif(os.name == "nt", reason="no such permissions on Windows")
def test_a_ledger_is_readable_by_its_owner_only_under_a_loose_umask(
    methodlens: Call, make_pdf: MakePdf, tmp_path: Path, questions: Path
) -> None:
    paper = make_pdf("papers/a.pdf", [[LINE]])
    before = os.umask(0)
    try:
        assert methodlens("run", paper, "--questions", questions, "--out", tmp_path / "out", "--no-pages").code == 0
    finally:
        os.umask(before)
    assert (tmp_path / "out" / "ledger.sqlite").stat().st_mode & 0o077 == 0


def picture_pages(path: Path, texts: list[str], *, pictures: int) -> Path:
    """Pages of text, then pages that are a picture of text under a running head."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    path.parent.mkdir(exist_ok=True)
    canvas = Canvas(str(path), pagesize=(600, 800), invariant=1)
    for text in texts:
        canvas.drawString(40, 700, text)
        canvas.showPage()
    for number in range(pictures):
        canvas.drawImage(ImageReader(Image.effect_noise((300, 350), 90)), 0, 40, 600, 700)
        canvas.drawString(40, 780, f"Journal of Ponds {number + 3}")
        canvas.showPage()
    canvas.save()
    return path


def test_not_reported_needs_a_paper_that_was_read(methodlens: Call, tmp_path: Path) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text("Which GPUs were used for training?\nWhich random seed was used?\n")
    papers = picture_pages(tmp_path / "papers" / "half.pdf", [LINE, "We counted gulls from the pier."], pictures=4).parent
    settings = ["--set", "reading.ocr=off", "--no-pages"]
    assert methodlens("run", papers, "--questions", questions, "--out", tmp_path / "out", *settings).code == 0
    gpus, seed = (json.loads(line) for line in methodlens("export", "--out", tmp_path / "out").out.splitlines())
    assert (gpus["status"], seed["status"]) == ("reported", "withheld")
    assert seed["reason"] == "4 of 6 pages could not be read"
    assert "unread_pages" in seed["paper_flags"]


def test_a_scan_whose_pages_differ_only_in_their_running_heads_is_no_text(methodlens: Call, tmp_path: Path) -> None:
    paper = picture_pages(tmp_path / "papers" / "scan.pdf", [], pictures=5)
    shown = methodlens("show", paper, "--set", "reading.ocr=off").out
    assert "no_text" in shown


def empty_text(path: Path, name: str) -> None:
    """As 0.1.0 stored a scan with a stamp: ok, without text."""
    from msgspec.structs import replace

    from methodlens.ledger.packing import checksum, compress, decompress
    from methodlens.records import Paper

    with sqlite3.connect(path) as connection:
        query = "SELECT t.sha256, t.parser, t.body FROM paper_texts t JOIN run_papers p ON p.sha256 = t.sha256 WHERE p.paper = ?"
        ((sha256, parser, body),) = connection.execute(query, (name,)).fetchall()
        empty = compress(replace(decompress(body, Paper), text="", lines=(), sections=()))
        row = (empty, checksum(sha256 + parser, empty), sha256)
        connection.execute("UPDATE paper_texts SET body = ?, checksum = ? WHERE sha256 = ?", row)
    connection.close()
