"""Exporting cells as transcript files."""

from pathlib import Path

import pytest

from methodlens.errors import ReaderFailed
from methodlens.fakes import FakeParser, FakeReader, FakeRetriever, FakeVote
from methodlens.records import Answer, Cell, Paper, PaperEntry, PaperStatus, Passage, Question, Row, Status, Verdict
from methodlens.reports.formats.transcript_files import Transcripts
from methodlens.reports.output_files import slug
from methodlens.seams import Parser, Reader, Retriever, VotingRule
from methodlens.transcripts import parse


def write(rows: list[Row], folder: Path) -> int:
    return Transcripts().write(rows, folder).cells


QUESTION = Question("CQ20", "Which cards?")
PASSAGE = Passage(0, 12, 1, "Methods", "Two cards ran.")


def row(
    name: str = "fern.pdf", reader: str = "chat:groq", *, sha: str = "0", status: Status = Status.REPORTED, vote: bool = False
) -> Row:
    hits = tuple(FakeRetriever().index([PASSAGE]).rank(QUESTION))
    cell = Cell("key", sha, QUESTION.id, reader, "model", Verdict(status), Answer("Two cards."), hits, len(hits))
    return Row(PaperEntry(name, sha), QUESTION, cell, votes={reader: status} if vote else None)


def test_each_cell_is_a_transcript_in_the_folder_of_its_reader(tmp_path: Path) -> None:
    assert write([row(), row(reader="embedded")], tmp_path) == 2
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.txt"))
    assert names == ["chat-groq/Publication_fern_CQ20.txt", "embedded/Publication_fern_CQ20.txt"]
    back = parse((tmp_path / names[0]).read_text(encoding="utf-8"))
    assert (back.query, back.passages, back.answer) == ("Which cards?", ("Two cards ran.",), "Two cards.")


def test_votes_and_unreadable_papers_are_skipped(tmp_path: Path) -> None:
    assert write([row(vote=True), row(status=Status.UNREADABLE)], tmp_path) == 0
    assert list(tmp_path.iterdir()) == []


def test_names_that_collide_on_a_file_system_get_different_files(tmp_path: Path) -> None:
    rows = [row("a b.pdf", sha="1"), row("a:b.pdf", sha="2"), row("A-B.PDF", sha="3")]
    assert write(rows, tmp_path) == 3
    assert len(list(tmp_path.rglob("*.txt"))) == 3


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.pdf", "a\0b.pdf", "x" * 300 + ".pdf", "CON", "nul.txt.pdf", "..", "", "\ud800", "…", "/abs"]
)
def test_a_hostile_name_stays_inside_the_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write([row(name, reader=f"chat:{name}")], folder)
    assert list(tmp_path.iterdir()) == [folder]
    [path] = folder.rglob("*.txt")
    assert path.parent.parent == folder
    assert len(path.name) < 200


@pytest.mark.parametrize("name", ["CON", "con.txt", "Aux", "com1", "..", "", ".hidden", "x" * 300, "a/b\\c", "ä" * 5, "日本語"])
def test_a_slug_is_safe_on_every_file_system(name: str) -> None:
    safe = slug(name)
    assert safe
    assert len(safe) < 100
    assert set(safe) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert not safe.startswith(".")
    assert safe.split(".")[0].lower() not in {"con", "aux", "com1", "nul"}


def test_long_names_that_differ_at_the_end_have_different_slugs() -> None:
    assert slug("x" * 300 + "a") != slug("x" * 300 + "b")


def test_there_is_a_fake_for_every_seam() -> None:
    paper = Paper(sha256="0", parser="fake", text="Two cards ran.")
    parser: Parser = FakeParser({"fern.pdf": paper})
    retriever: Retriever = FakeRetriever()
    reader: Reader = FakeReader({"CQ20": Answer("Two cards.")})
    vote: VotingRule = FakeVote(Status.WITHHELD)

    assert parser.parse(Path("fern.pdf")) is paper
    assert parser.parse(Path("moss.pdf")).status is PaperStatus.MALFORMED
    hits = retriever.index([PASSAGE]).rank(QUESTION)
    assert reader.read(QUESTION, paper, hits).text == "Two cards."
    with pytest.raises(ReaderFailed, match="CQ21"):
        reader.read(Question("CQ21", "Why?"), paper, hits)
    assert vote({"fake": Verdict(Status.REPORTED)}).votes == {"fake": Status.REPORTED}
