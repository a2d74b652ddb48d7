"""A TOML question set, written from a plain list of questions for its author to complete."""

import re
from collections.abc import Sequence

from methodlens.questions.answer_form import infer_form
from methodlens.questions.question_set import NumberedSet, is_valid_id
from methodlens.records import Question

_LONGEST_TITLE = 5
_VERB = r"(?:is|are|was|were|do|does|did|has|have|can|could|will|should)"
_ASKING = re.compile(
    r"(?:(?:in|on|at|by|for|from|with|to|over|under) )?"
    rf"(?:how (?:many|much|long|often|large)|how|which|what|who|whom|whose|why|where|when|{_VERB})\b\s*"
    rf"(?:(?:{_VERB}|kinds? of|types? of|sorts? of)\b\s*)?(?:(?:the|a|an|there|any)\b\s*)?",
    re.IGNORECASE,
)
_VERB_INSIDE = re.compile(rf"\b{_VERB}\s+", re.IGNORECASE)
_WEAK_END = frozenset(
    "the a an of in on at by for from with to and or is are was were be been it its their this that which".split()
)
_UNUSED = re.compile(r"[^A-Za-z0-9_.-]+")
_HEAD = """\
# A question set for methodlens. Check it with:  methodlens questions check {file}
# See what an example does to the search with:   methodlens questions try {file} paper.pdf
name = {name}
title = {title}
description = ""
source = ""       # the publication or person that the questions come from
licence = ""      # what the questions may be used under
"""
_QUESTION = """
[[question]]
id = {id}
title = {title}
text = {text}
form = {form}  # number, name, person, date, place, link, yes_no, list or clause
# query = ""      # words that papers use when they answer
# examples = []   # sentences that would answer it, as a paper writes them: each makes the search better
# facts = []      # typed values to extract, such as "hardware": docs/reference/facts.md
# group = ""      # a heading that it is listed under
"""


def write_template(numbered: NumberedSet, *, file: str) -> str:
    """TOML with an id, a title and an answer form for every question; the rest is commented out, to be filled in."""
    stem = numbered.question_set.name
    title = stem.replace("-", " ").replace("_", " ").capitalize()
    head = _HEAD.format(file=file, name=_quoted(stem), title=_quoted(title))
    ids = _ids(numbered.question_set.questions, stem=stem)
    tables = (
        _QUESTION.format(
            id=_quoted(name),
            title=_quoted(question.title or title_of(question.text)),
            text=_quoted(question.text),
            form=_quoted(question.form or infer_form(question.text)),
        )
        for name, question in zip(ids, numbered.question_set.questions, strict=True)
    )
    return head + "".join(tables)


def title_of(text: str) -> str:
    """A few words that name what is asked.

    >>> title_of("How many images are in the test set?")
    'Images in the test set'
    >>> title_of("Which sensors recorded the data?")
    'Sensors recorded the data'
    """
    about = _VERB_INSIDE.sub("", _ASKING.sub("", text.strip(), count=1))
    words = about.rstrip(" ?.!").replace(",", "").split()[:_LONGEST_TITLE]
    while len(words) > 1 and words[-1].lower() in _WEAK_END:
        words.pop()
    title = " ".join(words) or text.strip().rstrip("?")
    return title[:1].upper() + title[1:]


def _ids(questions: Sequence[Question], *, stem: str) -> list[str]:
    """Ids that the list gave, else the name of the set with a number: annotations are kept by id, so that Q1 of one set must
    not be taken for Q1 of another."""
    prefix = _UNUSED.sub("-", stem).strip("-.")[:24] or "Q"
    return [
        f"{prefix}-{number}" if question.id == f"Q{number}" or not is_valid_id(question.id) else question.id
        for number, question in enumerate(questions, 1)
    ]


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char >= " " and char != "\x7f" else f"\\u{ord(char):04x}" for char in escaped) + '"'
