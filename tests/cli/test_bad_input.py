"""Invalid input: one line with the fix, exit code 2, and nothing is written."""

import sqlite3
from pathlib import Path

import pytest

from methodlens.ledger.store import Ledger
from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES

PAPER = EXAMPLES / "papers" / "rented-cpu.pdf"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_a_missing_folder_is_named(methodlens: Call, tmp_path: Path, out: Path) -> None:
    assert "does not exist" in one_line(methodlens("run", tmp_path / "nowhere", "--out", out))
    assert not out.exists()


def test_a_folder_without_pdfs_is_named(methodlens: Call, tmp_path: Path, out: Path) -> None:
    assert "no PDF in" in one_line(methodlens("run", tmp_path, "--out", out))


@pytest.mark.parametrize(("data", "word"), [(b"", "empty"), (b"<html>404</html>", "web page"), (b"words", "not a PDF")])
@pytest.mark.parametrize("command", ["run", "show"])
def test_a_file_that_is_not_a_pdf_is_refused(
    methodlens: Call, tmp_path: Path, out: Path, command: str, data: bytes, word: str
) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(data)
    assert word in one_line(methodlens(command, path, *(["--out", out] if command == "run" else [])))
    assert not out.exists()


def test_a_question_to_an_unreadable_paper_shows_its_status(methodlens: Call) -> None:
    assert "no_text" in one_line(methodlens("ask", EXAMPLES / "papers" / "scanned.pdf", "CQ20"))


@pytest.mark.parametrize(
    ("data", "word"),
    [(b"", "no question"), (b"Which GPUs?\nWhich GPUs?\n", "2"), (b"Which GPUs?\n\xff\xfe\n", "UTF-8")],
)
def test_an_invalid_question_file_is_refused(methodlens: Call, tmp_path: Path, out: Path, data: bytes, word: str) -> None:
    path = tmp_path / "questions.txt"
    path.write_bytes(data)
    assert word in one_line(methodlens("run", PAPER, "--questions", path, "--out", out))
    assert not out.exists()


def test_an_unknown_key_in_a_question_file_or_the_settings_is_named(methodlens: Call, tmp_path: Path, out: Path) -> None:
    questions = tmp_path / "q.toml"
    questions.write_text('name = "x"\n[[question]]\nid = "Q1"\ntext = "Which?"\ncolour = "red"\n')
    assert "colour" in one_line(methodlens("run", PAPER, "--questions", questions, "--out", out))
    settings = tmp_path / "s.toml"
    settings.write_text("[papers]\ntimeout = 3\n")
    assert "timeout" in one_line(methodlens("run", PAPER, "--settings", settings, "--out", out))
    settings.write_text("[papers\n")
    assert "TOML" in one_line(methodlens("run", PAPER, "--settings", settings, "--out", out))
    assert "KEY=VALUE" in one_line(methodlens("run", PAPER, "--set", "workers", "--out", out))
    assert not out.exists()


def test_an_output_folder_that_cannot_be_written_suggests_another(methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "--out" in one_line(methodlens("run", PAPER, "--out", tmp_path / "file" / "below"))


def test_a_ledger_of_a_newer_version_is_refused(methodlens: Call, out: Path) -> None:
    Ledger.at(out, create=True).close()
    with sqlite3.connect(out / "ledger.sqlite") as connection:
        connection.execute("INSERT INTO schema_version (version) VALUES (99)")
    connection.close()
    for command in (["run", PAPER], ["export"]):
        assert "newer methodlens" in one_line(methodlens(*command, "--out", out))


def test_an_unknown_reader_run_or_question_set_lists_the_known_ones(methodlens: Call, out: Path) -> None:
    assert "use embedded" in one_line(methodlens("run", PAPER, "--reader", "oracle", "--out", out))
    assert "dl-methods" in one_line(methodlens("questions", "dl-method"))
    assert "run" in one_line(methodlens("export", "--out", out))


def test_a_malformed_transcript_is_refused_with_its_line(methodlens: Call, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("Use the following pieces of context.\n\nA passage.\n\nNo question here.\n")
    assert "t.txt:" in one_line(methodlens("replay", path))
    assert "cannot be read" in one_line(methodlens("replay", tmp_path / "missing.txt"))


def test_an_unknown_setting_on_the_command_line_is_named_with_the_known_ones(
    methodlens: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    unknown = one_line(methodlens("run", "papers", "--set", "foo.bar=1"))
    assert unknown.startswith("methodlens: --set: there is no setting foo: use one of: out, ledger,")
    assert "methodlens.toml" not in unknown
    assert "no setting papers.bar: use one of: timeout_s" in one_line(methodlens("run", "papers", "--set", "papers.bar=1"))
