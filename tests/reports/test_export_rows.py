import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from methodlens.questions import load
from methodlens.records import Evidence, Match, PaperStatus, Place, Row, Status, Usage
from methodlens.reports.formats.export_rows import COLUMNS, export_object, fact_values, quote_location, table_cells
from methodlens.reports.formats.jsonl import JsonLines

MakeRow = Callable[..., Row]

FIELDS = {
    "paper": str,
    "paper_sha256": str,
    "paper_status": str,
    "paper_flags": list,
    "question": str,
    "reader": str,
    "status": str,
    "reported": bool,
    "p_reported": float,
    "answer": str,
    "reason": str,
    "evidence": list,
    "facts": dict,
    "passages": list,
    "model": str,
    "seconds": float,
    "tokens": type(None),
}


def written(*rows: Row) -> str:
    return b"".join(JsonLines().stream(iter(rows))).decode("utf-8")


def test_the_confidence_of_facts_is_exported_where_it_is_known(make_row: MakeRow) -> None:
    row = make_row()
    known = replace(row.cell.answer, fact_confidence={"hardware": {"Kestrel K9": 0.9}})
    exported = json.loads(written(replace(row, cell=replace(row.cell, answer=known))))
    assert exported["fact_confidence"] == {"hardware": {"Kestrel K9": 0.9}}
    assert "fact_confidence" not in json.loads(written(row))


def test_a_line_has_exactly_the_specified_fields(make_row: MakeRow) -> None:
    calibrated = load("dl-methods").questions[19]
    exported = json.loads(written(replace(make_row(), question=calibrated)))
    assert {name: type(value) for name, value in exported.items()} == FIELDS
    assert exported["evidence"] == [
        {
            "quote": "Training ran on two Kestrel K9 cards for six hours.",
            "match": "exact",
            "places": [{"page": 8, "boxes": [[72.0, 100.5, 300.0, 112.5]]}],
        }
    ]
    assert [(p["rank"], p["shown"]) for p in exported["passages"]] == [(1, True), (2, False)]
    assert set(exported["passages"][0]) == {"rank", "shown", "page", "section", "text"}
    assert exported["facts"]["hardware"][0]["name"] == "Kestrel K9"


def test_an_own_question_is_marked_as_not_calibrated_in_every_format(make_row: MakeRow) -> None:
    assert json.loads(written(make_row()))["calibrated"] is False
    assert dict(zip(COLUMNS, table_cells(make_row()), strict=True))["calibrated"] == "no"
    calibrated = replace(make_row(), question=load("dl-methods").questions[19])
    assert dict(zip(COLUMNS, table_cells(calibrated), strict=True))["calibrated"] == "yes"


def test_usage_is_exported_only_for_cells_of_language_models(make_row: MakeRow) -> None:
    row = make_row()
    asked = replace(row.cell.answer, usage=Usage(1200, 34, 2, 0.0005, 300.0, estimated=True))
    exported = json.loads(written(replace(row, cell=replace(row.cell, answer=asked))))
    assert exported.pop("usage") == {"tokens_in": 1200, "tokens_out": 34, "requests": 2, "cost": 0.0005, "estimated": True}
    assert exported.keys() - {"calibrated"} == FIELDS.keys()


def test_a_line_is_the_exported_object(make_row: MakeRow) -> None:
    row = make_row(votes={"embedded": Status.REPORTED})
    assert json.loads(written(row)) == export_object(row)


@pytest.mark.parametrize(
    ("status", "reported"),
    [
        (Status.REPORTED, True),
        (Status.NOT_REPORTED, False),
        (Status.WITHHELD, None),
        (Status.FAILED, None),
        (Status.UNREADABLE, None),
    ],
)
def test_reported_is_null_when_nothing_was_decided(make_row: MakeRow, status: Status, reported: bool | None) -> None:
    assert json.loads(written(make_row(status=status)))["reported"] is reported


def test_only_the_row_of_a_vote_has_votes(make_row: MakeRow) -> None:
    votes = {"embedded": Status.REPORTED, "chat:a": Status.FAILED}
    assert json.loads(written(make_row(reader="vote", votes=votes)))["votes"] == {"embedded": "reported", "chat:a": "failed"}
    assert "votes" not in json.loads(written(make_row()))


def test_an_unreadable_paper_keeps_its_status(make_row: MakeRow) -> None:
    exported = json.loads(written(make_row(status=Status.UNREADABLE, paper_status=PaperStatus.NO_TEXT)))
    assert (exported["status"], exported["paper_status"]) == ("unreadable", "no_text")


def test_hostile_text_survives_the_round_trip_through_one_line_of_json(hostile_row: Row, hostile: str) -> None:
    text = written(hostile_row, hostile_row)
    assert len(text.splitlines()) == 2  # the strictest reader: it breaks at U+2028 as well
    back = json.loads(text.splitlines()[0])
    encodable = hostile.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert back["answer"] == back["passages"][0]["text"] == back["paper"] == encodable
    assert back["facts"]["code_urls"] == [encodable]


def test_a_table_has_one_text_per_column(make_row: MakeRow) -> None:
    cells = dict(zip(COLUMNS, table_cells(make_row()), strict=True))
    assert cells["quotes"] == "“Training ran on two Kestrel K9 cards for six hours.” (p. 8)"
    assert (cells["pages"], cells["p_reported"], cells["seconds"]) == ("8", "0.9700", "0.020")


def test_a_quote_that_was_not_found_has_no_page() -> None:
    assert quote_location(Evidence("x", Match.ABSENT)) == "not found in the paper"
    assert quote_location(Evidence("x", Match.FUZZY, places=(Place(3, ()), Place(4, ())))) == "pp. 3, 4, nearly as quoted"


def test_each_value_of_a_fact_gets_its_own_row(make_row: MakeRow) -> None:
    facts = {
        "hardware": [{"name": "Kestrel K9", "count": 2, "memory_gb": None}],
        "epochs": 30,
        "split": {"train": 0.8},
        "seeds": None,
    }
    assert list(fact_values(make_row(facts=facts))) == [
        ("hardware", "Kestrel K9", '{"count":2}'),
        ("epochs", "30", ""),
        ("split", '{"train":0.8}', ""),
    ]
