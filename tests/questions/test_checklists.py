"""The shipped checklists: every item is there, in order, in our own words, and marked as not calibrated."""

import re
from itertools import chain

import pytest

from methodlens.questions import is_calibrated, load, shipped
from methodlens.questions.question_set import normalised

ITEMS = {
    "neurips": "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
    "dome": "D1 D2 D3 D4 O1 O2 O3 O4 O5 O6 O7 O8 M1 M2 M3 M4 E1 E2 E3 E4 E5",
    "prisma-2020": "1 2 3 4 5 6 7 8 9 10a 10b 11 12 13a 13b 13c 13d 13e 13f 14 15 16a 16b 17 18 19 20a 20b 20c 20d 21 22"
    " 23a 23b 23c 23d 24a 24b 24c 25 26 27",
    "tripod-ai": "1 2 3a 3b 3c 4 5a 5b 6a 6b 6c 7 8a 8b 8c 9a 9b 9c 10 11 12a 12b 12c 12d 12e 12f 12g 13 14 15 16 17"
    " 18a 18b 18c 18d 18e 18f 19 20a 20b 20c 21 22 23a 23b 24 25 26 27a 27b 27c",
    "reforms": "1a 1b 1c 2a 2b 2c 2d 2e 3a 3b 3c 3d 3e 3f 3g 4a 4b 4c 5a 5b 5c 5d 5e 5f 6a 6b 6c 7a 7b 7c 8a 8b",
    "claim": " ".join(map(str, range(1, 45))),
    "model-cards": "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 2.1 2.2 2.3 3.1 3.2 4.1 4.2 4.3 5.1 5.2 5.3 6.1 7.1 7.2 8.1 9.1",
    "odmap": " ".join(
        chain.from_iterable(
            (f"{part}{n}" for n in range(1, last + 1)) for part, last in zip("ODMAP", (25, 33, 14, 5, 7), strict=True)
        )
    ),
}


@pytest.mark.parametrize("name", ITEMS)
def test_a_checklist_has_every_item_in_order(name: str) -> None:
    assert [question.item for question in load(name).questions] == ITEMS[name].split()


def test_the_counts_are_those_of_the_publications() -> None:
    counts = {found.name: len(found.questions) for found in shipped()}
    assert counts == {
        "dl-methods": 28,
        "neurips": 16,
        "dome": 21,
        "prisma-2020": 42,
        "tripod-ai": 52,
        "reforms": 32,
        "claim": 44,
        "model-cards": 25,
        "odmap": 84,
    }
    for name, main_items in (("prisma-2020", 27), ("tripod-ai", 27), ("reforms", 8), ("model-cards", 9)):
        assert len({re.match(r"\d+", question.item).group() for question in load(name).questions}) == main_items  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ITEMS)
def test_a_checklist_names_its_source_and_licence_and_is_not_calibrated(name: str) -> None:
    checklist = load(name)
    assert checklist.source
    assert checklist.licence
    assert checklist.note
    assert not checklist.calibrated
    assert not any(map(is_calibrated, checklist.questions))


@pytest.mark.parametrize("name", ITEMS)
def test_every_item_is_a_question_with_a_title_a_group_an_answer_form_and_query_words(name: str) -> None:
    for question in load(name).questions:
        assert question.text.endswith("?"), question.id
        assert question.text.count("?") == 1, question.id
        assert len(question.text) <= 160, question.id
        assert 1 <= len(question.title.split()) <= 6, question.id
        assert question.group, question.id
        assert question.form, question.id
        assert question.query, question.id


def test_no_two_shipped_sets_share_an_id() -> None:
    """Annotations and exports are keyed by question id: one ledger may hold several sets."""
    ids = [question.id.lower() for found in shipped() for question in found.questions]
    assert len(ids) == len(set(ids))


def test_within_a_checklist_no_question_is_asked_twice() -> None:
    for found in shipped():
        texts = [normalised(question.text) for question in found.questions]
        assert len(texts) == len(set(texts)), found.name
