"""methodlens ask FOLDER: one question over many papers."""

import json
from pathlib import Path

from methodlens import Lens
from methodlens.records import Answer, Cell, Evidence, Match, PaperEntry, Question, Row, Status, Verdict
from methodlens.reports.checklists.folder_answer import folder_answer
from methodlens.settings import ReadingSettings, Settings
from tests.cli.conftest import Call, methodlens

__all__ = ["methodlens"]  # the fixture
PAPERS = Path(__file__).parents[2] / "examples" / "papers"
WITHOUT_OCR = Lens(settings=Settings(reading=ReadingSettings(ocr="off")))


def test_every_paper_is_counted_the_unreadable_one_too() -> None:
    answer = WITHOUT_OCR.ask_folder(PAPERS, "CQ20", progress=False)
    assert len(answer.papers) == 5
    assert sum(answer.counts.values()) == 5
    assert answer.counts[Status.UNREADABLE] == 1
    assert {one.paper for one in answer.papers if one.status is Status.REPORTED} == {"everything-reported.pdf", "rented-cpu.pdf"}


def test_values_are_summarised_over_papers_and_disagreeing_quotes_are_listed() -> None:
    answer = WITHOUT_OCR.ask_folder(PAPERS, "CQ20", progress=False)
    hardware = next(summary for summary in answer.values if summary.name == "hardware")
    assert ("NVIDIA A100", ("everything-reported.pdf",)) in [(group.value, group.papers) for group in hardware.groups]
    (first, second) = hardware.disagreeing
    assert {first.papers, second.papers} == {("everything-reported.pdf",), ("rented-cpu.pdf",)}
    assert all(group.quote and group.page for group in (first, second))
    memory = next(summary for summary in answer.values if summary.name == "RAM")
    assert memory.numbers == (32, 272, 512)


def test_the_command_prints_counts_a_table_and_the_disagreement(methodlens: Call) -> None:
    outcome = methodlens("ask", PAPERS, "CQ20")
    assert outcome.code == 0
    assert "5 papers: 2 reported, 2 not reported, 1 unreadable" in outcome.out
    assert "Papers disagree on hardware:" in outcome.out
    assert "Not calibrated" not in outcome.out
    asked = json.loads(methodlens("ask", PAPERS, "How many frogs were caught?", "--json").out)
    assert asked["calibrated"] is False
    assert len(asked["papers"]) == 5


def test_an_own_question_is_marked_as_not_calibrated(methodlens: Call) -> None:
    assert "Not calibrated" in methodlens("ask", PAPERS / "rented-cpu.pdf", "How many frogs were caught?").out
    assert "Not calibrated" not in methodlens("ask", PAPERS / "rented-cpu.pdf", "CQ20").out


def test_of_several_numbers_the_one_that_was_asked_for_is_summarised() -> None:
    asked = Question("Q1", "For how many epochs was the network trained?")
    texts = (
        "Table 3 epochs. Training used a rate of 0.002 and a batch of 12 for 40 epochs (p. 1).",
        "It ran for 60 epochs.",
        "It used a rate of 0.1.",
    )
    rows = [
        Row(
            PaperEntry(f"{number}.pdf", ""),
            asked,
            Cell("", "", "Q1", "embedded", "m", Verdict(Status.REPORTED), Answer(text, (Evidence(text, Match.EXACT),))),
        )
        for number, text in enumerate(texts)
    ]
    (summary,) = folder_answer(asked, rows).values
    assert [group.value for group in summary.groups] == ["40", "60"]
    assert summary.numbers == (40, 50, 60)
