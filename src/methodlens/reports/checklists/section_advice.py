"""Where in a paper something belongs: the paper's own heading if it has such a section, else the usual one."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from methodlens.records import Hit, Paper, Question, Section, SectionKind
from methodlens.text import page_of

_NEVER = (SectionKind.REFERENCES, SectionKind.FRONT, SectionKind.ABSTRACT)


class _UsualSection(NamedTuple):
    kind: SectionKind
    name: str
    words: re.Pattern[str]


def where_it_belongs(question: Question, paper: Paper, hits: Sequence[Hit], *, missing: bool = False) -> str:
    """`3.2 Training (p. 5)`: the section of the right kind that comes closest, or 'the methods'.

    If it is missing, the closest part of the methods is as good as any other, and is not named.
    """
    usual = _usual_section(question)
    if usual and usual.kind in (SectionKind.FRONT, SectionKind.ABSTRACT):
        return usual.name
    if missing and not usual:
        return "the methods"
    kind = usual.kind if usual else SectionKind.METHODS
    named = [section for section in paper.sections if section.kind is kind and section.title and section.kind not in _NEVER]
    if not named:
        return usual.name if usual else "the methods"
    starts = [hit.passage.start for hit in hits]
    closest = min(named, key=lambda section: (_rank(section, starts), section.start))
    page = page_of(paper, closest.start)
    return f"“{closest.title}” (p. {page})" if page else f"“{closest.title}”"


def _rank(section: Section, starts: Sequence[int]) -> int:
    """Of the best passage in the section."""
    return next((rank for rank, start in enumerate(starts) if section.start <= start < section.end), len(starts))


def _usual_section(question: Question) -> _UsualSection | None:
    """By the item's title, its heading if that is a section's name, and its words, in this order."""
    group = question.group.strip().lower()
    usual = _usual_sections()
    return (
        next((one for one in usual if one.words.search(question.title)), None)
        or next((one for one in usual if one.kind.value == group), None)
        or next((one for one in usual if group != SectionKind.METHODS and one.words.search(question.text)), None)
    )


@cache
def _usual_sections() -> tuple[_UsualSection, ...]:
    data = resources.files("methodlens.reports.checklists") / "data" / "sections.toml"
    tables = tomllib.loads(data.read_text(encoding="utf-8"))["section"]
    return tuple(_UsualSection(SectionKind(one["kind"]), one["name"], _any_of(one["words"])) for one in tables)


def _any_of(words: Sequence[str]) -> re.Pattern[str]:
    parts = (re.escape(word.removesuffix("*")) + (r"\w{0,20}" if word.endswith("*") else "") for word in words)
    return re.compile(rf"\b(?:{'|'.join(parts)})\b", re.IGNORECASE)
