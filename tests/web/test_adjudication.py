"""Two reviewers differ, and a third settles it."""

import json
from pathlib import Path

import pytest

from methodlens.ledger.final_words import final_rows
from methodlens.ledger.store import Ledger
from methodlens.ledger.team_members import Role
from methodlens.records import Annotation, ContentRef, SourceKind, Status
from methodlens.web.review.queues import Queue
from methodlens.web.review.reviewer import NotAllowed, Reviewer
from methodlens.web.review.room import Room
from tests.web.conftest import Enter, Visitor, cell_ref, open_room


def disputed_cell(enter: Enter) -> tuple[str, str]:
    ann, bob = enter("ann", blind=True), enter("bob", blind=True)
    ref = cell_ref(ann, "a", "Q1")
    ann.annotate(ref, "reported", note="on the barge", tags=["boats"])
    bob.annotate(ref, "not_reported", answer="It is not said.")
    return ref


def test_an_adjudicator_sees_both_words_and_the_third_word_is_final(enter: Enter, folder: Path) -> None:
    ref = disputed_cell(enter)
    eve = enter("eve")
    assert eve.get("/api/queue", queue="adjudicate")["cells"] == [list(ref)]
    page = eve.http.get("/review", params={"queue": "adjudicate"}).text
    for words in ("on the barge", "It is not said.", "Side with ann", "Side with bob", "boats"):
        assert words in page
    saved = eve.annotate(ref, "not_reported", adjudicates=True)
    assert saved["adjudicates"]
    assert eve.get("/api/queue", queue="adjudicate")["left"] == 0
    with Ledger.at(folder) as ledger:
        (final,) = (
            row.final for row in final_rows(ledger, ledger.runs()[0]) if (row.paper.sha256, row.question.id) == ref and row.final
        )
    assert (final.kind, final.by) == (SourceKind.ADJUDICATED, ("eve",))
    progress = eve.get("/api/progress")
    assert (progress["disputed"], progress["adjudicated"]) == (0, 1)
    eve.post("/api/undo", {})
    assert eve.get("/api/queue", queue="adjudicate")["left"] == 1


def test_people_who_differ_only_in_facts_are_shown_with_them_and_the_side_taken_has_them(enter: Enter) -> None:
    ann, bob, eve = enter("ann"), enter("bob"), enter("eve")
    ref = cell_ref(ann, "a", "Q1")
    for person, count in ((ann, 4), (bob, 8)):
        person.annotate(ref, "reported", facts={"hardware": [{"name": "Kestrel K6", "count": count}]})
    page = eve.http.get("/review", params={"queue": "adjudicate"}).text
    assert "(4 of them)" in page
    assert "(8 of them)" in page
    marked = json.loads(page.split('id="marked">')[1].split("</script>")[0])
    assert [side["facts"]["hardware"][0]["count"] for side in marked["sides"]] == [4, 8]


def test_nobody_adjudicates_their_own_disagreement_or_an_undisputed_cell(enter: Enter) -> None:
    ref = disputed_cell(enter)
    ann, eve = enter("ann"), enter("eve")
    assert ann.get("/api/queue", queue="adjudicate")["left"] == 0
    body = {"paper_sha256": ref[0], "question": ref[1], "status": "reported", "adjudicates": True}
    refused = ann.http.post("/api/annotations", json=body)
    assert refused.status_code == 400
    assert "decided this cell yourself" in refused.json()["detail"]
    refused = eve.http.post("/api/annotations", json=body | {"question": "Q2"})
    assert "do not differ" in refused.json()["detail"]


def test_only_adjudicators_have_the_queue_and_may_settle(folder: Path) -> None:
    with Ledger.at(folder) as ledger:
        entry, _ = next(ledger.entries(ledger.runs()[0]))
        ref = ContentRef(entry.sha256, "Q1")
        words = {"ann": Status.REPORTED, "bob": Status.NOT_REPORTED}
        ledger.keep_annotations(Annotation(*ref, name, status, f"2020-01-0{len(name)}") for name, status in words.items())
        room = Room(ledger)
        reviewer = Reviewer("eve", role=Role.REVIEWER)
        assert Queue.ADJUDICATE not in reviewer.queues
        assert room.next_cell(Queue.ADJUDICATE, reviewer, seed=7) is None
        with pytest.raises(NotAllowed):
            room.annotate(Annotation(*ref, "", Status.REPORTED, "", adjudicates=True), reviewer)
        assert room.next_cell(Queue.ADJUDICATE, Reviewer("eve", blind=True), seed=7) == ref


def test_a_blind_adjudicator_sees_the_words_only_in_the_queue_and_is_not_blind_then(enter: Enter) -> None:
    ref = disputed_cell(enter)
    eve = enter("eve", blind=True)
    path = f"/api/cells/{ref[0]}/{ref[1]}"
    assert eve.get(path)["hidden"]
    assert not eve.get("/api/cells/" + cell_ref(eve, "b", "Q1")[0] + "/Q1", adjudicate=True)["people"]
    assert len(eve.get(path, adjudicate=True)["people"]) == 2
    assert not eve.annotate(ref, "reported", adjudicates=True)["blind"]


def test_progress_says_who_has_what_to_do(enter: Enter) -> None:
    disputed_cell(enter)
    eve = enter("eve")
    eve.annotate(cell_ref(eve, "b", "Q1"), "reported")
    progress = {person["reviewer"]: person for person in eve.get("/api/progress")["reviewers"]}
    assert {name: person["decided"] for name, person in progress.items()} == {"ann": 1, "bob": 1, "eve": 1}
    assert {name: person["second_opinions"] for name, person in progress.items()} == {"ann": 1, "bob": 1, "eve": 1}
    (everything,) = (queue for queue in progress["ann"]["queues"] if queue["queue"] == "unseen")
    assert (everything["done"], everything["total"]) == (1, 6)
    page = eve.http.get("/agreement").text
    assert "<strong>1</strong> cell is disputed" in page
    blind = enter("ann", blind=True)
    assert [person["reviewer"] for person in blind.get("/api/progress")["reviewers"]] == ["ann"]


def test_adjudications_do_not_count_as_agreement_and_figures_have_intervals(enter: Enter) -> None:
    ref = disputed_cell(enter)
    eve, ann, bob = enter("eve"), enter("ann"), enter("bob")
    eve.annotate(ref, "reported", adjudicates=True)
    for paper in ("b", "c"):
        for person in (ann, bob):
            person.annotate(cell_ref(person, paper, "Q1"), "reported")
    (pair,) = eve.get("/api/agreement")["people"]
    assert (pair["first"], pair["second"], pair["n"], pair["agreed"]) == ("ann", "bob", 3, 2)
    low, high = pair["agreement_interval"]
    assert 0 <= low < pair["agreement"] < high <= 1


def test_the_name_is_kept_when_the_room_starts_again(folder: Path) -> None:
    with open_room(folder) as url:
        first = Visitor(url, "ann")
        cookies = dict(first.http.cookies)
    with open_room(folder) as url:
        again = Visitor(url)
        again.http.cookies.set("methodlens-name", cookies["methodlens-name"])
        ref = cell_ref(again, "a", "Q1")
        assert again.annotate(ref, "reported")["annotator"] == "ann"
