"""What makes a cell the same cell: everything its answer depends on, and nothing else."""

import hashlib
from collections.abc import Sequence

import msgspec

from methodlens.records import Hit, Paper, Question
from methodlens.seams import Reader


def cell_key(paper: Paper, question: Question, reader: Reader, hits: Sequence[Hit]) -> str:
    """New weights, another prompt, another parser or other passages give another key; a new file name does not.

    The hits that were not shown are not part of it: they are kept for people, no reader saw them.
    """
    return digest(
        {
            "paper": paper.sha256,
            "parser": paper.parser,
            "question": question_digest(question),
            "context": [hit.passage.text for hit in hits if hit.shown],
            "reader": reader.name,
            "fingerprint": reader.fingerprint,
        }
    )


def question_digest(question: Question) -> str:
    return digest(msgspec.to_builtins(question))


def digest(value: object) -> str:
    """SHA-256 of the value's JSON with sorted keys."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
