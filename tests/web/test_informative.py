"""The queue of the most informative cells."""

from methodlens.ledger.overview import CellSummary
from methodlens.records import ContentRef, Status
from methodlens.web.review.queues import InformativeBuilder, Queue, WindowRequest

REQUEST = WindowRequest(Queue.INFORMATIVE, 7, "ann")


def cell(number: int, question: str, p: float | None, verdict: Status = Status.REPORTED) -> tuple[CellSummary, ContentRef]:
    summary = CellSummary(f"{number:02}.pdf", question, verdict, {"heron": verdict}, p)
    return summary, ContentRef(f"{number:064}", question)


def order(*cells: tuple[CellSummary, ContentRef], done: frozenset[ContentRef] = frozenset()) -> list[tuple[int, str]]:
    builder = InformativeBuilder(REQUEST, done)
    for summary, ref in cells:
        builder.add(summary, ref)
    return [(int(ref.paper_sha256), ref.question) for ref in builder.window().refs]


def test_the_most_uncertain_cell_of_a_question_comes_first_and_certain_ones_are_left_out() -> None:
    cells = [cell(1, "Q1", 0.9), cell(2, "Q1", 0.6), cell(3, "Q1", 0.99), cell(4, "Q1", 0.4, Status.WITHHELD)]
    assert order(*cells) == [(4, "Q1"), (2, "Q1"), (1, "Q1")]
    unreadable = cell(5, "Q1", None, Status.UNREADABLE)
    assert order(unreadable) == []


def test_the_question_with_most_doubt_comes_first_and_then_gives_way() -> None:
    doubtful = [cell(number, "Q1", None, Status.WITHHELD) for number in range(1, 5)]
    other = [cell(number, "Q2", None, Status.WITHHELD) for number in range(1, 3)]
    questions = [question for _, question in order(*doubtful, *other)]
    assert questions[0] == "Q1"
    assert "Q2" in questions[1:3]


def test_decisions_on_a_question_lower_what_another_one_would_teach() -> None:
    cells = [cell(number, question, None, Status.WITHHELD) for question in ("Q1", "Q2") for number in range(1, 4)]
    done = frozenset(ref for _, ref in cells[:2])
    assert order(*cells, done=done)[0][1] == "Q2"
    assert len(order(*cells, done=done)) == 4
