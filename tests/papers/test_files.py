from pathlib import Path

import pytest

from methodlens.errors import InputError
from methodlens.papers import PaperFile, find, locate, locate_all

PDF = b"%PDF-1.4\n"


def write(path: Path, data: bytes = PDF) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_every_pdf_below_a_folder_is_found_once_and_in_natural_order(tmp_path: Path) -> None:
    for name in ("10.pdf", "2.PDF", "deep/er/1.pdf", "notes.txt", ".hidden.pdf", ".git/3.pdf"):
        write(tmp_path / name)
    found = find([tmp_path, tmp_path / "10.pdf"])
    assert [paper.name for paper in found] == ["2.PDF", "10.pdf", "deep/er/1.pdf"]


def test_papers_of_the_same_name_in_two_folders_keep_distinct_names(tmp_path: Path) -> None:
    write(tmp_path / "a/1.pdf")
    write(tmp_path / "b/1.pdf", PDF + b"other")
    assert [paper.name for paper in find([tmp_path / "a", tmp_path / "b"])] == ["a/1.pdf", "b/1.pdf"]


@pytest.mark.parametrize(
    ("data", "word"), [(b"", "is empty"), (b"<!DOCTYPE html><html>", "web page"), (b"plain words", "is not a PDF")]
)
def test_a_source_without_any_valid_pdf_is_refused_with_the_reason(tmp_path: Path, data: bytes, word: str) -> None:
    write(tmp_path / "paper.pdf", data)
    with pytest.raises(InputError, match=word):
        find([tmp_path])


def test_one_bad_file_among_good_ones_is_not_an_error(tmp_path: Path) -> None:
    write(tmp_path / "good.pdf")
    write(tmp_path / "bad.pdf", b"")
    assert len(find([tmp_path])) == 2


def test_a_missing_source_and_a_folder_without_pdfs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        find([tmp_path / "nowhere"])
    with pytest.raises(InputError, match="no PDF in"):
        find([tmp_path])


def test_files_of_other_formats_are_found_by_their_suffix_and_are_not_checked_as_pdfs(tmp_path: Path) -> None:
    write(tmp_path / "a.xml", b"<article/>")
    write(tmp_path / "b.pdf", b"")
    assert [paper.name for paper in find([tmp_path], suffixes=(".pdf", ".xml"))] == ["a.xml", "b.pdf"]


def test_a_paper_is_located_by_the_name_that_a_run_knows_it_by(tmp_path: Path) -> None:
    for path in (write(tmp_path / "a/1.pdf"), write(tmp_path / "b/1.pdf"), write(tmp_path / "b/deep/2.pdf")):
        sources = (str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "moved"))
        name = "deep/2.pdf" if path.name == "2.pdf" else f"{path.parent.name}/1.pdf"
        assert locate(sources, name) == PaperFile(str(path), name)
    assert locate(sources, "3.pdf") is None
    assert set(locate_all(sources)) == {"a/1.pdf", "b/1.pdf", "deep/2.pdf"}
    assert locate_all((str(tmp_path / "moved"),)) == {}
