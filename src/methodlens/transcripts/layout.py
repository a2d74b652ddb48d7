"""Render and parse transcripts: our own, and those of the published pipeline."""

import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files

from msgspec import Struct

from methodlens.errors import TranscriptError

_LAYOUT = files("methodlens.transcripts").joinpath("layout.txt").read_text(encoding="utf-8").strip()
_BEFORE_PASSAGES, _BEFORE_QUESTION, _AFTER_QUESTION = re.split("<<passages>>|<<question>>", _LAYOUT)

OPENING = _BEFORE_PASSAGES.strip()
"""The first line of every transcript."""

_QUESTION, _END = "Question:", "Helpful Answer:"

NO_PASSAGES = "(no passages)"
"""The context of a transcript without passages."""

LAYOUT_SHA256 = hashlib.sha256(_LAYOUT.encode()).hexdigest()

# A paper that contains a marker of the layout could end its context early or inject an answer. A space inside the marker
# disables it; quotes are still found, because they are compared without white space.
_MARKER = re.compile(
    r"^([^\S\n]*(?:Question|Query|Helpful Answer|Answer))(?=:)|^([^\S\n]*%)(?=INSTRUCTIONS|Query)", re.MULTILINE | re.IGNORECASE
)
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")

# Versions of the published pipeline differ in the wording after the first words.
_OPENING = re.compile(re.escape(" ".join(OPENING.split()[:6])), re.IGNORECASE)
_INSTRUCTIONS = re.compile(r"^[^\S\n]*Question:\s*%INSTRUCTIONS:?[^\S\n]*$", re.MULTILINE)
_QUERY_MARKER = re.compile(r"^[^\S\n]*%Query:?[^\S\n]*$", re.MULTILINE)
_QUERY = re.compile(r"^[^\S\n]*Query:", re.MULTILINE)
_PROVIDE = re.compile(r"^[^\S\n]*Provide your answer as follows:", re.MULTILINE)
_HELPFUL = re.compile(r"^[^\S\n]*Helpful Answer:", re.MULTILINE)
_QUOTES = (('"', '"'), ("“", "”"))


class Transcript(Struct, frozen=True):
    """`source` is the file name, for error messages."""

    query: str
    passages: tuple[str, ...]
    answer: str
    source: str = ""


def prompt(question: str, passages: Sequence[str]) -> str:
    """The prompt for a model; it ends with "Helpful Answer:".

    >>> prompt("Which optimiser?", ["We used Adam."]).splitlines()[2]
    'We used Adam.'
    """
    context = "\n\n".join(passage for passage in map(_disable_markers, passages) if passage) or NO_PASSAGES
    return lay_out(context, " ".join(question.split()))


def lay_out(context: str, question: str) -> str:
    """The prompt with a context and a question as they are, to the byte as the published pipeline wrote it."""
    return f"{_BEFORE_PASSAGES}{context}{_BEFORE_QUESTION}{question}{_AFTER_QUESTION}"


def instructions(question: str) -> str:
    """The part of the prompt that the published pipeline searched with: the instructions and the question."""
    return (
        lay_out("", " ".join(question.split()))[len(_BEFORE_PASSAGES) :]
        .strip()
        .removeprefix(_QUESTION)
        .removesuffix(_END)
        .strip()
    )


def render(question: str, passages: Sequence[str], answer: str) -> str:
    """The prompt, followed by the answer on the next line."""
    return f"{prompt(question, passages)}\n{unix_newlines(answer).strip()}\n"


def render_reply(question: str, passages: Sequence[str], reply: str) -> str:
    """The prompt and the model's reply as it came, as in the raw transcripts of the published pipeline.

    There the reply is the rest of a completion: it begins on the next line unless it brings white space of its own.
    """
    reply = unix_newlines(reply).rstrip()
    return f"{prompt(question, passages)}{'' if reply[:1].isspace() else chr(10)}{reply}"


def parse(text: str, source: str = "") -> Transcript:
    """Raises TranscriptError with `source:line` if a part of the layout is missing. The answer may be empty.

    The first occurrence of each marker counts: `render` disables markers in passages, and everything after
    "Helpful Answer:" is the answer.
    """
    cursor = _Cursor(unix_newlines(text.removeprefix("\ufeff")), source)
    if not cursor.text.strip():
        raise cursor.error("the file is empty", f'a transcript that begins with "{OPENING[:37]} ..."')
    cursor.position = len(cursor.text) - len(cursor.text.lstrip())
    if not _OPENING.match(cursor.text, cursor.position):
        raise cursor.error("not the beginning of a transcript", f'"{OPENING[:37]} ..."')
    cursor.skip_line()
    context_start = cursor.position
    context = cursor.read_to(_INSTRUCTIONS, "Question: %INSTRUCTIONS:").strip()
    if not context:
        raise cursor.error("there is no context", "passages between the first line and the question", context_start)
    cursor.read_to(_QUERY_MARKER, "%Query")
    cursor.read_to(_QUERY, 'Query: "..."')
    query_start = cursor.position
    query = _unquote(cursor.read_to(_PROVIDE, "Provide your answer as follows:"))
    if not query:
        raise cursor.error("the query is empty", 'Query: "..." with a question in it', query_start)
    cursor.read_to(_HELPFUL, "Helpful Answer:")
    passages = tuple(passage.strip() for passage in _BLANK_LINES.split(context))
    return Transcript(
        query=query,
        passages=() if passages == (NO_PASSAGES,) else passages,
        answer=cursor.text[cursor.position :].strip(),
        source=source,
    )


class _Cursor:
    """Moves from marker to marker. A missing marker is an error at the line where the search for it started."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.position = 0
        self._source = source or "transcript"

    def error(self, problem: str, expected: str, position: int | None = None) -> TranscriptError:
        line = self.text.count("\n", 0, self.position if position is None else position) + 1
        return TranscriptError(f"{self._source}:{line}: {problem}", f"expected {expected}")

    def skip_line(self) -> None:
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end

    def read_to(self, marker: re.Pattern[str], expected: str) -> str:
        """The text before the next marker; moves behind the marker."""
        match = marker.search(self.text, self.position)
        if not match:
            raise self.error(f"no {expected} from here on", f'the line "{expected}"')
        before = self.text[self.position : match.start()]
        self.position = match.end()
        return before


def unix_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _disable_markers(passage: str) -> str:
    """Also removes blank lines, which separate passages."""
    return _MARKER.sub(r"\g<0> ", _BLANK_LINES.sub("\n", unix_newlines(passage)).strip())


def _unquote(query: str) -> str:
    query = " ".join(query.split())
    for opening, closing in _QUOTES:
        if len(query) >= 2 and query.startswith(opening) and query.endswith(closing):
            return query[1:-1].strip()
    return query.strip('"')
