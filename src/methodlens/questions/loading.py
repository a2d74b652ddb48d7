"""Load a question set from its name, a TOML file or a plain text file. Errors name the line and the fix."""

import re
from functools import cache
from importlib import resources
from pathlib import Path

from msgspec.structs import replace

from methodlens import plugins
from methodlens.errors import QuestionsError
from methodlens.questions.question_set import NumberedSet, QuestionSet, check, normalised
from methodlens.questions.text_file import parse_lines
from methodlens.questions.toml_file import parse_toml
from methodlens.records import Question

_SET_NAME = re.compile(r"[A-Za-z0-9_-]+")


def shipped() -> list[QuestionSet]:
    """The question sets that come with methodlens, by name."""
    return [_shipped(name) for name in shipped_names()]


def available() -> list[QuestionSet]:
    """The shipped sets, then those of plugins."""
    return [*shipped(), *(load(name) for name in plugins.names("question_sets") if name not in shipped_names())]


def load(spec: str) -> QuestionSet:
    """`spec` is the name of a set, shipped or of a plugin, a TOML file, or a text file with one question per line.

    >>> [question.id for question in load("dl-methods").questions][:2]
    ['CQ1', 'CQ2']
    """
    if spec in shipped_names():
        return _shipped(spec)
    plugin = plugins.load("question_sets", spec)
    if plugin is not None:
        return replace(check(parse_file(Path(str(plugin)))), name=spec)  # the name by which it can be loaded again
    return check(parse_file(Path(spec)))


@cache
def calibrated_questions() -> tuple[Question, ...]:
    """Those of the shipped sets that were calibrated on labelled papers."""
    return tuple(question for found in shipped() if found.calibrated for question in found.questions)


def is_calibrated(question: Question) -> bool:
    """Whether the embedded reader's probabilities for this very question were measured on labelled papers, or refitted to the
    decisions of reviewers."""
    return bool(question.calibrated_on) or normalised(question.text) in _calibrated_texts()


def calibration_mark(question: Question) -> str:
    """What to show with the question: nothing for one that was calibrated on labelled papers.

    >>> calibration_mark(Question("Q1", "Which reef?")), calibration_mark(Question("Q1", "Which reef?", calibrated_on=34))
    ('not calibrated', 'calibrated on 34 decisions of this review')
    """
    if question.calibrated_on:
        return f"calibrated on {question.calibrated_on} decisions of this review"
    return "" if is_calibrated(question) else "not calibrated"


def parse_file(path: Path) -> NumberedSet:
    """The set in a file with the line of each question. Only what cannot be read at all is refused."""
    names = [*shipped_names(), *plugins.names("question_sets")]
    text = _decode(_read(path, names=names), source=str(path))
    if path.suffix.lower() == ".toml":
        return parse_toml(text, source=str(path), stem=path.stem)
    numbered = parse_lines(text, str(path))
    questions = tuple(question for _, question in numbered)
    return NumberedSet(QuestionSet(path.stem, path.stem, "", questions), tuple(line for line, _ in numbered), str(path))


@cache
def shipped_names() -> tuple[str, ...]:
    files = (resources.files("methodlens.questions") / "data").iterdir()
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in files if entry.name.endswith(".toml")))


def _shipped(name: str) -> QuestionSet:
    file = resources.files("methodlens.questions") / "data" / f"{name}.toml"
    return check(parse_toml(file.read_text(encoding="utf-8"), source=f"{name}.toml", stem=name))


@cache
def _calibrated_texts() -> frozenset[str]:
    return frozenset(normalised(question.text) for question in calibrated_questions())


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
