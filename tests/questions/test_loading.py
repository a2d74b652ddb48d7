"""FAULTS.md Q1: a question file that cannot be used is refused in one line, with its line number, before any work."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from methodlens.errors import QuestionsError
from methodlens.ledger.keys import question_digest
from methodlens.questions import is_calibrated, load, shipped
from methodlens.records import AnswerForm, Question


def _write(path: Path, content: bytes | str) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def _refusal(spec: str) -> str:
    with pytest.raises(QuestionsError) as caught:
        load(spec)
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.fix
    return message


def test_the_shipped_set_has_28_questions_in_order_each_with_a_query_and_signs() -> None:
    questions = load("dl-methods").questions
    assert [question.id for question in questions] == [f"CQ{number}" for number in range(1, 29)]
    for question in questions:
        assert question.text.endswith("?")
        assert 1 <= len(question.title.split()) <= 4
        assert 15 <= len(question.query.split()) <= 45
        assert question.signs


def test_shipped_sets_can_be_loaded_by_their_names() -> None:
    assert [load(found.name) for found in shipped()] == shipped()


def test_a_plain_text_file_gives_numbered_questions_without_a_query(tmp_path: Path) -> None:
    loaded = load(_write(tmp_path / "mine.txt", "Which reef was filmed?\n\nWho labelled the frames?\n"))
    assert [(question.id, question.text, question.query) for question in loaded.questions] == [
        ("Q1", "Which reef was filmed?", ""),
        ("Q2", "Who labelled the frames?", ""),
    ]
    assert loaded.name == "mine"


def test_a_line_may_begin_with_an_id(tmp_path: Path) -> None:
    loaded = load(_write(tmp_path / "mine.txt", "CQ7: How was it split?\nreef-1\tWhich reef?\nHardware: which GPU?\n"))
    assert [question.id for question in loaded.questions] == ["CQ7", "reef-1", "Q3"]
    assert loaded.questions[2].text == "Hardware: which GPU?"


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    plain = load(_write(tmp_path / "mine.txt", "Which reef?\nWhich lens?\n"))
    windows = load(_write(tmp_path / "mine.txt", b"\xef\xbb\xbfWhich reef?\r\nWhich lens?\r\n"))
    assert plain == windows


@pytest.mark.parametrize("content", ["", "\n\n  \n", "\ufeff"])
def test_a_file_without_questions_is_refused(tmp_path: Path, content: str) -> None:
    assert "no questions" in _refusal(_write(tmp_path / "mine.txt", content))


def test_a_question_asked_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    message = _refusal(_write(tmp_path / "mine.txt", "Which reef?\nWhich lens?\nwhich  REEF ?\n"))
    assert "line 3" in message
    assert "line 1" in message


def test_an_id_given_twice_is_refused_whatever_its_case(tmp_path: Path) -> None:
    assert "line 2" in _refusal(_write(tmp_path / "mine.txt", "a1\tWhich reef?\nA1\tWhich lens?\n"))


def test_bytes_that_are_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    assert "line 2: not UTF-8" in _refusal(_write(tmp_path / "mine.txt", b"Which reef?\nWhich \xff lens?\n"))


def test_a_line_too_long_to_be_a_question_is_refused(tmp_path: Path) -> None:
    assert "line 2" in _refusal(_write(tmp_path / "mine.txt", "Which reef?\n" + "why " * 600))


@pytest.mark.parametrize("bad", ["a b", "../etc", "é1", "x" * 65])
def test_an_id_unfit_for_a_file_name_is_refused(tmp_path: Path, bad: str) -> None:
    assert "line 1" in _refusal(_write(tmp_path / "mine.txt", f"{bad}\tWhich reef?\n"))


def test_an_unknown_name_lists_the_available_sets() -> None:
    assert "dl-methods" in _refusal("dl-method")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "nowhere.txt" in _refusal(str(tmp_path / "nowhere.txt"))


def test_a_folder_is_refused_as_a_question_file(tmp_path: Path) -> None:
    assert "folder" in _refusal(str(tmp_path))


def test_a_users_toml_set_loads(tmp_path: Path) -> None:
    text = 'title = "Reefs"\n[[question]]\nid = "R1"\ntext = "Which reef?"\nsigns = ["reef*"]\n'
    loaded = load(_write(tmp_path / "reefs.toml", text))
    assert (loaded.name, loaded.title, loaded.questions[0].signs) == ("reefs", "Reefs", ("reef*",))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('autor = "x"\n[[question]]\nid = "R1"\ntext = "Which?"\n', "line 1: unknown key 'autor'"),
        ('[[question]]\nid = "R1"\ntext = "Which?"\nsign = ["x"]\n', "line 1: unknown key 'sign'"),
        ('[[question]]\nid = "R1"\ntext = "Which?"\n[[question]]\nid = "R2"\ntext = "which"\n', "line 4"),
        ('[[question]]\nid = "R1"\ntext = 7\n', "line 1"),
        ('[[question]]\nid = "R1"\n', "line 1"),
        ('[[question]]\nid = "R1"\ntext = "Which?\n', "line 3"),
        ('question = "Which?"\n', "[[question]]"),
        ('title = 3\n[[question]]\nid = "R1"\ntext = "Which?"\n', "line 1: 'title'"),
        ('title = "none"\n', "no questions"),
        (
            '[[question]]\nid = "R1"\ntext = "Which?"\nfacts = [\n  "hardwear"]\n',
            "line 5: unknown fact 'hardwear': did you mean 'hardware'?",
        ),
        ('[[question]]\nid = "R1"\ntext = "Which?"\nform = "numbr"\n', "line 4: unknown form 'numbr': did you mean 'number'?"),
        ('[[question]]\nid = "R1"\nquestion = "Which?"\n', "did you mean 'text'?"),
        ('calibrated = "yes"\n[[question]]\nid = "R1"\ntext = "Which?"\n', "line 1: 'calibrated' is not true or false"),
        (
            '[[question]]\nid = "R1"\ntext = "Which?"\npatterns = ["split"]\n',
            "unknown pattern family 'split': did you mean 'splits'?",
        ),
        (
            '[[question]]\nid = "R1"\ntext = "Which?"\nfacts = ["epochs"]\ndecided_by = "ram_gb"\n',
            "line 5: unknown fact in `decided_by` 'ram_gb'",
        ),
    ],
)
def test_a_faulty_toml_set_is_refused_with_the_line(tmp_path: Path, text: str, named: str) -> None:
    assert named in _refusal(_write(tmp_path / "mine.toml", text))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)), suffix=st.sampled_from([".txt", ".toml"])
)
def test_any_bytes_are_a_question_set_or_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    spec = _write(tmp_path / f"mine{suffix}", content)
    with contextlib.suppress(QuestionsError):  # anything else is a failure
        assert load(spec).questions


def test_lines_that_begin_with_a_hash_are_comments(tmp_path: Path) -> None:
    loaded = load(_write(tmp_path / "mine.txt", "# Reefs\nWhich reef was filmed?\n  # later\nWho counted #1 fish?\n"))
    assert [(question.id, question.text) for question in loaded.questions] == [
        ("Q1", "Which reef was filmed?"),
        ("Q2", "Who counted #1 fish?"),
    ]


def test_a_set_states_its_source_and_licence_and_a_question_its_form_examples_and_item(tmp_path: Path) -> None:
    text = (
        'source = "The Reef Society, 2031"\nlicence = "CC BY 4.0"\nnote = "Draft"\n'
        '[[question]]\nid = "R1"\ntext = "Which reef?"\n'
        'form = "place"\nexamples = ["We filmed the Ninefold Reef."]\ngroup = "Setting"\nitem = "3b"\n'
    )
    loaded = load(_write(tmp_path / "reefs.toml", text))
    assert (loaded.source, loaded.licence, loaded.note, loaded.calibrated) == (
        "The Reef Society, 2031",
        "CC BY 4.0",
        "Draft",
        False,
    )
    (question,) = loaded.questions
    assert (question.form, question.examples) == (AnswerForm.PLACE, ("We filmed the Ninefold Reef.",))
    assert (question.group, question.item) == ("Setting", "3b")


def test_only_the_built_in_questions_count_as_calibrated() -> None:
    first = load("dl-methods").questions[0]
    assert is_calibrated(first)
    assert is_calibrated(replace(first, id="other"))
    assert not is_calibrated(replace(first, text="Which reef was filmed?"))


def test_where_a_question_is_listed_does_not_change_its_digest_but_form_and_examples_do() -> None:
    question = Question("R1", "Which reef?")
    assert question_digest(replace(question, group="Setting", item="3b")) == question_digest(question)
    assert question_digest(replace(question, form=AnswerForm.PLACE)) != question_digest(question)
    assert question_digest(replace(question, examples=("We filmed the Ninefold Reef.",))) != question_digest(question)


def test_a_question_from_before_forms_and_examples_keeps_its_digest() -> None:
    """A ledger of 0.2.0 holds this digest of CQ1 in the keys of its cells."""
    assert question_digest(load("dl-methods").questions[0]) == "8f6de1dbadc22defa38c4d96f02b81edc215fa3d8022941c2afe638e0871319f"
