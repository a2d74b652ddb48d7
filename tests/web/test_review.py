"""People decide: every word is kept with name and time, beside the readers' answers and never over them."""

import csv
import io
import re
from pathlib import Path

import pytest

from methodlens.evaluation.raters import pair_agreement
from methodlens.ledger import overview
from methodlens.ledger import rows as board
from methodlens.ledger.ledger import Ledger
from methodlens.records import Status
from tests.cli.conftest import Call
from tests.reports.conftest import HOSTILE
from tests.web.conftest import COUNTED, TRAINED, Enter, Visitor, opened, place


def marks(visitor: Visitor) -> dict[str, list[str | None]]:
    return {one["name"]: one["marks"] for one in visitor.get("/api/matrix")["papers"]}


def test_the_matrix_shows_the_vote_that_the_board_takes(enter: Enter, folder: Path) -> None:
    shown = marks(enter())
    with Ledger.at(folder) as ledger:
        run = board.latest(ledger)
        votes = {(row.paper.name, row.question.id): row.cell.verdict.status for row in board.rows(ledger, run) if row.votes}
        glanced = {(one.paper, one.question): one.verdict for one in overview.glance(ledger, run)}
    assert glanced == votes
    assert shown["a.pdf"] == ["reported", "reported"]
    assert shown["c.pdf"] == ["not_reported", "not_reported"]
    assert shown["broken.pdf"] == ["unreadable", "unreadable"]


def test_a_cell_has_every_reader_the_vote_the_quotes_places_and_the_passages(enter: Enter) -> None:
    visitor = enter()
    cell = visitor.get("/api/cells/{}/{}".format(*place(visitor, "a", "Q1")))
    assert [one["reader"] for one in cell["readers"]] == ["heron", "stoat", "owl", "vote"]
    assert cell["readers"][-1]["votes"] == {"heron": "reported", "stoat": "reported", "owl": "not_reported"}
    assert (cell["verdict"], cell["page"], cell["pages"]) == ("reported", 1, 1)
    assert TRAINED in cell["passages"][0]["text"]
    (box,) = cell["readers"][0]["quotes"][0]["places"][0]["boxes"]
    page = visitor.get("/api/papers/{}/pages/1".format(place(visitor, "a", "Q1")[0]))
    (sentence,) = [one for one in page["sentences"] if one["text"] == TRAINED]
    assert sentence["boxes"] == [box]
    assert (page["width"], page["height"]) == (600, 600)


def test_the_page_comes_as_a_picture_once_drawn_and_for_good(enter: Enter) -> None:
    visitor = enter()
    where = f"/api/papers/{place(visitor, 'a', 'Q1')[0]}/pages/1/picture"
    first, second = visitor.http.get(where), visitor.http.get(where)
    assert first.content.startswith(b"\x89PNG")
    assert first.content == second.content
    assert "immutable" in first.headers["cache-control"]
    assert visitor.http.get(where.replace("/1/", "/2/")).status_code == 404


def test_a_decision_is_kept_with_name_and_time_and_overwrites_nothing(enter: Enter, folder: Path) -> None:
    ann = enter("ann")
    where = place(ann, "a", "Q2")
    sentences = ann.get(f"/api/papers/{where[0]}/pages/1")["sentences"]
    (picked,) = [one for one in sentences if one["text"] == COUNTED]
    before = ann.http.get("/api/export/cells.jsonl").text
    span = {"start": picked["start"], "end": picked["end"]}
    ann.decide(where, "not_reported", answer="Gulls are no data.", note="see p. 1", sentences=[span])
    assert ann.http.get("/api/export/cells.jsonl").text == before
    with Ledger.at(folder) as ledger:
        (word,) = ledger.annotations()
    assert (word.annotator, word.status, word.answer) == ("ann", Status.NOT_REPORTED, "Gulls are no data.")
    assert [one.quote for one in word.evidence] == [COUNTED]
    assert word.evidence[0].places[0].page == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", word.at)
    again = enter("ann").get("/api/cells/{}/{}".format(*where))
    assert again["mine"]["answer"] == "Gulls are no data."
    assert again["verdict"] == "reported"


def test_undo_gives_the_word_before_back_and_is_itself_recorded(enter: Enter, folder: Path) -> None:
    ann = enter("ann")
    first, second = place(ann, "a", "Q1"), place(ann, "b", "Q1")
    ann.decide(first, "reported")
    ann.decide(first, "withheld")
    ann.decide(second, "not_reported")
    assert ann.post("/api/undo", {})["paper_sha256"] == second[0]
    assert ann.post("/api/undo", {})["status"] == "withheld"
    assert [one["status"] for one in ann.get("/api/annotations")] == ["reported"]
    assert ann.post("/api/undo", {})["status"] == "reported"
    assert ann.http.post("/api/undo").status_code == 404
    with Ledger.at(folder) as ledger:
        assert ledger.annotations() == []
        assert [one.undo for one in ledger.annotation_history()] == [False, False, False, True, True, True]


def test_nobody_takes_back_the_word_of_another(enter: Enter) -> None:
    ann, bob = enter("ann"), enter("bob")
    ann.decide(place(ann, "a", "Q1"), "reported")
    assert bob.http.post("/api/undo").status_code == 404
    assert len(bob.get("/api/annotations")) == 1


def test_who_has_no_name_cannot_decide(enter: Enter) -> None:
    visitor = enter()
    body = {"paper_sha256": place(visitor, "a", "Q1")[0], "question": "Q1", "status": "reported"}
    answer = visitor.http.post("/api/annotations", json=body)
    assert answer.status_code == 400
    assert "your name" in answer.json()["detail"]


def test_only_what_a_person_can_say_is_kept(enter: Enter) -> None:
    ann = enter("ann")
    for status in ("failed", "unreadable", "maybe", "", 7, None):
        body = {"paper_sha256": place(ann, "a", "Q1")[0], "question": "Q1", "status": status}
        assert ann.http.post("/api/annotations", json=body).status_code in (400, 422)
    assert ann.get("/api/annotations") == []


def test_a_blind_annotator_sees_nothing_of_others_before_deciding(enter: Enter) -> None:
    bob, ann = enter("bob"), enter("ann", blind=True)
    where = place(bob, "a", "Q1")
    bob.decide(where, "not_reported", note="a giveaway")
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
    ann.decide(where, "reported")
    seen = ann.get("/api/cells/{}/{}".format(*where))
    assert (seen["hidden"], seen["verdict"]) == (False, "reported")
    assert {one["annotator"] for one in seen["people"]} == {"ann", "bob"}
    assert marks(ann)["a.pdf"] == ["reported", None]


def test_a_blind_room_is_blind_for_everybody(folder: Path) -> None:
    with opened(folder, blind=True) as url:
        visitor = Visitor(url, "ann", blind=False)
        assert visitor.get("/api/matrix")["blind"] is True


def test_agreement_is_that_of_the_evaluation(enter: Enter) -> None:
    ann, bob = enter("ann"), enter("bob")
    said = {"a": ("reported", "reported"), "b": ("reported", "not_reported"), "c": ("not_reported", "not_reported")}
    for paper, words in said.items():
        ann.decide(place(ann, paper, "Q1"), words[0])
        bob.decide(place(bob, paper, "Q1"), words[1])
    bob.decide(place(bob, "a", "Q2"), "withheld")
    found = ann.get("/api/agreement")
    ratings = {
        who: {(paper, "Q1"): pair_[i] == "reported" for paper, pair_ in said.items()} for i, who in enumerate(("ann", "bob"))
    }
    expected = pair_agreement(ratings, "ann", "bob")
    (people,) = found["people"]
    assert (people["n"], people["agreed"]) == (3, 2)
    assert people["kappa"] == pytest.approx(expected.kappa, abs=1e-4)
    assert people["ac1"] == pytest.approx(expected.ac1, abs=1e-4)
    assert [(one["first"], one["agreed"]) for one in found["verdict"]] == [("ann", 3), ("bob", 2)]
    assert found["counts"]["bob"] == {"reported": 1, "not_reported": 2, "withheld": 1}
    assert "0.67" in ann.http.get("/agreement").text


def test_queues_lead_through_what_matters_and_skip_what_is_done(enter: Enter) -> None:
    ann = enter("ann")
    split = ann.get("/api/queue", queue="disagreements")
    assert {tuple(one) for one in split["cells"]} == {place(ann, "a", "Q1"), place(ann, "b", "Q1")}
    everything = ann.get("/api/queue", queue="unseen")
    assert len(everything["cells"]) == 6
    assert ann.get("/api/queue", queue="random", seed=3) == ann.get("/api/queue", queue="random", seed=3)
    first = tuple(split["cells"][0])
    assert ann.http.get("/review?queue=disagreements").url.path == "/cells/{}/{}".format(*first)
    ann.decide(first, "reported")
    assert ann.get("/api/queue", queue="disagreements") == split
    first = tuple(everything["cells"][0])
    at = ann.http.get("/review?queue=unseen").url.path
    assert at == "/cells/{}/{}".format(*first)
    ann.decide(first, "reported")
    assert list(first) not in ann.get("/api/queue", queue="unseen")["cells"]
    assert ann.http.get("/review?queue=unseen").url.path != at
    assert "Nothing left" in ann.http.get("/review?queue=withheld").text


def test_decisions_come_out_as_annotate_import_reads_them(enter: Enter, folder: Path, tmp_path: Path, methodlens: Call) -> None:
    ann = enter("ann")
    ann.decide(place(ann, "a", "Q1"), "reported", note="as they say")
    ann.decide(place(ann, "b", "Q2"), "not_reported")
    ann.decide(place(ann, "c", "Q2"), "withheld")
    for kind in ("csv", "jsonl"):
        sheet = tmp_path / f"said.{kind}"
        sheet.write_bytes(ann.http.get(f"/api/export/annotations.{kind}?annotator=ann").content)
        done = methodlens("annotate", "import", sheet, "--annotator", f"copy-{kind}", "--out", folder, "--strict")
        assert done.code == 0, done
        assert "3 labels" in done.out
    with Ledger.at(folder) as ledger:
        words = {(one.annotator, one.paper_sha256, one.question): (one.status, one.note) for one in ledger.annotations()}
    for who in ("copy-csv", "copy-jsonl"):
        mine = {key[1:]: said for key, said in words.items() if key[0] == who}
        assert mine == {key[1:]: said for key, said in words.items() if key[0] == "ann"}


def test_a_word_is_kept_while_another_process_has_a_run_going(enter: Enter, folder: Path) -> None:
    ann = enter("ann")
    where = place(ann, "a", "Q1")
    with Ledger.at(folder) as other, other.lock():
        ann.decide(where, "reported")
        assert len(other.annotations()) == 1


def test_hostile_words_of_people_stay_text(enter: Enter) -> None:
    ann, bob = enter("<b>ann</b>"), enter("bob")
    where = place(ann, "a", "Q1")
    for text in HOSTILE:
        body = {"paper_sha256": where[0], "question": "Q1", "status": "reported"}
        try:
            answer = ann.http.post("/api/annotations", json={**body, "answer": text, "note": text})
        except UnicodeEncodeError:
            continue  # nothing that HTTP could carry
        assert answer.status_code in (201, 422), answer.text
        page = bob.http.get("/cells/{}/{}".format(*where)).text
        assert "<b>ann" not in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert '" onmouseover="alert' not in page
        table = ann.http.get("/api/export/annotations.csv").content.decode("utf-8-sig")
        for row in csv.reader(io.StringIO(table)):
            assert not any(value.startswith(("=", "+", "-", "@", "\t", "\r")) for value in row)


def test_the_api_describes_itself_without_help_from_elsewhere(enter: Enter) -> None:
    visitor = enter()
    described = visitor.get("/api/openapi.json")
    assert described["paths"]["/api/annotations"]["post"]["responses"]["201"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Annotation"
    }
    page = visitor.http.get("/api").text
    for path in described["paths"]:
        assert path.split("{")[0] in page
