"""A watched folder: a paper is taken once its file has stopped changing, and again only if it changes."""

import os
from pathlib import Path

from methodlens.engine.arrivals import Arrivals, Batch


def names(batch: Batch) -> tuple[list[str], list[str]]:
    return [paper.name for paper in batch.new], [paper.name for paper in batch.all]


def test_a_growing_file_is_not_taken_until_it_stops_changing(tmp_path: Path) -> None:
    paper = tmp_path / "a.pdf"
    arrivals = Arrivals(tmp_path)
    for size in (10, 20, 30):
        paper.write_bytes(b"x" * size)
        assert names(arrivals.scan()) == ([], [])
    assert names(arrivals.scan()) == (["a.pdf"], ["a.pdf"])


def test_a_done_paper_stays_listed_and_is_not_repeated_unless_it_changes(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"x")
    arrivals = Arrivals(tmp_path)
    arrivals.scan()
    arrivals.mark_done(arrivals.scan())
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.pdf").write_bytes(b"y")
    assert names(arrivals.scan()) == ([], ["a.pdf"])
    arrivals.mark_done(batch := arrivals.scan())
    assert names(batch) == (["sub/b.pdf"], ["a.pdf", "sub/b.pdf"])
    os.utime(tmp_path / "a.pdf", ns=(1, 1))
    arrivals.scan()
    assert names(arrivals.scan()) == (["a.pdf"], ["a.pdf", "sub/b.pdf"])


def test_a_removed_paper_is_no_longer_listed_and_is_new_when_it_returns(tmp_path: Path) -> None:
    paper = tmp_path / "a.pdf"
    paper.write_bytes(b"x")
    arrivals = Arrivals(tmp_path)
    arrivals.scan()
    arrivals.mark_done(arrivals.scan())
    paper.unlink()
    assert names(arrivals.scan()) == ([], [])
    paper.write_bytes(b"x")
    arrivals.scan()
    assert names(arrivals.scan()) == (["a.pdf"], ["a.pdf"])


def test_hidden_and_partial_files_of_sync_clients_are_ignored(tmp_path: Path) -> None:
    for name in (".a.pdf.part", ".b.pdf", "c.pdf.crdownload", "d.txt"):
        (tmp_path / name).write_bytes(b"x")
    arrivals = Arrivals(tmp_path)
    arrivals.scan()
    assert names(arrivals.scan()) == ([], [])
