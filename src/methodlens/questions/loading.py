"""Load a question set from its name, a TOML file or a plain text file. Errors name the line and the fix."""

import re
import tomllib
from collections.abc import Collection
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from methodlens import plugins
from methodlens.errors import QuestionsError
from methodlens.facts import catalog
from methodlens.facts.patterns import pattern_families
from methodlens.questions.question_set import QuestionSet, check
from methodlens.questions.text_file import parse_lines
from methodlens.records import Question

_SET_KEYS = ("name", "title", "description", "question")
_HEADER = re.compile(r"^\s*\[\[\s*question\s*\]\]")
_SET_NAME = re.compile(r"[A-Za-z0-9_-]+")


def shipped() -> list[QuestionSet]:
    """The question sets that come with methodlens, by name."""
    return [load(name) for name in sorted(_shipped_files())]


def available() -> list[QuestionSet]:
    """The shipped sets, then those of plugins."""
    return [*shipped(), *(load(name) for name in plugins.names("question_sets") if name not in _shipped_files())]


def load(spec: str) -> QuestionSet:
    """`spec` is the name of a set, shipped or of a plugin, a TOML file, or a text file with one question per line.

    >>> [question.id for question in load("dl-methods").questions][:2]
    ['CQ1', 'CQ2']
    """
    files = _shipped_files()
    if spec in files:
        return _from_toml(files[spec], source=f"{spec}.toml", stem=spec)
    plugin = plugins.load("question_sets", spec)
    if plugin is not None:
        return replace(_from_file(Path(str(plugin))), name=spec)  # the name by which it can be loaded again
    return _from_file(Path(spec))


def _from_file(path: Path) -> QuestionSet:
    names = [*sorted(_shipped_files()), *plugins.names("question_sets")]
    text = _decode(_read(path, names=names), source=str(path))
    if path.suffix.lower() == ".toml":
        return _from_toml(text, source=str(path), stem=path.stem)
    numbered = parse_lines(text, str(path))
    questions = tuple(question for _, question in numbered)
    check(questions, lines=[number for number, _ in numbered], source=str(path))
    return QuestionSet(name=path.stem, title=path.stem, description="", questions=questions)


def _shipped_files() -> dict[str, str]:
    files = (entry for entry in resources.files("methodlens.questions").iterdir() if entry.name.endswith(".toml"))
    return {entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8") for entry in files}


def _read(path: Path, *, names: list[str]) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as err:
        if _SET_NAME.fullmatch(str(path)):
            fix = f"the available sets are {', '.join(names)}; or name a .toml or .txt file"
            raise QuestionsError(f"there is no question set {str(path)!r}", fix) from err
        raise QuestionsError(f"{path} does not exist", f"name an existing file, or a question set ({', '.join(names)})") from err
    except (OSError, ValueError) as err:  # ValueError: a NUL in the name
        reason = "it is a folder" if path.is_dir() else str(err)
        raise QuestionsError(f"{path} cannot be read ({reason})", "name a .toml or .txt file that you may read") from err


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as err:
        line = data.count(b"\n", 0, err.start) + 1
        raise QuestionsError(f"{source}, line {line}: not UTF-8", "save the file as UTF-8") from err


def _from_toml(text: str, *, source: str, stem: str) -> QuestionSet:
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as err:
        raise QuestionsError(f"{source}: {err}", "correct the TOML there") from err
    lines = text.splitlines()
    unknown = [key for key in tree if key not in _SET_KEYS]
    if unknown:
        line = _line_of_key(lines, unknown[0])
        raise QuestionsError(f"{source}, line {line}: unknown key {unknown[0]!r}", f"the keys are {', '.join(_SET_KEYS)}")
    tables = tree.get("question", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise QuestionsError(f"{source}: `question` is not a list of tables", "begin each question with [[question]]")
    headers = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    # inline tables (question = [{...}]) have no headers: line 1 is the best we can say
    starts = headers if len(headers) == len(tables) else [1] * len(tables)
    questions = tuple(_question(table, line, source) for table, line in zip(tables, starts, strict=True))
    check(questions, lines=starts, source=source)
    for question, start in zip(questions, starts, strict=True):
        _check_names(question, start, lines, source)
    about = {key: tree.get(key, default) for key, default in (("name", stem), ("title", stem), ("description", ""))}
    for key, value in about.items():
        if not isinstance(value, str):
            raise QuestionsError(f"{source}, line {_line_of_key(lines, key)}: {key!r} is not text", "put it in quotes")
    return QuestionSet(**about, questions=questions)


def _question(table: dict[str, Any], line: int, source: str) -> Question:
    unknown = [key for key in table if key not in Question.__struct_fields__]
    if unknown:
        fields = ", ".join(Question.__struct_fields__)
        raise QuestionsError(f"{source}, question at line {line}: unknown key {unknown[0]!r}", f"the keys are {fields}")
    try:
        return msgspec.convert(table, Question)
    except msgspec.ValidationError as err:
        fix = "id and text must be text, signs, facts and patterns lists"
        raise QuestionsError(f"{source}, question at line {line}: {err}", fix) from err


def _check_names(question: Question, start: int, lines: list[str], source: str) -> None:
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
                quoted = re.compile(rf"[\"']{re.escape(name)}[\"']")
                line = next((at for at in range(start, len(lines) + 1) if quoted.search(lines[at - 1])), start)
                nearest = get_close_matches(name, known, n=1)
                fix = f"did you mean {nearest[0]!r}?" if nearest else f"use one of {', '.join(sorted(known))}"
                raise QuestionsError(f"{source}, line {line}: unknown {kind} {name!r}", fix)


def _line_of_key(lines: list[str], key: str) -> int:
    pattern = re.compile(rf"\s*(?:\[+\s*)?[\"']?{re.escape(key)}\b")
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), 1)
