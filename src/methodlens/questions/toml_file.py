"""A question set as TOML: keys of the set, then one [[question]] table per question. Errors name the line and the fix."""

import re
import tomllib
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from methodlens.errors import QuestionsError
from methodlens.facts import catalog
from methodlens.facts.patterns import pattern_families
from methodlens.questions.question_set import FormLayout, NumberedSet, QuestionSet
from methodlens.records import AnswerForm, Question

_SET_KEYS = ("name", "title", "description", "source", "licence", "note", "calibrated", "layout", "location", "question")
_QUESTION_KEYS = Question.__struct_fields__
_OTHER_NAMES = {
    "question": "text",
    "answer_form": "form",
    "answer": "form",
    "words": "query",
    "license": "licence",
    "section": "group",
}
_HEADER = re.compile(r"^\s*\[\[\s*question\s*\]\]")


def parse_toml(text: str, *, source: str, stem: str) -> NumberedSet:
    """`stem` is the name of a set that does not state one."""
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as err:  # RecursionError: thousands of nested brackets
        raise QuestionsError(f"{source}: {err}", "correct the TOML there") from err
    lines = text.splitlines()
    for key in tree:
        if key not in _SET_KEYS:
            where = f"{source}, line {_line_of_key(lines, key)}"
            raise QuestionsError(f"{where}: unknown key {key!r}", _nearest(key, _SET_KEYS, "the keys are"))
    tables = tree.pop("question", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise QuestionsError(f"{source}: `question` is not a list of tables", "begin each question with [[question]]")
    headers = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    # inline tables (question = [{...}]) have no headers: line 1 is the best we can say
    starts = tuple(headers) if len(headers) == len(tables) else (1,) * len(tables)
    questions = tuple(_question(table, start, lines, source) for table, start in zip(tables, starts, strict=True))
    for question, start in zip(questions, starts, strict=True):
        _check_names(question, start, lines, source)
    for key, value in tree.items():
        wanted, fix = (bool, "write true or false without quotes") if key == "calibrated" else (str, "put it in quotes")
        if not isinstance(value, wanted):
            kind = "text" if wanted is str else "true or false"
            raise QuestionsError(f"{source}, line {_line_of_key(lines, key)}: {key!r} is not {kind}", fix)
    layout = tree.get("layout", FormLayout.TABLE)
    if layout not in set(FormLayout):
        where = f"{source}, line {_line_of_key(lines, 'layout')}"
        raise QuestionsError(
            f"{where}: unknown layout {layout!r}", _nearest(layout, [str(one) for one in FormLayout], "use one of")
        )
    tree["layout"] = FormLayout(layout)
    about = {"name": stem, "title": stem, "description": "", **tree}
    return NumberedSet(QuestionSet(**about, questions=questions), starts, source)


def _question(table: dict[str, Any], start: int, lines: Sequence[str], source: str) -> Question:
    for key in table:
        if key not in _QUESTION_KEYS:
            where = f"{source}, question at line {start}"
            raise QuestionsError(f"{where}: unknown key {key!r}", _nearest(key, _QUESTION_KEYS, "the keys are"))
    form = table.get("form")
    if isinstance(form, str) and form not in set(AnswerForm):
        line = _line_of_value(lines, start, form)
        raise QuestionsError(
            f"{source}, line {line}: unknown form {form!r}", _nearest(form, [str(one) for one in AnswerForm], "use one of")
        )
    try:
        return msgspec.convert(table, Question)
    except msgspec.ValidationError as err:
        fix = "id and text must be text, signs, facts, patterns and examples lists of text"
        raise QuestionsError(f"{source}, question at line {start}: {err}", fix) from err


def _check_names(question: Question, start: int, lines: Sequence[str], source: str) -> None:
    """Refuse facts and patterns that do not exist: a misspelt one would silently find nothing."""
    decided_by = (question.decided_by,) if question.decided_by else ()
    checks: tuple[tuple[str, tuple[str, ...], Collection[str]], ...] = (
        ("fact", question.facts, catalog() if question.facts else ()),
        ("pattern family", question.patterns, pattern_families() if question.patterns else ()),
        ("fact in `decided_by`", decided_by, question.facts),
    )
    for kind, names, known in checks:
        for name in names:
            if name not in known:
                where = f"{source}, line {_line_of_value(lines, start, name)}"
                raise QuestionsError(f"{where}: unknown {kind} {name!r}", _nearest(name, sorted(known), "use one of"))


def _nearest(name: str, known: Collection[str], otherwise: str) -> str:
    nearest = get_close_matches(_OTHER_NAMES.get(name, name), known, n=1)
    return f"did you mean {nearest[0]!r}?" if nearest else f"{otherwise} {', '.join(known)}"


def _line_of_key(lines: Sequence[str], key: str) -> int:
    pattern = re.compile(rf"\s*(?:\[+\s*)?[\"']?{re.escape(key)}\b")
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), 1)


def _line_of_value(lines: Sequence[str], start: int, value: str) -> int:
    """The first line from `start` that has the value in quotes."""
    quoted = re.compile(rf"[\"']{re.escape(value)}[\"']")
    return next((number for number in range(start, len(lines) + 1) if quoted.search(lines[number - 1])), start)
