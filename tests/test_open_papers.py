"""Labels of papers that other projects ship: complete, consistent, and without a sentence of the papers."""

import json

import pytest

from benchmarks.add_open_paper import compact
from benchmarks.open_papers import DATA, HALVES, labels, papers, questions

NAMES = sorted(papers())


def rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_paper_says_where_it_is_from_and_belongs_to_a_half() -> None:
    assert len(NAMES) == 70
    for about in papers().values():
        assert set(about) == {"title", "field", "half", "package", "version", "file", "sha256"}
        assert about["half"] in HALVES
    assert set(papers("dev")) | set(papers("test")) == set(NAMES)
    assert not set(papers("dev")) & set(papers("test"))


@pytest.mark.parametrize("name", NAMES)
def test_a_paper_has_a_label_for_each_question_and_quotes_for_what_it_reports(name: str) -> None:
    cells = rows(name)
    assert [cell["cq"] for cell in cells] == list(range(1, 29))
    for cell in cells:
        assert set(cell) == {"cq", "reported", "partial", "answer_words", "quotes", "values"}
        assert cell["reported"] or not cell["answer_words"]
        assert cell["quotes"] or not cell["reported"]


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_a_set_of_words_and_no_sentence(name: str) -> None:
    for cell in rows(name):
        words = cell["answer_words"]
        assert isinstance(words, list)
        assert words == sorted(set(words))
        assert all(" " not in word for word in words)


def test_quotes_are_restored_from_the_pages_that_they_are_on() -> None:
    pages = ["x" * 20_000] * 40
    for cell in labels(NAMES[0], pages):
        assert all(set(quote["text"]) == {"x"} and quote["page"] >= 1 for quote in cell["quotes"])
    asked = questions(NAMES[0], pages)
    assert sum(row["answerable"] for row in asked) == 8
    assert all(bool(row["evidence"]) == row["answerable"] for row in asked)


def test_labels_with_text_become_positions_and_sets_of_words() -> None:
    pages = ["Intro. We trai-\nned it with Adam. End."]
    quote = {"page": 1, "text": "We trained it with Adam."}
    label = {
        "paper": "u99",
        "cq": 15,
        "reported": True,
        "partial": False,
        "answer": "Adam, 37,000 steps",
        "quotes": [quote],
        "values": {},
    }
    (row,) = compact([label], pages)
    assert row["answer_words"] == ["37,000", "adam", "steps"]
    (place,) = row["quotes"]
    assert pages[0][place[1] : place[2]] == "We trai-\nned it with Adam."


def test_a_quote_that_is_not_on_its_page_is_refused() -> None:
    label = {
        "cq": 15,
        "reported": True,
        "partial": False,
        "answer": "Adam",
        "quotes": [{"page": 1, "text": "We used SGD."}],
        "values": {},
    }
    with pytest.raises(ValueError, match="not on page 1: We used SGD"):
        compact([label], ["We used Adam."])


def test_an_annotator_agrees_with_a_copy_of_the_labels_and_less_with_other_ones() -> None:
    annotators = pytest.importorskip("benchmarks.annotators", reason="needs training/requirements.txt", exc_type=ImportError)
    first = rows(NAMES[0])
    same = annotators.agreement([(cell, cell) for cell in first])
    assert set(same.values()) == {1.0}
    turned = [{**cell, "reported": not cell["reported"]} if cell["cq"] == 8 else cell for cell in first]
    assert annotators.agreement(list(zip(first, turned, strict=True)))["kappa"] < 1.0
