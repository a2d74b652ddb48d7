"""Typed values from quotes. Nothing comes from elsewhere: a fact that no quote holds is no fact.

Names come from gazetteers (data/*.toml), numbers from short grammars; `extract` gives them in the shape of the export,
`located` one by one with the quote each stands in.
"""

import hashlib
from functools import cache
from importlib import resources

from methodlens.facts.extraction import KEYS, Fact, extract, located
from methodlens.facts.hardware import Device, devices, hardware
from methodlens.facts.urls import Link, code_links, data_links, links


@cache
def data_sha256() -> str:
    """Of the gazetteers, for whoever has to say what an answer depends on."""
    files = sorted((resources.files("methodlens.facts") / "data").iterdir(), key=lambda file: file.name)
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


__all__ = [
    "Device",
    "Fact",
    "KEYS",
    "Link",
    "code_links",
    "data_links",
    "data_sha256",
    "devices",
    "extract",
    "hardware",
    "links",
    "located",
]
