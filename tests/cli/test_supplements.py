"""methodlens run with supplements next to the papers."""

import sqlite3
from pathlib import Path

from tests.cli.conftest import Call
from tests.conftest import MakePdf


def test_the_command_says_what_it_guessed_and_how_to_undo_it(methodlens: Call, make_pdf: MakePdf, tmp_path: Path) -> None:
    make_pdf("in/moths.pdf", [["Counting moths", "We trained a network for 40 epochs."]])
    make_pdf("in/moths_SI.pdf", [["Supporting information"], ["All networks were trained on two NVIDIA A100 GPUs."]])
    (tmp_path / "q.txt").write_text("Which hardware was the model trained on?\n")
    run = ("run", tmp_path / "in", "--questions", tmp_path / "q.txt", "--out", tmp_path / "out")
    shown = methodlens(*run, "--dry-run")
    assert "moths_SI.pdf is read as a supplement of moths.pdf\n" in shown.err
    assert "--no-supplements reads them as papers" in shown.err
    assert "1 paper x 1 question" in shown.out
    assert "moths.pdf  supplement: moths_SI.pdf" in shown.out
    assert "2 papers x 1 question" in methodlens(*run, "--no-supplements", "--dry-run").out
    assert "contradict" in methodlens(*run, "--no-supplements", "--supplement", f"moths.pdf={tmp_path / 'q.txt'}").err
    done = methodlens(*run, "--no-pages")
    assert (done.code, "papers: 1 ok" in done.out, "1 supplement: 1 ok" in done.out) == (0, True, True)
    with sqlite3.connect(tmp_path / "out" / "ledger.sqlite") as connection:
        assert connection.execute("SELECT DISTINCT paper FROM cells").fetchall() == [("moths.pdf",)]
        assert connection.execute("SELECT paper FROM papers").fetchall() == [("moths.pdf",)]
    assert "moths_SI.pdf, p. 2" in methodlens("export", "--format", "csv", "--out", tmp_path / "out").out
