"""methodlens check: a to-do list from the text of a draft, with an exit code for CI."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens import Lens
from methodlens.errors import InputError
from methodlens.questions import QuestionSet, load
from methodlens.records import Hit, Page, Paper, Passage, Question, Section, SectionKind, Status
from methodlens.reports.checklists.author_check import FailOn, author_check
from methodlens.reports.checklists.section_advice import where_it_belongs
from tests.checklists.drafts import BODY, CHECKLIST, write_draft
from tests.checklists.test_forms import _row
from tests.cli.conftest import Call, methodlens, one_line

__all__ = ["methodlens"]  # the fixture

HARDWARE = next(question for question in load("dl-methods").questions if question.id == "CQ20")
EPOCHS = next(question for question in load("dl-methods").questions if question.id == "CQ13")


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    return write_draft(tmp_path / "draft.pdf", [BODY, CHECKLIST])


def _check(draft: Path, *questions: Question):  # type: ignore[no-untyped-def]
    return Lens(questions=QuestionSet("two", "Two questions", "", questions)).check(draft, progress=False)


def test_what_only_the_papers_own_checklist_claims_is_missing(draft: Path) -> None:
    checked = _check(draft, HARDWARE, EPOCHS)
    assert [one.item.question.id for one in checked.missing] == ["CQ20"]
    assert [one.item.question.id for one in checked.found] == ["CQ13"]
    assert checked.ignored_pages == (2,)
    assert "H100" not in checked.to_markdown().replace(str(draft), "")


def test_without_the_checklist_page_the_same_text_is_an_answer(tmp_path: Path) -> None:
    said = "All experiments ran on eight NVIDIA H100 GPUs with 80 GB of memory."
    checked = _check(write_draft(tmp_path / "draft.pdf", [(*BODY[:6], said, *BODY[6:])]), HARDWARE)
    assert [one.item.pages for one in checked.found] == [(1,)]
    assert checked.is_complete()


def test_the_to_do_list_says_what_is_missing_where_it_belongs_and_what_was_found(draft: Path) -> None:
    text = _check(draft, HARDWARE, EPOCHS).to_markdown()
    assert "1 of 2 items found, 1 missing, 0 doubtful" in text
    assert "- [ ] **CQ20 Training hardware**" in text
    assert "  - Belongs in: the methods" in text
    assert "- [x] **CQ13 Hyperparameters** (p. 1)" in text
    assert "own checklist (p. 2) was not used" in text
    assert "Not calibrated" not in text


def test_fail_on_decides_what_counts_as_incomplete(draft: Path) -> None:
    checked = _check(draft, HARDWARE, EPOCHS)
    assert not checked.is_complete(FailOn.MISSING)
    assert checked.is_complete(FailOn.NEVER)
    complete = _check(draft, EPOCHS)
    assert complete.is_complete(FailOn.DOUBTFUL)


def test_the_command_writes_markdown_and_its_exit_code_is_for_ci(methodlens: Call, draft: Path, tmp_path: Path) -> None:
    outcome = methodlens("check", draft, "--questions", "neurips", "--out", tmp_path / "todo.md")
    assert outcome.code == 1
    text = (tmp_path / "todo.md").read_text()
    assert text.startswith("# To do:")
    assert "**Not calibrated**" in text
    assert methodlens("check", draft, "--fail-on", "never").code == 0
    checked = json.loads(methodlens("check", draft, "--json").out)
    assert len(checked["items"]) == 16
    assert checked["ignored_pages"] == [2]


def test_bad_input_is_refused_in_one_line(methodlens: Call, draft: Path, tmp_path: Path) -> None:
    assert "missing, doubtful, never" in one_line(methodlens("check", draft, "--fail-on", "always"))
    assert "folder" in one_line(methodlens("check", tmp_path))
    assert "neurips" in one_line(methodlens("check", draft, "--questions", "neuripz"))
    assert "--out" in one_line(methodlens("check", draft, "--out", tmp_path / "nowhere" / "todo.md"))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    assert "broken.pdf" in one_line(methodlens("check", tmp_path / "broken.pdf"))
    with pytest.raises(InputError):
        Lens(questions="neurips").check(tmp_path / "broken.pdf")


def test_the_section_is_the_papers_own_if_it_has_one() -> None:
    sections = (
        Section(SectionKind.METHODS, "2. Field work", 0, 50),
        Section(SectionKind.METHODS, "3. The network", 50, 100),
        Section(SectionKind.DISCUSSION, "5. What we cannot say", 100, 150),
    )
    paper = Paper("0" * 64, "test-1", text="x" * 150, pages=(Page(1, 600, 800),), sections=sections)
    hits = (Hit(Passage(60, 80, 1, "methods", "..."), 2.0), Hit(Passage(10, 30, 1, "methods", "..."), 1.0))
    assert where_it_belongs(Question("Q1", "Which limitations are discussed?"), paper, hits) == "“5. What we cannot say” (p. 1)"
    assert where_it_belongs(Question("Q2", "How many layers are there?"), paper, hits) == "“3. The network” (p. 1)"
    assert where_it_belongs(Question("Q3", "Where is the code available?"), paper, hits).startswith(
        "a statement on the availability"
    )
    assert where_it_belongs(Question("Q4", "How many layers are there?"), paper, hits, missing=True) == "the methods"


@pytest.mark.parametrize(
    ("passage", "shown"),
    [("The otters were split into two groups.", False), ("The release of the otter data has safeguards against misuse.", True)],
)
def test_a_passage_on_another_subject_is_not_called_the_closest(passage: str, shown: bool) -> None:
    question = next(question for question in load("neurips").questions if question.item == "11")
    row = _row(question, Status.NOT_REPORTED)
    row = replace(row, cell=replace(row.cell, hits=(Hit(Passage(0, 10, 4, "methods", passage), 1.0),)))
    text = author_check(Paper("0" * 64, "p", text=passage), [row], load("neurips"), name="otters.pdf").to_markdown()
    assert ("Closest passage (p. 4)" in text) is shown
