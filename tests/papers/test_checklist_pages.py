"""Answers come from the paper, never from the checklist that its authors filled in."""

import pytest

from methodlens.papers import checklist_pages, split
from methodlens.papers.checklist_pages import checklist_spans
from methodlens.records import Line, Page, Paper, Section, SectionKind

BODY = "We counted gulls on the pier. The network was trained on two cards for nine hours.\n"
ITEMS = "".join(
    f"{number}. {topic}\nQuestion: Does the paper describe the {topic}?\nAnswer: [{answer}]\nJustification: See Section 3.\n"
    for number, (topic, answer) in enumerate(
        [("claims", "Yes"), ("limits", "No"), ("hardware", "Yes"), ("licences", "NA"), ("funding", "Yes")], 1
    )
)


def _paper(text: str, *, sections: tuple[Section, ...] = (), lines: tuple[Line, ...] = ()) -> Paper:
    return Paper("0" * 64, "test-1", text=text, sections=sections, lines=lines, pages=(Page(1, 100, 100),))


def _excluded(paper: Paper) -> str:
    return "".join(paper.text[start:end] for start, end in checklist_spans(paper))


def test_a_conference_checklist_is_left_out_from_its_heading_to_the_end() -> None:
    paper = _paper(f"{BODY}Paper Checklist\nAnswer every item and do not delete the instructions.\n{ITEMS}")
    assert _excluded(paper).startswith("Paper Checklist")
    assert _excluded(paper).endswith("See Section 3.\n")
    assert all("Justification" not in passage.text for passage in split(paper))
    assert "nine hours" in split(paper)[0].text


def test_a_checklist_before_an_appendix_ends_where_the_appendix_begins() -> None:
    appendix = "Appendix A\nThe learning rate was chosen on the pier.\n"
    text = f"{BODY}Checklist\n{ITEMS}{appendix}"
    start = len(text) - len(appendix)
    sections = (Section(SectionKind.METHODS, "Methods", 0, start), Section(SectionKind.APPENDIX, "Appendix A", start, len(text)))
    passages = [passage.text for passage in split(_paper(text, sections=sections))]
    assert any("learning rate" in passage for passage in passages)
    assert not any("Answer:" in passage for passage in passages)


def test_items_answered_in_brackets_after_their_question_are_a_checklist() -> None:
    items = "".join(
        f"({letter}) Did you count the gulls? [Yes] See Section {number}.\n" for number, letter in enumerate("abcdef", 1)
    )
    assert "[Yes]" in _excluded(_paper(f"{BODY}Checklist\n{items}"))


@pytest.mark.parametrize(
    "item",
    [
        "(yes/partial/no/NA) yes The counts are described.",
        "{letter}1. Did you count the gulls? Section 4.",
        "Answer: No, they flew away.",
    ],
)
def test_the_answers_of_other_conferences_are_known_too(item: str) -> None:
    items = "".join(f"{item.format(letter=letter)}\n" for letter in "ABCDE")
    paper = _paper(f"{BODY}Reproducibility Checklist\n{items}")
    assert _excluded(paper).startswith("Reproducibility Checklist")
    assert BODY.strip() in split(paper)[0].text


def test_a_few_bracketed_words_in_the_text_are_no_checklist() -> None:
    assert checklist_spans(_paper(f"{BODY}Visitors said [yes] or [no]; the rest [n/a].\nChecklist of birds\n{BODY}")) == []


def test_a_journals_table_of_items_and_pages_is_left_out_with_its_page() -> None:
    table = "GULLS 2031 Checklist\nItem # Checklist item Location where item is reported\n1 Say that gulls were counted 4\n"
    text = BODY + table
    lines = (Line(0, len(BODY), 1, 0, 10, ()), Line(len(BODY), len(text), 2, 0, 10, ()))
    paper = _paper(text, lines=lines)
    assert checklist_pages(paper) == [2]
    assert [passage.page for passage in split(paper)] == [1]
