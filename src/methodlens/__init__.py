"""methodlens: what a paper reports about its deep-learning method, where it says so, and what it leaves out.

The names below are the public surface; everything else may move. They are loaded when first used, so that importing the
package costs nothing.
"""

from importlib import import_module
from typing import Any

from methodlens._version import __version__

_HOME = {
    "Answer": "records",
    "Cell": "records",
    "Evidence": "records",
    "Paper": "records",
    "Passage": "records",
    "Question": "records",
    "Row": "records",
    "Status": "records",
    "Verdict": "records",
    "MethodlensError": "errors",
    "Settings": "settings",
    "load_settings": "settings:load",
    "QuestionSet": "questions",
    "load_questions": "questions:load",
    "WorkerPool": "papers",
    "split": "papers",
    "LexicalRetriever": "retrieval",
    "create_retriever": "retrieval:create",
    "create_reader": "readers:create",
    "judge": "verdicts",
    "majority": "verdicts",
    "Ledger": "ledger.ledger",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'methodlens' has no attribute {name!r}")
    module, _, original = _HOME[name].partition(":")
    return getattr(import_module(f"methodlens.{module}"), original or name)
