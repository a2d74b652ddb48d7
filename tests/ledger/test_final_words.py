"""The final word on a cell: people's before the vote's, the vote's before a reader's, and nobody's while people differ."""

from methodlens.ledger.final_words import FINAL, final_row, settle
from methodlens.records import (
    Annotation,
    Answer,
    Cell,
    Evidence,
    Facts,
    Match,
    PaperEntry,
    Question,
    Row,
    Source,
    SourceKind,
    Status,
    Verdict,
)

QUOTE = Evidence("We trained on two Kestrel cards.", Match.EXACT, 0, 32)
OTHER = Evidence("A workstation had 64 GB of memory.", Match.EXACT, 40, 74)
FACTS: Facts = {"hardware": [{"name": "Kestrel", "count": 2}]}
CONFIDENCE = {"hardware": {"Kestrel": 0.9}}


def row(reader: str, status: Status, answer: Answer, votes: dict[str, Status] | None = None) -> Row:
    cell = Cell("k", "ab", "CQ20", reader, "m", Verdict(status, "why"), answer, seconds=2.0)
    return Row(PaperEntry("a.pdf", "ab"), Question("CQ20", "Which hardware?"), cell, votes=votes)


def said(name: str, status: Status, at: str, **given: object) -> Annotation:
    return Annotation("ab", "CQ20", name, status, at, **given)  # type: ignore[arg-type]


YES = row("owl", Status.REPORTED, Answer("Two cards.", (QUOTE,), FACTS, 0.9, fact_confidence=CONFIDENCE, tokens=7))
NO = row("stoat", Status.NOT_REPORTED, Answer("The paper names no hardware.", p_reported=0.1))
UNSURE = row("owl", Status.WITHHELD, Answer("Perhaps two cards.", (QUOTE,), FACTS, 0.5))
VOTE = row(
    "vote",
    Status.REPORTED,
    Answer("owl (reported): Two cards.\nstoat: nothing", (QUOTE,), FACTS),
    {"stoat": Status.NOT_REPORTED, "owl": Status.REPORTED},
)


def test_without_people_it_is_the_readers_word() -> None:
    final = final_row([YES], [])
    assert final.final == Source(SourceKind.READER, ("owl",))
    assert (final.cell.reader, final.cell.model, final.cell.verdict) == (FINAL, "m", YES.cell.verdict)
    assert (final.cell.answer.text, final.cell.answer.facts, final.cell.answer.p_reported) == ("Two cards.", FACTS, 0.9)
    assert (final.cell.seconds, final.cell.answer.tokens) == (0.0, None)  # spent once, on the reader's row


def test_a_votes_word_is_the_answer_of_the_first_winner() -> None:
    repeat = row("owl#2", Status.REPORTED, Answer("Three cards."))
    final = final_row([NO, repeat, YES, VOTE], [])
    assert final.final == Source(SourceKind.VOTE, ("stoat", "owl"))
    assert (final.cell.answer.text, final.cell.answer.evidence, final.cell.answer.p_reported) == ("Two cards.", (QUOTE,), 0.9)


def test_a_person_who_agrees_keeps_the_readers_words() -> None:
    final = final_row([YES], [said("ann", Status.REPORTED, "1")])
    assert final.final == Source(SourceKind.PERSON, ("ann",), "1")
    assert (final.cell.answer.text, final.cell.answer.evidence, final.cell.answer.facts) == ("Two cards.", (QUOTE,), FACTS)
    assert (final.cell.verdict.reason, final.cell.model, final.cell.answer.p_reported) == ("decided by ann", "", None)
    assert final.cell.answer.fact_confidence == CONFIDENCE


def test_a_persons_words_quotes_and_facts_replace_the_readers() -> None:
    corrected: Facts = {"hardware": [{"name": "Merlin", "count": 1}]}
    word = said("ann", Status.REPORTED, "1", answer="One Merlin.", evidence=(OTHER,), facts=corrected, note="Table 2")
    answer = final_row([YES], [word]).cell.answer
    assert (answer.text, answer.evidence, answer.facts, answer.fact_confidence) == ("One Merlin.", (OTHER,), corrected, {})
    assert final_row([YES], [word]).cell.verdict.reason == "decided by ann: Table 2"


def test_facts_can_be_removed() -> None:
    assert final_row([YES], [said("ann", Status.REPORTED, "1", facts={})]).cell.answer.facts == {}


def test_a_person_who_contradicts_keeps_nothing_of_the_readers() -> None:
    final = final_row([YES], [said("ann", Status.NOT_REPORTED, "1")])
    assert final.cell.verdict.status is Status.NOT_REPORTED
    assert final.cell.answer == Answer("The paper does not report this.")
    found = final_row([NO], [said("ann", Status.REPORTED, "1", evidence=(OTHER,))])
    assert found.cell.answer == Answer("", (OTHER,))


def test_a_person_confirms_a_doubtful_answer() -> None:
    final = final_row([UNSURE], [said("ann", Status.REPORTED, "1")])
    assert (final.cell.verdict.status, final.cell.answer.text) == (Status.REPORTED, "Perhaps two cards.")


def test_people_who_differ_leave_the_cell_undecided_until_someone_adjudicates() -> None:
    words = [said("bob", Status.NOT_REPORTED, "2"), said("ann", Status.REPORTED, "1")]
    final = final_row([YES], words)
    assert final.final == Source(SourceKind.DISPUTED, ("ann", "bob"), "2")
    assert final.cell.verdict.status is Status.WITHHELD
    assert final.cell.verdict.reason == "people differ (bob: not reported, ann: reported): adjudicate the cell"
    settled = final_row([YES], [*words, said("eve", Status.REPORTED, "3", adjudicates=True, answer="Two Kestrels.")])
    assert settled.final == Source(SourceKind.ADJUDICATED, ("eve",), "3", own_answer=True)
    assert (settled.cell.answer.text, settled.cell.verdict.reason) == ("Two Kestrels.", "adjudicated by eve")


def test_the_annotator_of_adjudication_sheets_adjudicates() -> None:
    settled = settle([said("ann", Status.REPORTED, "1"), said("adjudicated", Status.NOT_REPORTED, "0")])
    assert settled
    assert (settled.status, settled.source.kind) == (Status.NOT_REPORTED, SourceKind.ADJUDICATED)


def test_the_last_adjudication_counts() -> None:
    first, last = (said(name, Status.REPORTED, at, adjudicates=True) for name, at in (("eve", "1"), ("dan", "2")))
    settled = settle([last, first])
    assert settled
    assert settled.source.by == ("dan",)


def test_someone_unsure_disputes_nothing() -> None:
    words = [said("ann", Status.WITHHELD, "2"), said("bob", Status.REPORTED, "1")]
    assert final_row([NO], words).final == Source(SourceKind.PERSON, ("bob",), "1")
    alone = final_row([NO], words[:1])
    assert (alone.cell.verdict.status, alone.cell.verdict.reason) == (Status.WITHHELD, "ann is unsure")


def test_people_differ_who_correct_the_facts_differently() -> None:
    words = [said("ann", Status.REPORTED, "1", facts=FACTS), said("bob", Status.REPORTED, "2", facts={})]
    settled = settle(words)
    assert settled
    assert settled.source.kind is SourceKind.DISPUTED
    assert settle([words[0], said("bob", Status.REPORTED, "2")]) == settle(
        [said("ann", Status.REPORTED, "1"), said("bob", Status.REPORTED, "2")]
    )
