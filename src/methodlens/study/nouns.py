"""What a study is made of, whichever layout it came in."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

QUESTION_SET = "study"
"""The name under which a study's run stands in a ledger."""
PARSER = "study-1"
NO_DL = "no_dl"
"""The flag of a paper that, says the study's gate, uses no deep learning."""
CATEGORIES = "human"
"""The annotator of the categories, who had the whole paper."""


class DefectKind(StrEnum):
    """In the order of their weight. After the first group no answer is left that could be counted."""

    NO_ANSWER = "no answer there"
    EMPTY = "empty answer"
    WORD_COUNT = "nothing but a word count"
    REPEATED = "repeated words"
    ECHO = "echoed prompt"
    NO_RESPONSE = "no response counted as no"
    NO_LABEL = "no label"
    ODD_LABEL = "odd label"
    SILENT_YES = "says nothing, counted as yes"
    OVER_LONG = "over-long answer"
    REFERENCES = "invented references"
    LABEL_SPACES = "spaces in label"
    NO_CONTEXT = "no context"
    BAD_RECORD = "unreadable record"
    TWICE = "stands twice"
    UNKNOWN_PAPER = "paper without answers"
    NO_GATE = "not in the deep-learning gate"


BROKEN = frozenset({DefectKind.NO_ANSWER, DefectKind.EMPTY, DefectKind.WORD_COUNT, DefectKind.REPEATED})
"""Whoever answers so has failed: it is neither a yes nor a no."""


class Defect(Struct, frozen=True):
    """`counted` is what the study made of it: yes, no, or nothing."""

    kind: DefectKind
    paper: str = ""
    question: str = ""
    model: str = ""
    counted: str = ""
    detail: str = ""


class StudyAnswer(Struct):
    """`text` is None where there is no file; `label` is the word as it stands, None where there is none."""

    text: str | None = None
    label: str | None = None
    human: bool | None = None


class StudyCell(Struct):
    context: str = ""
    answers: dict[str, StudyAnswer] = field(default_factory=dict)


class Study(Struct):
    """By paper, then by question. `also` names the files that were read beside the answers."""

    cells: dict[str, dict[str, StudyCell]]
    models: tuple[str, ...]
    defects: list[Defect]
    gate: Mapping[str, bool] = field(default_factory=dict)
    categories: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    questions: tuple[str, ...] = ()
    """Their words, if the study has them."""
    also: tuple[str, ...] = ()
