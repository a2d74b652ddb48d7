"""Typed values from quotes, and from nothing else: a value that no quote contains is not a fact.

Names come from gazetteers (data/*.toml), numbers from short grammars. Each kind of fact is a `FactType`; catalog.py lists them.
"""

import hashlib
from functools import cache
from importlib import resources

from methodlens.facts.catalog import add_types, catalog, deciding_type, extract, find, types_of, versioned_keys
from methodlens.facts.types import (
    DOUBTFUL,
    Fact,
    FactType,
    Findings,
    PaperFacts,
    from_all_quotes,
    from_each_quote,
    one_or_list,
    value_text,
)

__all__ = [
    "DOUBTFUL",
    "Fact",
    "FactType",
    "Findings",
    "PaperFacts",
    "add_types",
    "catalog",
    "data_sha256",
    "deciding_type",
    "extract",
    "find",
    "from_all_quotes",
    "from_each_quote",
    "one_or_list",
    "types_of",
    "value_text",
    "versioned_keys",
]


@cache
def data_sha256() -> str:
    """A checksum of the gazetteers, for the fingerprint of readers that use them."""
    files = sorted((resources.files("methodlens.facts") / "data").iterdir(), key=lambda file: file.name)
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
