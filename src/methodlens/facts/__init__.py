"""Typed values from quotes: `extract` asks, for each key, the one function that knows it. Nothing comes from elsewhere."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any

from methodlens.facts.hardware import Device, devices, hardware
from methodlens.facts.links import Link, code_links, data_links, links

_EXTRACTORS: dict[Callable[[str], dict[str, Any]], tuple[str, ...]] = {
    hardware: ("hardware", "training_time_h", "ram_gb"),
    code_links: ("code_urls", "code_hosts"),
    data_links: ("data_urls", "data_hosts"),
}
"""A new kind of fact is a function of text and a line here."""


def extract(keys: Sequence[str], quotes: Sequence[str]) -> dict[str, Any]:
    """The values of `keys` in `quotes`; keys that nothing extracts yet are left out.

    >>> extract(["ram_gb"], ["The server had 512 GB of memory."])
    {'ram_gb': 512.0}
    """
    text = "\n".join(quotes)
    found: dict[str, Any] = {}
    for extractor, yields in _EXTRACTORS.items():
        if any(key in yields for key in keys):
            found |= extractor(text)
    return {key: found[key] for key in keys if key in found}


@cache
def data_sha256() -> str:
    """Of the gazetteers, for whoever has to say what an answer depends on."""
    files = sorted((resources.files("methodlens.facts") / "data").iterdir(), key=lambda file: file.name)
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


__all__ = ["Device", "Link", "code_links", "data_links", "data_sha256", "devices", "extract", "hardware", "links"]
