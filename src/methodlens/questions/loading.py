"""A question set from a shipped name, a TOML file or a plain text file; whatever is wrong with it is said in one line."""

import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from methodlens.errors import QuestionsError
from methodlens.questions.question_set import QuestionSet, check
from methodlens.questions.text_file import parse_lines
from methodlens.records import Question

_SET_KEYS = ("name", "title", "description", "question")
_HEADER = re.compile(r"^\s*\[\[\s*question\s*\]\]")
_MISSPELT_SET = re.compile(r"[A-Za-z0-9_-]+")


def shipped() -> list[QuestionSet]:
    """The question sets that come with methodlens, by name."""
    return [_from_toml(text, source=f"{name}.toml", stem=name) for name, text in sorted(_shipped_files().items())]


def load(spec: str) -> QuestionSet:
    """`spec` is the name of a shipped set, a TOML file of the same shape, or a text file with one question a line.

    >>> [question.id for question in load("dl-methods").questions][:2]
    ['CQ1', 'CQ2']
    """
    files = _shipped_files()
    if spec in files:
        return _from_toml(files[spec], source=f"{spec}.toml", stem=spec)
    path = Path(spec)
    source = str(path)
    text = _decode(_read(path, names=sorted(files)), source)
    if path.suffix.lower() == ".toml":
        return _from_toml(text, source=source, stem=path.stem)
    numbered = parse_lines(text, source)
    questions = tuple(question for _, question in numbered)
    check(questions, lines=[number for number, _ in numbered], source=source)
    return QuestionSet(name=path.stem, title=path.stem, description="", questions=questions)


def _shipped_files() -> dict[str, str]:
    folder = resources.files("methodlens.questions")
    found = (entry for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return {entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8") for entry in found}


def _read(path: Path, *, names: list[str]) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as err:
        if _MISSPELT_SET.fullmatch(str(path)):
            fix = f"the shipped sets are {', '.join(names)}; or name a .toml or .txt file"
            raise QuestionsError(f"there is no question set {str(path)!r}", fix) from err
        raise QuestionsError(f"{path} is not there", f"name an existing file, or a shipped set ({', '.join(names)})") from err
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
    unknown = [key for key in tree if key not in _SET_KEYS]
    if unknown:
        line = _line_of_key(text, unknown[0])
        raise QuestionsError(f"{source}, line {line}: unknown key {unknown[0]!r}", f"the keys are {', '.join(_SET_KEYS)}")
    tables = tree.get("question", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise QuestionsError(f"{source}: `question` is not a list of tables", "begin each question with [[question]]")
    headers = [number for number, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    # inline tables (question = [{...}]) have no header of their own: line 1 is the best we can say
    lines = headers if len(headers) == len(tables) else [1] * len(tables)
    questions = tuple(_question(table, line, source) for table, line in zip(tables, lines, strict=True))
    check(questions, lines=lines, source=source)
    about = {key: tree.get(key, default) for key, default in (("name", stem), ("title", stem), ("description", ""))}
    for key, value in about.items():
        if not isinstance(value, str):
            raise QuestionsError(f"{source}, line {_line_of_key(text, key)}: {key!r} is not text", "put it in quotes")
    return QuestionSet(**about, questions=questions)


def _question(table: dict[str, Any], line: int, source: str) -> Question:
    unknown = [key for key in table if key not in Question.__struct_fields__]
    if unknown:
        fields = ", ".join(Question.__struct_fields__)
        raise QuestionsError(f"{source}, question at line {line}: unknown key {unknown[0]!r}", f"the keys are {fields}")
    try:
        return msgspec.convert(table, Question)
    except msgspec.ValidationError as err:
        raise QuestionsError(
            f"{source}, question at line {line}: {err}", "id and text must be text, signs and facts lists"
        ) from err


def _line_of_key(text: str, key: str) -> int:
    pattern = re.compile(rf"\s*(?:\[+\s*)?[\"']?{re.escape(key)}\b")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 1)
