"""Annotations: saved with name and time, next to the readers' answers, which they never overwrite."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from methodlens.evaluation.raters import pair_agreement
from methodlens.ledger import overview, run_rows
from methodlens.ledger.paper_results import PaperResult
from methodlens.ledger.store import Ledger
from methodlens.records import Status
from tests.cli.conftest import Call
from tests.reports.conftest import HOSTILE
from tests.web.conftest import COUNTED, TRAINED, Enter, Visitor, cell_ref, open_room


def marks(visitor: Visitor) -> dict[str, list[str | None]]:
    return {paper["name"]: paper["marks"] for paper in visitor.get("/api/matrix")["papers"]}


def test_the_matrix_shows_the_same_verdicts_as_the_exported_rows(enter: Enter, folder: Path) -> None:
    shown = marks(enter())
    with Ledger.at(folder) as ledger:
        run = run_rows.latest(ledger)
        votes = {(row.paper.name, row.question.id): row.cell.verdict.status for row in run_rows.rows(ledger, run) if row.votes}
        glanced = {(cell.paper, cell.question): cell.verdict for cell in overview.cell_summaries(ledger, run)}
    assert glanced == votes
    assert shown["a.pdf"] == ["reported", "reported"]
    assert shown["c.pdf"] == ["not_reported", "not_reported"]
    assert shown["broken.pdf"] == ["unreadable", "unreadable"]


def test_a_cell_shows_every_reader_the_vote_located_quotes_and_passages(enter: Enter) -> None:
    visitor = enter()
    cell = visitor.get("/api/cells/{}/{}".format(*cell_ref(visitor, "a", "Q1")))
    assert [reader["reader"] for reader in cell["readers"]] == ["heron", "stoat", "owl", "vote"]
    assert cell["readers"][-1]["votes"] == {"heron": "reported", "stoat": "reported", "owl": "not_reported"}
    assert (cell["verdict"], cell["page"], cell["pages"]) == ("reported", 1, 1)
    assert TRAINED in cell["passages"][0]["text"]
    (box,) = cell["readers"][0]["quotes"][0]["places"][0]["boxes"]
    page = visitor.get("/api/papers/{}/pages/1".format(cell_ref(visitor, "a", "Q1")[0]))
    (sentence,) = [sentence for sentence in page["sentences"] if sentence["text"] == TRAINED]
    assert sentence["boxes"] == [box]
    assert (page["width"], page["height"]) == (600, 600)


def test_a_page_image_never_changes_and_can_be_cached(enter: Enter) -> None:
    visitor = enter()
    where = f"/api/papers/{cell_ref(visitor, 'a', 'Q1')[0]}/pages/1/picture"
    first, second = visitor.http.get(where), visitor.http.get(where)
    assert first.content.startswith(b"\x89PNG")
    assert first.content == second.content
    assert "immutable" in first.headers["cache-control"]
    assert visitor.http.get(where.replace("/1/", "/2/")).status_code == 404


def test_an_annotation_is_saved_with_name_and_time_and_overwrites_nothing(enter: Enter, folder: Path) -> None:
    ann = enter("ann")
    where = cell_ref(ann, "a", "Q2")
    sentences = ann.get(f"/api/papers/{where[0]}/pages/1")["sentences"]
    (picked,) = [sentence for sentence in sentences if sentence["text"] == COUNTED]
    before = _readers_rows(ann)
    span = {"start": picked["start"], "end": picked["end"]}
    ann.annotate(where, "not_reported", answer="Gulls are no data.", note="see p. 1", sentences=[span])
    assert _readers_rows(ann) == before
    with Ledger.at(folder) as ledger:
        (annotation,) = ledger.annotations()
    assert (annotation.annotator, annotation.status, annotation.answer) == ("ann", Status.NOT_REPORTED, "Gulls are no data.")
    assert [evidence.quote for evidence in annotation.evidence] == [COUNTED]
    assert annotation.evidence[0].places[0].page == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", annotation.at)
    again = enter("ann").get("/api/cells/{}/{}".format(*where))
    assert again["mine"]["answer"] == "Gulls are no data."
    assert again["verdict"] == "reported"


def _readers_rows(visitor: Visitor) -> list[dict[str, Any]]:
    rows = map(json.loads, visitor.http.get("/api/export/cells.jsonl").text.splitlines())
    return [row for row in rows if row["reader"] != "final"]


def test_undo_restores_the_previous_annotation_and_is_recorded(enter: Enter, folder: Path) -> None:
    ann = enter("ann")
    first, second = cell_ref(ann, "a", "Q1"), cell_ref(ann, "b", "Q1")
    ann.annotate(first, "reported")
    ann.annotate(first, "withheld")
    ann.annotate(second, "not_reported")
    assert ann.post("/api/undo", {})["paper_sha256"] == second[0]
    assert ann.post("/api/undo", {})["status"] == "withheld"
    assert [annotation["status"] for annotation in ann.get("/api/annotations")] == ["reported"]
    assert ann.post("/api/undo", {})["status"] == "reported"
    assert ann.http.post("/api/undo").status_code == 404
    with Ledger.at(folder) as ledger:
        assert ledger.annotations() == []
        assert [annotation.undo for annotation in ledger.annotation_history()] == [False, False, False, True, True, True]


def test_a_reviewer_cannot_undo_the_annotation_of_another(enter: Enter) -> None:
    ann, bob = enter("ann"), enter("bob")
    ann.annotate(cell_ref(ann, "a", "Q1"), "reported")
    assert bob.http.post("/api/undo").status_code == 404
    assert len(bob.get("/api/annotations")) == 1


def test_a_reviewer_without_a_name_cannot_annotate(enter: Enter) -> None:
    visitor = enter()
    body = {"paper_sha256": cell_ref(visitor, "a", "Q1")[0], "question": "Q1", "status": "reported"}
    answer = visitor.http.post("/api/annotations", json=body)
    assert answer.status_code == 400
    assert "your name" in answer.json()["detail"]


def test_only_reported_not_reported_and_unsure_are_accepted(enter: Enter) -> None:
    ann = enter("ann")
    for status in ("failed", "unreadable", "maybe", "", 7, None):
        body = {"paper_sha256": cell_ref(ann, "a", "Q1")[0], "question": "Q1", "status": status}
        assert ann.http.post("/api/annotations", json=body).status_code in (400, 422)
    assert ann.get("/api/annotations") == []


def test_a_blind_reviewer_sees_no_verdicts_or_annotations_before_deciding(enter: Enter) -> None:
    bob, ann = enter("bob"), enter("ann", blind=True)
    where = cell_ref(bob, "a", "Q1")
    bob.annotate(where, "not_reported", note="a giveaway")
    cell = ann.get("/api/cells/{}/{}".format(*where))
    assert (cell["hidden"], cell["verdict"], cell["readers"], cell["people"]) == (True, None, [], [])
    assert cell["passages"]
    assert marks(ann)["a.pdf"] == [None, None]
    page = ann.http.get("/cells/{}/{}".format(*where)).text
    assert not re.search("giveaway|heron|not by vote|by vote", page)
    assert ann.get("/api/queue", queue="withheld")["queue"] == "unseen"
    assert ann.http.get("/api/export/cells.jsonl").status_code == 400
    assert ann.get("/api/annotations") == []
    assert "giveaway" not in ann.http.get("/api/export/annotations.csv").text
    ann.annotate(where, "reported")
    seen = ann.get("/api/cells/{}/{}".format(*where))
    assert (seen["hidden"], seen["verdict"]) == (False, "reported")
    assert {annotation["annotator"] for annotation in seen["people"]} == {"ann", "bob"}
    assert marks(ann)["a.pdf"] == ["reported", None]


def test_a_blind_room_is_blind_for_every_reviewer(folder: Path) -> None:
    with open_room(folder, blind=True) as url:
        visitor = Visitor(url, "ann", blind=False)
        assert visitor.get("/api/matrix")["blind"] is True


def test_agreement_equals_that_of_the_evaluation(enter: Enter) -> None:
    ann, bob = enter("ann"), enter("bob")
    statuses = {"a": ("reported", "reported"), "b": ("reported", "not_reported"), "c": ("not_reported", "not_reported")}
    for paper, (by_ann, by_bob) in statuses.items():
        ann.annotate(cell_ref(ann, paper, "Q1"), by_ann)
        bob.annotate(cell_ref(bob, paper, "Q1"), by_bob)
    bob.annotate(cell_ref(bob, "a", "Q2"), "withheld")
    agreement = ann.get("/api/agreement")
    ratings = {
        name: {(paper, "Q1"): pair[index] == "reported" for paper, pair in statuses.items()}
        for index, name in enumerate(("ann", "bob"))
    }
    expected = pair_agreement(ratings, "ann", "bob")
    (people,) = agreement["people"]
    assert (people["n"], people["agreed"]) == (3, 2)
    assert people["kappa"] == pytest.approx(expected.kappa, abs=1e-4)
    assert people["ac1"] == pytest.approx(expected.ac1, abs=1e-4)
    assert [(pair["first"], pair["agreed"]) for pair in agreement["verdict"]] == [("ann", 3), ("bob", 2)]
    assert agreement["counts"]["bob"] == {"reported": 1, "not_reported": 2, "withheld": 1}
    assert "0.67" in ann.http.get("/agreement").text


def test_tags_are_kept_and_listed_in_the_matrix_for_the_reviewer_alone(enter: Enter) -> None:
    ann, bob = enter("ann"), enter("bob")
    ref = cell_ref(ann, "a", "Q2")
    saved = ann.annotate(ref, "reported", note="twice", tags=[" gulls ", "gulls", "", "pier\n"])
    assert saved["tags"] == ["gulls", "pier"]
    tags = {paper["name"]: paper["tags"] for paper in ann.get("/api/matrix")["papers"]}
    assert tags["a.pdf"] == {"gulls": [1], "pier": [1]}
    assert all(paper["tags"] == {} for paper in bob.get("/api/matrix")["papers"])
    assert 'value="gulls"' in ann.http.get(f"/cells/{ref[0]}/Q1").text
    assert '["gulls","pier"]' in ann.http.get("/api/export/annotations.csv").text.replace('""', '"')


def test_the_matrix_shows_what_people_decided_and_a_paper_its_short_answers(enter: Enter) -> None:
    ann, bob = enter("ann"), enter("bob", blind=True)
    ref = cell_ref(ann, "a", "Q1")
    assert ann.get(f"/api/papers/{ref[0]}/answers")["Q1"] == TRAINED
    ann.annotate(ref, "not_reported", answer="On the pier.")
    final = {paper["name"]: paper["final"] for paper in ann.get("/api/matrix")["papers"]}
    assert (final["a.pdf"][0], final["b.pdf"][0]) == ("not_reported", "reported")
    assert ann.get(f"/api/papers/{ref[0]}/answers")["Q1"] == "On the pier."
    assert all(set(paper["final"]) == {None} for paper in bob.get("/api/matrix")["papers"] if paper["status"] == "ok")
    assert bob.get(f"/api/papers/{ref[0]}/answers") == {}


def test_duplicates_are_shown_as_such(folder: Path) -> None:
    with Ledger.at(folder) as ledger:
        run = ledger.runs()[0]
        entry, parser = next(pair for pair in ledger.entries(run) if pair[0].name == "b.pdf")
        names = (*ledger.names(run), "copy.pdf")
        ledger.begin(replace(run, papers=len(names)), names)
        ledger.keep_result(run.id, PaperResult(replace(entry, name="copy.pdf", sha256="0" * 64), parser))
    with open_room(folder) as url:
        papers = {paper["name"]: paper["duplicate_of"] for paper in Visitor(url).get("/api/matrix")["papers"]}
    assert papers == {"a.pdf": "", "b.pdf": "", "c.pdf": "", "broken.pdf": "", "copy.pdf": "b.pdf"}


def test_queues_contain_the_right_cells_and_skip_annotated_ones(enter: Enter) -> None:
    ann = enter("ann")
    disagreements = ann.get("/api/queue", queue="disagreements")
    assert {tuple(ref) for ref in disagreements["cells"]} == {cell_ref(ann, "a", "Q1"), cell_ref(ann, "b", "Q1")}
    everything = ann.get("/api/queue", queue="unseen")
    assert len(everything["cells"]) == 6
    assert ann.get("/api/queue", queue="random", seed=3) == ann.get("/api/queue", queue="random", seed=3)
    first = tuple(disagreements["cells"][0])
    assert ann.http.get("/review?queue=disagreements").url.path.endswith("/cells/{}/{}".format(*first))
    ann.annotate(first, "reported")
    assert ann.get("/api/queue", queue="disagreements") == disagreements
    first = tuple(everything["cells"][0])
    at = ann.http.get("/review?queue=unseen").url.path
    assert at.endswith("/cells/{}/{}".format(*first))
    ann.annotate(first, "reported")
    assert list(first) not in ann.get("/api/queue", queue="unseen")["cells"]
    assert ann.http.get("/review?queue=unseen").url.path != at
    assert "Nothing left" in ann.http.get("/review?queue=withheld").text


def test_annotate_import_reads_exported_annotations(enter: Enter, folder: Path, tmp_path: Path, methodlens: Call) -> None:
    ann = enter("ann")
    ann.annotate(cell_ref(ann, "a", "Q1"), "reported", note="as they say")
    ann.annotate(cell_ref(ann, "b", "Q2"), "not_reported")
    ann.annotate(cell_ref(ann, "c", "Q2"), "withheld")
    for kind in ("csv", "jsonl"):
        sheet = tmp_path / f"annotations.{kind}"
        sheet.write_bytes(ann.http.get(f"/api/export/annotations.{kind}?annotator=ann").content)
        done = methodlens("annotate", "import", sheet, "--annotator", f"copy-{kind}", "--out", folder, "--strict")
        assert done.code == 0, done
        assert "3 labels" in done.out
    with Ledger.at(folder) as ledger:
        saved = {
            (annotation.annotator, annotation.paper_sha256, annotation.question): (annotation.status, annotation.note)
            for annotation in ledger.annotations()
        }
    for name in ("copy-csv", "copy-jsonl"):
        copied = {key[1:]: value for key, value in saved.items() if key[0] == name}
        assert copied == {key[1:]: value for key, value in saved.items() if key[0] == "ann"}


def test_an_annotation_is_saved_while_another_process_holds_the_lock(enter: Enter, folder: Path) -> None:
    ann = enter("ann")
    where = cell_ref(ann, "a", "Q1")
    with Ledger.at(folder) as other, other.lock():
        ann.annotate(where, "reported")
        assert len(other.annotations()) == 1


def test_hostile_answers_and_notes_stay_text(enter: Enter) -> None:
    ann, bob = enter("<b>ann</b>"), enter("bob")
    where = cell_ref(ann, "a", "Q1")
    for text in HOSTILE:
        body = {"paper_sha256": where[0], "question": "Q1", "status": "reported"}
        try:
            answer = ann.http.post("/api/annotations", json={**body, "answer": text, "note": text})
        except UnicodeEncodeError:
            continue  # cannot be sent over HTTP
        assert answer.status_code in (201, 422), answer.text
        page = bob.http.get("/cells/{}/{}".format(*where)).text
        assert "<b>ann" not in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert '" onmouseover="alert' not in page
        table = ann.http.get("/api/export/annotations.csv").content.decode("utf-8-sig")
        for row in csv.reader(io.StringIO(table)):
            assert not any(value.startswith(("=", "+", "-", "@", "\t", "\r")) for value in row)


def test_the_api_page_lists_every_path_of_the_schema(enter: Enter) -> None:
    visitor = enter()
    schema = visitor.get("/api/openapi.json")
    assert schema["paths"]["/api/annotations"]["post"]["responses"]["201"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Annotation"
    }
    page = visitor.http.get("/api").text
    for path in schema["paths"]:
        assert path.split("{")[0] in page
