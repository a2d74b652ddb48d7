"""Families of regular expressions for passages where the form of the text is itself evidence, such as links and devices."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct


class PatternFamily(Struct, frozen=True, forbid_unknown_fields=True):
    find: tuple[str, ...]
    facts: tuple[str, ...] = ()


@cache
def pattern_families() -> Mapping[str, PatternFamily]:
    """By name, as questions list them in `patterns`."""
    text = (resources.files("methodlens.facts") / "patterns.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, PatternFamily])
