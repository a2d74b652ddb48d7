"""Answers as W3C Web Annotations."""

import json
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from methodlens.records import Row, Source, SourceKind, Status
from methodlens.reports.formats.web_annotations import WebAnnotations
from methodlens.reports.graph.review_context import ReviewContext

MakeRow = Callable[..., Row]


def exported(*rows: Row, text: str = "") -> list[dict[str, Any]]:
    page = json.loads(b"".join(WebAnnotations(ReviewContext(text_of=lambda _: text)).stream(rows)))
    assert page["type"] == "AnnotationPage"
    assert page["@context"][0] == "http://www.w3.org/ns/anno.jsonld"
    items: list[dict[str, Any]] = page["items"]
    return items


def bodies(annotation: dict[str, Any]) -> dict[str, str]:
    return {body["purpose"]: body["value"] for body in annotation["body"]}


def test_a_quote_has_its_words_its_page_and_its_box(make_row: MakeRow) -> None:
    quote = "Training ran on two Kestrel K9 cards for six hours."
    (annotation,) = exported(make_row(), text=f"In short. {quote} Then it rained.")
    words, place = annotation["target"]["selector"]
    assert words == {"type": "TextQuoteSelector", "exact": quote, "prefix": "In short. ", "suffix": " Then it rained."}
    assert place["value"] == "page=8&viewrect=72,100.5,228,12"
    assert annotation["target"]["source"]["id"] == "ni:///sha-256;" + "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s"
    assert bodies(annotation) == {
        "describing": "Two Kestrel K9 cards.",
        "classifying": "reported",
        "tagging": "CQ20 Hardware",
    }


def test_an_answer_without_a_quote_is_about_the_whole_paper(make_row: MakeRow) -> None:
    (annotation,) = exported(make_row(status=Status.NOT_REPORTED))
    assert annotation["target"]["label"] == "Counting moths at night"
    assert bodies(annotation)["classifying"] == "not reported"


def test_people_are_named_and_identifiers_are_stable(make_row: MakeRow) -> None:
    row = replace(make_row(reader="final"), final=Source(SourceKind.ADJUDICATED, ("eve",), "2026-01-01T12:00:00Z"))
    (annotation,) = exported(row)
    assert annotation["creator"] == [{"type": "Person", "name": "eve"}]
    assert annotation["created"] == "2026-01-01T12:00:00Z"
    assert exported(row)[0]["id"] == annotation["id"]
    assert exported(make_row())[0]["creator"] == {"type": "Software", "name": "embedded"}


def test_hostile_text_is_valid_json(hostile_row: Row) -> None:
    assert exported(hostile_row)
