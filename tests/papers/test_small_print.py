"""Paragraphs in smaller print, justified lines, and headings in fonts that do not say that they are bold."""

from typing import Any

from methodlens.papers.layout.flow import flow
from methodlens.papers.layout.headings import sections
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
