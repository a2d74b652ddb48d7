"""methodlens: what a paper reports about its deep-learning method, where it says so, and what it leaves out.

    import methodlens as ml

    lens = ml.Lens()
    lens.ask("paper.pdf", "Which GPUs were used?").text
    lens.run("papers/", out="review").cells

The names below are the public surface; everything else may move. They are loaded when first used, so importing is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from methodlens._version import __version__

if TYPE_CHECKING:
    from methodlens.errors import MethodlensError as MethodlensError
    from methodlens.evaluation.scoring import Evaluation as Evaluation
    from methodlens.facts import FactType as FactType
    from methodlens.ledger.store import Ledger as Ledger
    from methodlens.lens import Lens as Lens
    from methodlens.questions import QuestionSet as QuestionSet
    from methodlens.readers.grounding import locate_quote as locate_quote
    from methodlens.records import Answer as Answer
    from methodlens.records import Cell as Cell
    from methodlens.records import Evidence as Evidence
    from methodlens.records import Hit as Hit
    from methodlens.records import Match as Match
    from methodlens.records import Paper as Paper
    from methodlens.records import PaperStatus as PaperStatus
    from methodlens.records import Passage as Passage
    from methodlens.records import Question as Question
    from methodlens.records import ReaderInfo as ReaderInfo
    from methodlens.records import Row as Row
    from methodlens.records import Status as Status
    from methodlens.records import Verdict as Verdict
    from methodlens.review import AnsweredQuestion as AnsweredQuestion
    from methodlens.review import Review as Review
    from methodlens.review import open_review as open  # noqa: A004
    from methodlens.seams import Reader as Reader
    from methodlens.seams import Retriever as Retriever
    from methodlens.settings import Settings as Settings
    from methodlens.settings_sources import load as load_settings

_HOME = {
    "Lens": "lens",
    "open": "review:open_review",
    "Review": "review",
    "AnsweredQuestion": "review",
    "Answer": "records",
    "Cell": "records",
    "Evidence": "records",
    "Hit": "records",
    "Match": "records",
    "Paper": "records",
    "PaperStatus": "records",
    "Passage": "records",
    "Question": "records",
    "ReaderInfo": "records",
    "Row": "records",
    "Status": "records",
    "Verdict": "records",
    "Reader": "seams",
    "Retriever": "seams",
    "locate_quote": "readers.grounding",
    "FactType": "facts",
    "QuestionSet": "questions",
    "Settings": "settings",
    "load_settings": "settings_sources:load",
    "Ledger": "ledger.store",
    "Evaluation": "evaluation.scoring",
    "MethodlensError": "errors",
}

__all__ = [
    "__version__",
    "Lens",
    "open",
    "Review",
    "AnsweredQuestion",
    "Answer",
    "Cell",
    "Evidence",
    "Hit",
    "Match",
    "Paper",
    "PaperStatus",
    "Passage",
    "Question",
    "ReaderInfo",
    "Row",
    "Status",
    "Verdict",
    "Reader",
    "Retriever",
    "locate_quote",
    "FactType",
    "QuestionSet",
    "Settings",
    "load_settings",
    "Ledger",
    "Evaluation",
    "MethodlensError",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'methodlens' has no attribute {name!r}")
    module, _, original = _HOME[name].partition(":")
    return getattr(import_module(f"methodlens.{module}"), original or name)


def __dir__() -> list[str]:
    return sorted(__all__)
