"""`questions check` and `questions new`: problems come with their line, and a template loads as it is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.questions import load
from methodlens.questions.answer_form import infer_form
from methodlens.questions.loading import parse_file
from methodlens.questions.problems import ProblemKind, find_problems, split_double
from methodlens.questions.question_set import NumberedSet, QuestionSet
from methodlens.questions.template import title_of, write_template
from methodlens.questions.toml_file import parse_toml
from methodlens.records import AnswerForm, Question


def _kinds(*texts: str) -> list[tuple[int, ProblemKind]]:
    questions = tuple(Question(f"Q{number}", text) for number, text in enumerate(texts, 1))
    found = find_problems(NumberedSet(QuestionSet("mine", "Mine", "", questions), tuple(range(1, len(texts) + 1)), "mine.txt"))
    assert all(problem.fix for problem in found)
    return [(problem.line, problem.kind) for problem in found]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who filmed the reef, and how long did it take?", ProblemKind.DOUBLE),
        ("Which reef was filmed? Which lens was used?", ProblemKind.DOUBLE),
        ("How was it done?", ProblemKind.VAGUE),
        ("What did they do?", ProblemKind.VAGUE),
        ("Is the description of the reef adequate?", ProblemKind.VAGUE),
        ("reef depth and colour", ProblemKind.NOT_A_QUESTION),
        ("Welche Kamera filmte dort welches Riff?", ProblemKind.LANGUAGE),
    ],
)
def test_a_poor_question_is_found_with_its_kind(text: str, kind: ProblemKind) -> None:
    assert (2, kind) in _kinds("How deep is the lagoon?", text)


@pytest.mark.parametrize(
    "text",
    [
        "How many corals were counted on the reef?",
        "Why was this reef chosen?",
        "Were the corals and the fish counted?",
        "On which ship and at which depth was the sonar used?",
    ],
)
def test_a_clear_question_has_no_problem(text: str) -> None:
    assert _kinds(text) in ([], [(1, ProblemKind.DOUBLE)] if " and at which " in text else [])


def test_repeated_questions_are_found_with_the_line_of_the_first() -> None:
    assert _kinds("How many corals were counted?", "Who filmed the reef?", "how many corals were counted") == [
        (3, ProblemKind.DUPLICATE)
    ]
    assert _kinds("How many corals were counted on the reef?", "How many corals are counted on this reef?") == [
        (2, ProblemKind.NEAR_DUPLICATE)
    ]


def test_questions_on_one_topic_are_not_duplicates() -> None:
    assert _kinds("How many corals were counted?", "Who counted the corals?", "Where were the corals counted?") == []


def test_an_example_must_be_a_sentence_that_answers() -> None:
    question = Question(
        "Q1", "How deep is the lagoon?", examples=("How deep is it?", "12 m", "The lagoon is twelve metres deep.")
    )
    found = find_problems(NumberedSet(QuestionSet("mine", "Mine", "", (question,)), (4,), "mine.toml"))
    assert [(problem.line, problem.kind) for problem in found] == [(4, ProblemKind.EXAMPLE)] * 2


def test_a_double_question_is_split_where_the_second_one_begins() -> None:
    assert split_double("Which reef was filmed, and who filmed it?") == ["Which reef was filmed?", "Who filmed it?"]
    assert split_double("Were the data and the code released?") == ["Were the data and the code released?"]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("How many corals were counted?", AnswerForm.NUMBER),
        ("What was the mean depth of the lagoon?", AnswerForm.NUMBER),
        ("Who counted the corals?", AnswerForm.PERSON),
        ("Which funders paid for the ship?", AnswerForm.PERSON),
        ("When did the ship sail?", AnswerForm.DATE),
        ("Where are the films available?", AnswerForm.LINK),
        ("Where is the reef?", AnswerForm.PLACE),
        ("Was the reef mapped before?", AnswerForm.YES_NO),
        ("Why was the reef chosen?", AnswerForm.CLAUSE),
        ("Which lenses were mounted?", AnswerForm.LIST),
        ("Which lens was mounted?", AnswerForm.NAME),
    ],
)
def test_the_form_of_the_answer_follows_from_the_wording(text: str, form: AnswerForm) -> None:
    assert infer_form(text) is form


def test_a_template_keeps_the_questions_and_fills_in_ids_titles_and_forms(tmp_path: Path) -> None:
    (tmp_path / "reef study.txt").write_text('# Reefs\nWhich lens was mounted?\nR7: How many "corals" were counted?\n')
    text = write_template(parse_file(tmp_path / "reef study.txt"), file="reefs.toml")
    (tmp_path / "reefs.toml").write_text(text)
    first, second = load(str(tmp_path / "reefs.toml")).questions
    assert (first.id, first.title, first.form) == ("reef-study-1", "Lens mounted", AnswerForm.NAME)
    assert (second.id, second.text, second.form) == ("R7", 'How many "corals" were counted?', AnswerForm.NUMBER)


@given(st.lists(st.text(max_size=80), min_size=1, max_size=5))
def test_any_text_survives_the_template(texts: list[str]) -> None:
    questions = tuple(Question(f"Q{number}", text) for number, text in enumerate(texts, 1))
    written = write_template(
        NumberedSet(QuestionSet("mine", "Mine", "", questions), tuple(range(len(texts))), "x"), file="x.toml"
    )
    assert [question.text for question in parse_toml(written, source="x", stem="x").question_set.questions] == texts


def test_a_title_has_at_most_five_words() -> None:
    assert title_of("Which kinds of lenses were mounted on the camera of the second ship?") == "Lenses mounted on the camera"
