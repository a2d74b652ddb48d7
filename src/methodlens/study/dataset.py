"""The data of a study, independent of the layout of its files."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from methodlens.records import CellRef

QUESTION_SET = "study"
"""The question set of a study's run."""
PARSER = "study-1"
CATEGORIES = "human"
"""The annotator of the categories, which were assigned from the full paper."""


class DefectKind(StrEnum):
    """By decreasing severity. The values of the `BROKEN` kinds are part of cell keys: do not change them."""

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
    DUPLICATE = "duplicate record"
    UNKNOWN_PAPER = "paper without answers"
    NO_GATE = "not in the deep-learning gate"


BROKEN = frozenset({DefectKind.NO_ANSWER, DefectKind.EMPTY, DefectKind.WORD_COUNT, DefectKind.REPEATED})
"""With one of these the cell is failed: it is neither a yes nor a no."""


class Defect(Struct, frozen=True):
    """`counted` is what the study counted the answer as: "yes", "no" or ""."""

    kind: DefectKind
    paper: str = ""
    question: str = ""
    model: str = ""
    counted: str = ""
    detail: str = ""


class StudyAnswer(Struct):
    """`text` is None if there is no answer file, `label` (as written) if there is no label."""

    text: str | None = None
    label: str | None = None
    human: bool | None = None


class StudyCell(Struct):
    context: str = ""
    answers: dict[str, StudyAnswer] = field(default_factory=dict)


class Study(Struct):
    """`cells` are by paper, then by question; `also` names the files that were read besides the answers."""

    cells: dict[str, dict[str, StudyCell]]
    models: tuple[str, ...]
    defects: list[Defect]
    gate: Mapping[str, bool] = field(default_factory=dict)
    """Whether a paper uses deep learning, according to the study."""
    categories: Mapping[CellRef, bool] = field(default_factory=dict)
    questions: tuple[str, ...] = ()
    """The wording of the questions, if the study has it."""
    also: tuple[str, ...] = ()
