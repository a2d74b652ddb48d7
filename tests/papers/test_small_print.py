"""Paragraphs in smaller print, boxes, justified lines, and headings in fonts that do not say that they are bold."""

import time
from typing import Any

from methodlens.papers.layout.flow import flow
from methodlens.papers.layout.headings import sections
from methodlens.papers.layout.interruptions import with_boxes_moved
from methodlens.papers.layout.roles import LayoutLine, Role
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import SectionKind
from tests.papers.test_flow import line

BODY = [
    "Snails cross the garden at night and leave a trail on",
    "the stones of the path, which dries before the morning",
    "comes and the gardeners walk to their beds of lettuce.",
    "Nobody has counted them in the rain before this year.",
]


def printed(texts: list[str], top: float, size: float = 11.0, **more: Any) -> list[RawLine]:
    return [line(text, top=top + 1.1 * size * number, size=size, **more) for number, text in enumerate(texts)]


def page(*lines: RawLine) -> RawPage:
    return RawPage(1, 400.0, 800.0, list(lines))


def test_a_short_line_inside_a_paragraph_of_smaller_print_stays_in_its_place() -> None:
    abstract = ["We count the snails of a garden with", "one inexpensive camera", "and compare it with two gardeners."]
    text = flow([page(*printed(abstract, 60.0, 9.0), *printed(4 * BODY, 200.0))]).text
    assert "the snails of a garden with one inexpensive camera and compare it with two gardeners." in text


def test_a_paragraph_of_smaller_print_at_the_foot_of_the_page_is_no_footnote() -> None:
    foot = [
        "The camera took a picture of the path",
        "every minute of the night, and a lamp",
        "was lit for a second each time so that",
    ]
    text = flow(
        [page(*printed(4 * BODY, 60.0), *printed(foot, 691.0, 9.0)), page(*printed(["no shell was missed."], 60.0, 9.0))]
    ).text
    assert "a lamp was lit for a second each time so that no shell was missed." in text


def justified(text: str, top: float, gap: float) -> RawLine:
    words, at = [], 40.0
    for word in text.split():
        words.append(RawWord(word, at, at + 5.0 * len(word)))
        at += 5.0 * len(word) + gap
    return RawLine(tuple(words), (40.0, top, at - gap, top + 11.0), 11.0)


def test_a_justified_line_with_wide_gaps_is_no_row_of_a_table() -> None:
    lines = printed(3 * BODY, 60.0)
    stretched = [justified("path7:117,303,853 was annotated", 203.0, 14.0), line("as wet by both gardeners.", top=215.0)]
    text = flow([page(*lines, line("For example, the stone", top=191.0), *stretched)]).text
    assert "the stone path7:117,303,853 was annotated as wet by both gardeners." in text


def test_a_line_in_the_type_of_a_named_heading_is_a_heading_though_its_font_does_not_say_bold() -> None:
    def prose(top: float) -> list[RawLine]:
        return printed(BODY, top, font="Adv1", lead=11)

    head: dict[str, Any] = {"font": "Adv2", "lead": 1, "size": 10.0}
    named, other = line("Introduction", top=100.0, **head), line("Implementation", top=190.0, **head)
    result = flow([page(*prose(40.0), named, *prose(115.0), other, *prose(205.0))])
    found = {section.title: section.kind for section in sections(result.text, result.headings)}
    assert found["Introduction"] is SectionKind.INTRODUCTION
    assert found["Implementation"] is SectionKind.METHODS


def test_a_label_in_a_font_of_its_own_starts_a_paragraph() -> None:
    def labelled(text: str, top: float) -> RawLine:
        return line(text, top=top, font="Bold", lead=2)

    before = printed(BODY, 60.0, font="Adv1", lead=9)
    listed = [
        labelled("Operating system: any that has a lamp", 108.5),
        labelled("Programming language: the one of snails", 120.5),
    ]
    assert flow([page(*before, *listed)]).text.splitlines()[-2:] == [item.text for item in listed]


def test_notes_of_the_publisher_inside_a_section_are_front_matter() -> None:
    text = (
        "Methods\nWe counted the snails twice.\n* Correspondence: ada@example.org\n1\nGarden School, Lettuce Lane 1\n"
        "© 2020 Moss et al. This is an open access article.\nReceived 4 May 2020; accepted 6 June 2020\nThe counts agree."
    )
    found = sections(text, [(0, 7)])
    assert [(section.kind.value, section.title) for section in found] == [("methods", "Methods"), ("front", ""), ("methods", "")]
    assert text[found[0].start : found[0].end].endswith("twice.\n")
    assert text[found[2].start : found[2].end] == "The counts agree."


def test_a_sentence_that_begins_with_a_word_of_such_notes_stays_in_its_section() -> None:
    text = "Methods\nReceived images were scaled.\nCopyrighted images were left out.\nEditors of the guide helped us."
    assert [section.kind for section in sections(text, [(0, 7)])] == [SectionKind.METHODS]


def test_the_bar_of_a_root_is_no_word() -> None:
    assert flow([page(line("the value of ffiffiffiffiffi x is small", top=60.0))]).text == "the value of √ x is small"


def in_column(texts: list[str], top: float, x: float, role: Role = Role.BODY) -> list[LayoutLine]:
    return [LayoutLine(line(text, x=x, top=top + 12.0 * number), 1, role) for number, text in enumerate(texts)]


def order(*parts: list[LayoutLine]) -> list[str]:
    return [item.line.text for item in with_boxes_moved([item for part in parts for item in part])]


INTRODUCTION = in_column(["Introduction"], 40.0, 40.0, Role.HEADING)
LEFT = in_column(["Two patient gardeners counted the snails and"], 60.0, 40.0)
SUMMARY = in_column(["Author Summary"], 40.0, 440.0, Role.HEADING)
BOX = in_column(["Gardens have many snails, which", "we counted with a lamp."], 60.0, 440.0)


def test_a_box_that_interrupts_a_sentence_goes_before_the_section_around_it() -> None:
    rest = in_column(["wrote down how many they saw.", "Rain fell on most evenings."], 120.0, 440.0)
    words = order(INTRODUCTION, LEFT, SUMMARY, BOX, rest)
    assert words[:3] == ["Author Summary", "Gardens have many snails, which", "we counted with a lamp."]
    assert words[3:6] == ["Introduction", "Two patient gardeners counted the snails and", "wrote down how many they saw."]


def test_a_section_in_the_next_column_is_no_box() -> None:
    parts = INTRODUCTION, LEFT, SUMMARY, BOX, in_column(["Rain fell on most evenings."], 120.0, 440.0)  # nothing goes on
    assert order(*parts) == [item.line.text for part in parts for item in part]
    ended = in_column(["Two gardeners counted the snails."], 60.0, 40.0)
    parts = INTRODUCTION, ended, SUMMARY, BOX, in_column(["where it rained."], 120.0, 440.0)  # nothing broke off
    assert order(*parts) == [item.line.text for part in parts for item in part]


def test_many_headings_in_broken_sentences_take_linear_time() -> None:
    lines: list[LayoutLine] = []
    for number in range(20_000):
        lines.append(LayoutLine(line("Pond", top=10.0), 2 * number + 1, Role.HEADING))
        lines.append(LayoutLine(line("All newts swim.", top=20.0), 2 * number + 1, Role.BODY))
        lines.append(LayoutLine(line("and they swim in", top=20.0), 2 * number + 2, Role.BODY))
    begun = time.process_time()
    assert len(with_boxes_moved(lines)) == len(lines)
    assert time.process_time() - begun < 5


def test_a_justified_line_with_a_raised_number_inside_a_sentence_is_no_row() -> None:
    before, after = "The count of wet shells is", "on all of the stones of ponds."
    words = (
        RawWord("lines", 40, 65),
        RawWord("(r", 79, 89),
        RawWord("2=0.91;", 92, 127),
        RawWord("5D)", 141, 156),
        RawWord("3", 165, 170),
    )
    stretched = RawLine(words, (40.0, 203.0, 170.0, 214.0), 11.0)
    lines = [line(before, top=191.0), stretched, line(after, top=215.0)]
    text = flow([page(*printed(3 * BODY, 40.0), *lines)]).text
    assert "The count of wet shells is lines (r 2=0.91; 5D) 3 on all of the stones" in text
