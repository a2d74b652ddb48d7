"""The key of a cell: a digest of everything its answer depends on, and of nothing else."""

import hashlib
from collections.abc import Sequence

import msgspec

from methodlens.facts import versioned_keys
from methodlens.records import Hit, Paper, Question, ReaderInfo

_LABELS = ("group", "item", "calibrated_on")  # they say where it is listed and how it was reviewed, not what it asks
_LEFT_OUT_IF_EMPTY = ("form", "examples")  # so that questions from before these fields keep their digest


def cell_key(paper: Paper, question: Question, reader: ReaderInfo, context: Sequence[Hit]) -> str:
    """Changes with the weights, prompt, parser or context, but not with the name of the file."""
    return digest(
        {
            "paper": paper.sha256,
            "parser": paper.parser,
            "question": question_digest(question),
            "context": [hit.passage.text for hit in context],
            "reader": reader.name,
            "fingerprint": reader.fingerprint,
        }
    )


def question_digest(question: Question) -> str:
    """The order of `facts` does not matter: the deciding one comes first, the others as in the catalog."""
    fields = {**msgspec.to_builtins(question), "facts": versioned_keys(question)}
    for field in ("decided_by", *_LABELS):
        del fields[field]
    return digest({name: value for name, value in fields.items() if value or name not in _LEFT_OUT_IF_EMPTY})


def digest(value: object) -> str:
    """SHA-256 of the value's JSON with sorted keys."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
