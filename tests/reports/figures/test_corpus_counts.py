"""What is counted: each paper once, in one pass."""

from typing import Any

from msgspec.structs import replace

from methodlens.questions import load
from methodlens.records import Annotation, PaperStatus, Question, Row, Source, SourceKind, Status, Verdict
from methodlens.reports.figures.corpus_counts import MOST_LINES, CorpusCounts
from methodlens.reports.figures.fact_counts import FactCounts, FactKind
from tests.reports.figures.conftest import NO, QUESTIONS, READERS, UNSURE, YES, cell, paper, rows_of


def test_a_paper_leaves_the_flow_at_the_first_step_that_excludes_it() -> None:
    counts = CorpusCounts(QUESTIONS, 7)
    papers: tuple[dict[str, Any], ...] = (
        {},
        {"duplicate_of": "p0.pdf", "flags": ("no_dl",)},
        {"status": PaperStatus.ENCRYPTED, "flags": ("no_dl",)},
        {"flags": ("no_dl",)},
        {"flags": ("ocr",)},
    )
    for number, details in enumerate(papers):
        counts.add(rows_of(paper(number, **details), (YES, NO, UNSURE)))
    flow = counts.flow
    assert (flow.found, flow.not_read_yet, flow.duplicate, flow.no_dl, flow.assessed, flow.answered) == (7, 2, 1, 1, 2, 2)
    assert flow.unreadable == {"encrypted": 1}
    assert counts.share(0) == (2, 2)


def test_a_readable_copy_of_an_unreadable_paper_counts_once() -> None:
    counts = CorpusCounts(QUESTIONS, 3)
    counts.add(rows_of(paper(0, status=PaperStatus.ENCRYPTED), (Status.UNREADABLE,) * 3))
    counts.add(rows_of(paper(1, duplicate_of="p0.pdf"), (YES, NO, NO)))
    counts.add(rows_of(paper(2, duplicate_of="p0.pdf"), (YES, NO, NO)))
    assert (counts.flow.unreadable.total(), counts.flow.duplicate, counts.papers) == (1, 1, 1)


def test_papers_without_deep_learning_count_where_the_questions_are_about_something_else() -> None:
    question = Question("Q1", "How many gulls were ringed?")
    counts = CorpusCounts([question], 1)
    row = rows_of(paper(1, flags=("no_dl",)), (YES, YES, YES))[0]
    counts.add([Row(row.paper, question, row.cell)])
    assert counts.papers == 1


def test_withheld_and_failed_cells_count_in_n() -> None:
    counts = CorpusCounts(QUESTIONS, 4)
    for number, status in enumerate((YES, NO, UNSURE, Status.FAILED)):
        counts.add(rows_of(paper(number), (status, status, status)))
    assert counts.share(0) == (1, 4)
    assert counts.pair(0, 1) == (1, 0, 0, 1)
    assert counts.flow.answered == 2


def test_the_final_word_counts_and_not_that_of_the_reader() -> None:
    entry, question = paper(1, year=2020), QUESTIONS[0]
    final = Source(SourceKind.PERSON, ("ann",))
    rows = [
        Row(entry, question, cell(question, "embedded", NO, 0.3)),
        Row(entry, question, cell(question, "final", YES), final=final),
    ]
    counts = CorpusCounts(QUESTIONS, 1)
    counts.add(rows, [Annotation("1", question.id, "ann", YES, "1")])
    assert counts.share(0) == (1, 1)
    assert counts.share_in(0, 2019, 2020) == (1, 1)
    assert counts.calibration == {"embedded": [(True, 0.3)]}
    assert (counts.flow.reviewed, counts.reviewed_cells, counts.reviewers) == (1, 1, {"ann"})


def test_neither_adjudications_nor_annotations_of_other_questions_are_compared() -> None:
    counts = CorpusCounts(QUESTIONS, 2)
    for number in range(2):
        statuses = (YES, NO, NO) if number else (NO, YES, NO)
        annotations = [
            Annotation(str(number), question, name, YES, "1", adjudicates=name == "eve")
            for question in ("CQ12", "other")
            for name in ("ann", "eve")
        ]
        counts.add(rows_of(paper(number), statuses, source=Source(SourceKind.ADJUDICATED, ("eve",))), annotations)
    (pair,) = counts.raters.kappas()
    assert (pair.first.name, pair.second.name, pair.n) == ("embedded", "ann", 2)
    assert counts.reviewers == {"ann", "eve"}


def test_facts_of_cells_that_are_not_reported_do_not_count() -> None:
    entry, question = paper(1), QUESTIONS[1]
    answered = cell(question, "embedded", YES)
    counts = CorpusCounts(QUESTIONS, 1)
    counts.add([Row(entry, question, replace(answered, verdict=Verdict(UNSURE)))])
    assert not counts.facts[FactKind.FRAMEWORKS].papers


def test_a_vote_is_the_final_word_where_nobody_reviewed(corpus: CorpusCounts) -> None:
    entry, question = paper(1), QUESTIONS[0]
    votes = dict.fromkeys(READERS, YES)
    counts = CorpusCounts(QUESTIONS, 1)
    counts.add([Row(entry, question, cell(question, "embedded", NO)), Row(entry, question, cell(question, "vote", YES), votes)])
    assert counts.share(0) == (1, 1)
    assert counts.sources == {SourceKind.VOTE: 1}
    assert counts.raters.kappas() == []


def test_facts_count_once_per_paper_without_doubtful_ones_and_gpus_without_other_hardware() -> None:
    counts = CorpusCounts(QUESTIONS, 2)
    counts.add(rows_of(paper(1, year=2020), (YES, YES, YES)))
    counts.add(rows_of(paper(2), (YES, NO, NO)))
    assert [(each.name, each.years) for each in counts.facts[FactKind.FRAMEWORKS].ranked] == [("PyTorch", {2020: 1})]
    assert [(each.name, each.years) for each in counts.facts[FactKind.GPUS].ranked] == [("Kestrel K9", {2020: 1})]
    assert counts.facts[FactKind.ARCHITECTURES].papers == {2020: 1, None: 1}
    assert not counts.facts[FactKind.METRICS].papers


def test_spellings_of_a_name_are_one_name_and_c_is_not_c_plus_plus() -> None:
    facts = FactCounts()
    for names in ({"ResNet-50", "C"}, {"ResNet-50", "resnet 50"}, {"ResNet50", "C++"}):
        facts.add(2020, names)
    assert [(each.name, each.years[2020]) for each in facts.ranked] == [("ResNet-50", 3), ("C", 1), ("C++", 1)]
    assert facts.papers == {2020: 3}


def test_papers_of_a_large_corpus_are_not_kept() -> None:
    counts = CorpusCounts(QUESTIONS, MOST_LINES + 1)
    for number in range(MOST_LINES):
        counts.add(rows_of(paper(number), (YES, YES, NO)))
    assert counts.lines is not None
    counts.add(rows_of(paper(MOST_LINES), (NO, YES, NO)))
    assert counts.lines is None
    assert counts.papers_by_reported.tolist() == [0, 1, MOST_LINES, 0]
    assert counts.by_reported.tolist()[2] == [MOST_LINES, MOST_LINES, 0]


def test_every_question_of_the_shipped_set_can_be_counted() -> None:
    questions = load("dl-methods").questions
    counts = CorpusCounts(questions, 1)
    counts.add([Row(paper(1), questions[3], cell(QUESTIONS[0], "embedded", YES))])
    assert [counts.share(index).n for index in range(len(questions))].count(1) == 1
