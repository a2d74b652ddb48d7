"""Labels of papers that other projects ship: complete, consistent, and without a sentence of the papers."""

import json

import pytest

from benchmarks.open_papers import DATA, HALVES, labels, papers, questions

NAMES = sorted(papers())


def rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_paper_says_where_it_is_from_and_belongs_to_a_half() -> None:
    assert len(NAMES) == 16
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
