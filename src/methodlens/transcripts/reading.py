"""From a transcript, ours or the published pipeline's, back to its query, passages and answer."""

import re

from msgspec import Struct

from methodlens.errors import TranscriptError
from methodlens.transcripts.layout import NO_PASSAGES, OPENING, unix

# The wording after these words may differ from one version of the published pipeline to the next.
_OPENING = re.compile(re.escape(" ".join(OPENING.split()[:6])), re.IGNORECASE)
_INSTRUCTIONS = re.compile(r"^[^\S\n]*Question:\s*%INSTRUCTIONS:?[^\S\n]*$", re.MULTILINE)
_QUERY_MARK = re.compile(r"^[^\S\n]*%Query:?[^\S\n]*$", re.MULTILINE)
_QUERY = re.compile(r"^[^\S\n]*Query:", re.MULTILINE)
_PROVIDE = re.compile(r"^[^\S\n]*Provide your answer as follows:", re.MULTILINE)
_HELPFUL = re.compile(r"^[^\S\n]*Helpful Answer:", re.MULTILINE)
_BETWEEN_PASSAGES = re.compile(r"\n(?:[^\S\n]*\n)+")
_QUOTES = (('"', '"'), ("“", "”"))


class Transcript(Struct, frozen=True):
    """`source` is the name of the file it came from, for messages."""

    query: str
    passages: tuple[str, ...]
    answer: str
    source: str = ""


class _Cursor:
    """Walks the marks from top to bottom; a mark that is missing is an error at the line where it was looked for."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source or "transcript"
        self.at = 0

    def refuse(self, what: str, expected: str, at: int | None = None) -> TranscriptError:
        line = self.text.count("\n", 0, self.at if at is None else at) + 1
        return TranscriptError(f"{self.source}:{line}: {what}", f"expected {expected}")

    def to(self, mark: re.Pattern[str], expected: str) -> str:
        """The text up to the mark; the cursor then stands behind it."""
        found = mark.search(self.text, self.at)
        if not found:
            raise self.refuse(f"no {expected} from here on", f'the line "{expected}"')
        before = self.text[self.at : found.start()]
        self.at = found.end()
        return before


def parse(text: str, source: str = "") -> Transcript:
    """Raises TranscriptError with `source:line` when a part of the layout is missing. The answer may be empty.

    Takes the first of each mark: what stands before it is a passage, whose marks `render` has disarmed, and what stands
    after "Helpful Answer:" is the answer, whatever it says.
    """
    cursor = _Cursor(unix(text.removeprefix("\ufeff")), source)
    if not cursor.text.strip():
        raise cursor.refuse("it is empty", f'a transcript that begins with "{OPENING[:37]} ..."')
    cursor.at = len(cursor.text) - len(cursor.text.lstrip())
    if not _OPENING.match(cursor.text, cursor.at):
        raise cursor.refuse("it does not begin as a transcript", f'"{OPENING[:37]} ..."')
    cursor.at = _end_of_line(cursor.text, cursor.at)
    begin = cursor.at
    context = cursor.to(_INSTRUCTIONS, "Question: %INSTRUCTIONS:").strip()
    if not context:
        raise cursor.refuse("there is no context", "passages between the first line and the question", at=begin)
    cursor.to(_QUERY_MARK, "%Query")
    cursor.to(_QUERY, 'Query: "..."')
    asked = cursor.at
    query = _unquoted(cursor.to(_PROVIDE, "Provide your answer as follows:"))
    if not query:
        raise cursor.refuse("the query is empty", 'Query: "..." with a question in it', at=asked)
    cursor.to(_HELPFUL, "Helpful Answer:")
    passages = tuple(passage.strip() for passage in _BETWEEN_PASSAGES.split(context))
    return Transcript(
        query=query,
        passages=() if passages == (NO_PASSAGES,) else passages,
        answer=cursor.text[cursor.at :].strip(),
        source=source,
    )


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _unquoted(query: str) -> str:
    query = " ".join(query.split())
    for opening, closing in _QUOTES:
        if len(query) >= 2 and query.startswith(opening) and query.endswith(closing):
            return query[1:-1].strip()
    return query.strip('"')
