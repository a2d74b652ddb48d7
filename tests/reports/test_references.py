"""Papers as references with their verdicts as tags: what reference managers and screening tools import."""

import csv
import io
from collections.abc import Callable

import pytest
import rispy
from msgspec.structs import replace

from methodlens.papers.metadata.ris import ris_entries
from methodlens.records import Row, Source, SourceKind, Status
from methodlens.reports.formats.csv_tables import Csv, CsvTable
from methodlens.reports.formats.references import COLUMNS, Ris

MakeRow = Callable[..., Row]


def described(row: Row) -> Row:
    paper = replace(
        row.paper, doi="10.5555/moths.1", year=2021, authors=("Ada van der Lamp", "Moss Group"), flags=("collection:Moths",)
    )
    return replace(row, paper=paper)


@pytest.fixture
def rows(make_row: MakeRow) -> list[Row]:
    return [
        described(make_row(question="CQ20", question_title="Hardware")),
        described(make_row(question="CQ21", question_title="Seeds, and runs; all", status=Status.NOT_REPORTED)),
        make_row("wings.pdf", question_title="Hardware", status=Status.WITHHELD, title="Wings: α & β"),
    ]


def test_a_round_trip_through_rispy_loses_no_title_doi_or_tag(rows: list[Row]) -> None:
    first, second = rispy.loads(b"".join(Ris().stream(rows)).decode())
    assert (first["title"], first["doi"], first["year"]) == ("Counting moths at night", "10.5555/moths.1", "2021")
    assert first["authors"] == ["van der Lamp, Ada", "Group, Moss"]
    assert first["keywords"] == ["CQ20 Hardware: reported", "CQ21 Seeds and runs all: not reported", "collection:Moths"]
    assert first["notes"] == ["methodlens: 1 of 2 questions reported"]
    assert (second["title"], second["keywords"]) == ("Wings: α & β", ["CQ20 Hardware: withheld"])


def test_our_own_reader_understands_what_we_write(rows: list[Row]) -> None:
    first, second = ris_entries(b"".join(Ris().stream(rows)).decode().replace("\r\n", "\n"), "out.ris")
    assert first.metadata == ("Counting moths at night", ("Ada van der Lamp", "Moss Group"), 2021, "10.5555/moths.1")
    assert (first.key, second.key) == ("moths", "wings")


def test_screening_tools_get_one_line_per_paper(rows: list[Row]) -> None:
    table = b"".join(Csv(CsvTable.PAPERS).stream(rows)).decode("utf-8-sig")
    first, second = csv.DictReader(io.StringIO(table))
    assert tuple(first) == COLUMNS
    assert first["keywords"].split(";")[0] == "CQ20 Hardware: reported"
    assert (first["doi"], first["url"]) == ("10.5555/moths.1", "https://doi.org/10.5555/moths.1")
    assert (second["title"], second["year"]) == ("Wings: α & β", "")


def test_the_final_word_is_the_tag(make_row: MakeRow) -> None:
    machine = make_row(question_title="Hardware")
    person = replace(
        make_row(question_title="Hardware", reader="final", status=Status.NOT_REPORTED),
        final=Source(SourceKind.PERSON, ("ann",), "2026-01-01T12:00:00Z"),
    )
    (reference,) = rispy.loads(b"".join(Ris().stream([machine, person])).decode())
    assert reference["keywords"] == ["CQ20 Hardware: not reported"]


def test_hostile_text_adds_no_record_and_no_field(hostile_row: Row) -> None:
    (reference,) = rispy.loads(b"".join(Ris().stream([hostile_row])).decode())
    assert set(reference) <= {"type_of_reference", "id", "title", "keywords", "notes"}
    (line,) = csv.DictReader(io.StringIO(b"".join(Csv(CsvTable.PAPERS).stream([hostile_row])).decode("utf-8-sig")))
    assert not line["title"].startswith(("=", "+", "-", "@"))
