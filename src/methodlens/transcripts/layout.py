"""From a question and its passages to the text a model is given, and with its answer to a whole transcript."""

import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files

_LAYOUT = files("methodlens.transcripts").joinpath("layout.txt").read_text(encoding="utf-8").strip()
_OPENING, _MIDDLE, _CLOSING = re.split("<<passages>>|<<question>>", _LAYOUT)

OPENING = _OPENING.strip()
"""The first line of every transcript."""

NO_PASSAGES = "(no passages)"
"""Stands where retrieval found nothing, so that the transcript still has its context."""

LAYOUT_SHA256 = hashlib.sha256(_LAYOUT.encode()).hexdigest()

# A paper that prints one of the layout's own marks could end its context early or plant an answer. A blank inside the mark
# disarms it, and quotes are still found, for they are looked up without blanks.
_MARK = re.compile(
    r"^([^\S\n]*(?:Question|Query|Helpful Answer|Answer))(?=:)|^([^\S\n]*%)(?=INSTRUCTIONS|Query)", re.MULTILINE | re.IGNORECASE
)
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


def prompt(question: str, passages: Sequence[str]) -> str:
    """What a model is asked; it ends with "Helpful Answer:".

    >>> prompt("Which optimiser?", ["We used Adam."]).splitlines()[2]
    'We used Adam.'
    """
    shown = [passage for passage in map(_disarmed, passages) if passage]
    context = "\n\n".join(shown) or NO_PASSAGES
    return f"{_OPENING}{context}{_MIDDLE}{' '.join(question.split())}{_CLOSING}"


def render(question: str, passages: Sequence[str], answer: str) -> str:
    """A whole transcript: the prompt, and on the next line the answer."""
    return f"{prompt(question, passages)}\n{unix(answer).strip()}\n"


def unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _disarmed(passage: str) -> str:
    """On one block of lines (blank lines part the passages), its marks broken."""
    return _MARK.sub(r"\g<0> ", _BLANK_LINES.sub("\n", unix(passage)).strip())
