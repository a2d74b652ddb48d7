"""The answers of the embedded reader on our fictional example papers, kept as a text that people review.

After a change of the answers: `python -m tests.readers.test_embedded_answers`, then read the diff of embedded_answers.txt.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from methodlens import retrieval
from methodlens.papers import WorkerPool, split
from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.grounding import unsupported_claims
from methodlens.records import Answer, Question
from methodlens.retrieval import limit
from methodlens.settings import Settings

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
SNAPSHOT = Path(__file__).with_name("embedded_answers.txt")
# all questions on the paper that reports everything; the rest are those that read differently in the others
ASKED = {
    "everything-reported": tuple(f"CQ{number}" for number in range(1, 29)),
    "rented-cpu": ("CQ4", "CQ7", "CQ8", "CQ12", "CQ13", "CQ20", "CQ22"),
    "silent-on-hardware": ("CQ1", "CQ6", "CQ13", "CQ16", "CQ20"),
}


@cache
def _answers() -> tuple[tuple[str, Question, Answer], ...]:
    return tuple(_read_examples())


def _read_examples() -> Iterator[tuple[str, Question, Answer]]:
    settings, reader = Settings(), EmbeddedReader()
    retriever = retrieval.create(settings.retrieval, {})
    questions = {question.id: question for question in load("dl-methods").questions}
    with WorkerPool(1, settings.papers, settings.reading) as pool:
        for name, asked in ASKED.items():
            paper = pool.parse(PAPERS / f"{name}.pdf")
            index = retriever.index(split(paper, size=settings.retrieval.passage_chars))
            for question in (questions[key] for key in asked):
                by = settings.retrieval
                hits, shown = limit(index.rank(question), shown_chars=by.shown_chars, kept_chars=by.kept_chars)
                yield name, question, reader.read(question, paper, hits[:shown])


def snapshot() -> str:
    blocks = []
    for name, question, answer in _answers():
        quotes = [f"  “{' '.join(item.quote.split())}” (p. {item.places[0].page})" for item in answer.evidence]
        blocks.append("\n".join((f"{name}, {question.id} {question.title}", answer.text, *quotes)))
    return "\n\n".join(blocks) + "\n"


def test_the_answers_on_the_example_papers_are_those_that_were_reviewed() -> None:
    assert len(_answers()) == 40
    assert snapshot() == SNAPSHOT.read_text(encoding="utf-8")


def test_every_claim_of_an_answer_is_in_its_quotes() -> None:
    claims = {
        (name, question.id): unsupported_claims(answer.text, answer.evidence, question=question.text)
        for name, question, answer in _answers()
        if answer.evidence
    }
    assert claims
    assert {key: found for key, found in claims.items() if found} == {}


def test_an_answer_is_short_and_does_not_repeat_its_quotes() -> None:
    for _, _, answer in _answers():
        assert len(answer.text.split()) <= 120
        assert "paper says" not in answer.text
        assert "“" not in answer.text


def test_every_answer_to_a_question_without_facts_gives_a_page() -> None:
    answers = [answer for _, question, answer in _answers() if answer.evidence and not question.facts]
    assert answers
    assert all("(p" in answer.text for answer in answers)


if __name__ == "__main__":
    SNAPSHOT.write_text(snapshot(), encoding="utf-8")
