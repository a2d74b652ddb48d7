"""Links in footnotes and references, tied to the sentences that cite them.

A sentence such as "The code is on GitHub¹" or "the PondNet data set [12]" has its link at the bottom of the page or in the
references. `cited_sentence` reads it as if the link were printed in its place.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from methodlens.facts.urls import data_sites, hosts, links, usual_kind, without_doi
from methodlens.readers.embedded.citation_marks import LONGEST_NOTE, Citation, footnotes, inside, references
from methodlens.records import Paper, Section, SectionKind
from methodlens.text import sentences

_LINK = re.compile(r"ttps?\s?:\s?/|www\.|\b10\.\d{4,9}/|\b[a-z\d-]{2,40}\.(?:com|org|io|net|edu)/", re.IGNORECASE)
_NOTE_MARK = re.compile(r"[\d,\s]{1,12}|[*∗†‡§¶]")
_STATEMENT = re.compile(
    r"\b(?:codes?|scripts?|data|data\s?sets?|recordings|images|implementations?)\b[^.\n]{0,80}"
    r"\b(?:is|are|were|been|be) (?:made )?(?:\w+ly )?"
    r"(?:available|deposited|archived|hosted|released|open[- ]?sourced|found|downloaded)\b",
    re.IGNORECASE,
)
# beside a link: most links of an introduction are to the work of others
_RELEASE = re.compile(
    r"\b(?:codes?|codebase|open[- ]?sourc\w*|releas\w+|availab\w+|implementations?|repository|git\s?hub|project|"
    r"(?:our|the) (?:\w+ )?web\s?(?:page|site)|data|data\s?sets?|corpus|reproduc\w+)\b|(?<=^\d)(?:code|data)",
    re.IGNORECASE,
)
_OWN_SECTIONS = frozenset(
    {SectionKind.METHODS, SectionKind.RESULTS, SectionKind.AVAILABILITY, SectionKind.APPENDIX, SectionKind.OTHER}
)
_Spans = tuple[tuple[int, int], ...]
_known_pages: tuple[Paper | None, _Spans] = (None, ())


class CitedSentence(NamedTuple):
    """A sentence with the links that it cites filled in, and the spans of the footnotes and entries that they are from."""

    text: str
    sources: tuple[tuple[int, int], ...] = ()


def cited_sentence(paper: Paper, start: int, end: int, marks: Sequence[Citation]) -> CitedSentence:
    """The sentence at paper.text[start:end] with the links of its `marks`, which are those of the whole paper from `citations`.

    The paper's own DOI is left out: it leads to neither code nor data.
    """
    first = bisect_left(marks, start, key=lambda citation: citation.start)
    parts: list[str] = []
    sources: list[tuple[int, int]] = []
    at = start
    for index in range(first, len(marks)):
        citation = marks[index]
        if citation.end > end:
            break
        if citation.start < at:
            continue
        parts += [paper.text[at : citation.start], f" ({citation.link})"]
        sources.append(citation.source)
        at = citation.end
    text = "".join(parts) + paper.text[at:end]
    if not _LINK.search(text):
        named = hosts("data", text)
        for name, stop in sorted(data_sites(text), key=lambda mention: -mention[1]):
            linked = _site_links(paper.text, paper.sections).get(name)
            if linked and name in named:
                text = f"{text[:stop]} ({linked.link}){text[stop:]}"
                sources.append(linked.source)
    return CitedSentence(without_doi(text, paper.doi), tuple(dict.fromkeys(sources)))


def citations(paper: Paper) -> Sequence[Citation]:
    """All marks that lead to a link, in the order of the text."""
    return _citations(paper.text, paper.sections, _pages(paper))


def without_note_marks(paper: Paper, start: int, end: int) -> str:
    """The text of a sentence without the numbers of footnotes with links: "the PondTools library2"."""
    marks = _citations(paper.text, paper.sections, _pages(paper))
    parts, at = [], start
    for citation in marks[bisect_left(marks, start, key=lambda mark: mark.start) :]:
        if citation.end > end:
            break
        if citation.start >= at and _NOTE_MARK.fullmatch(paper.text, citation.start, citation.end):
            parts.append(paper.text[at : citation.start].rstrip())
            at = citation.end
    return "".join(parts) + paper.text[at:end]


def link_sentences(paper: Paper) -> Sequence[tuple[int, int, str]]:
    """Sentences on the authors' own work with a link or a mark that leads to one, and statements on availability: start, end,
    section."""
    return _link_sentences(paper.text, paper.sections, _pages(paper))


def _pages(paper: Paper) -> _Spans:
    """The spans of its pages, kept since consecutive questions are about the same paper."""
    global _known_pages
    known, spans = _known_pages
    if known is not paper:
        spans = _page_spans(paper)
        _known_pages = (paper, spans)
    return spans


def _page_spans(paper: Paper) -> _Spans:
    pages: dict[int, tuple[int, int]] = {}
    for line in paper.lines:
        known = pages.get(line.page, (line.start, line.end))
        pages[line.page] = (min(known[0], line.start), max(known[1], line.end))
    return tuple(pages.values()) or ((0, len(paper.text)),)


@lru_cache(maxsize=4)  # consecutive questions are about the same paper
def _citations(text: str, sections: tuple[Section, ...], pages: _Spans) -> Sequence[Citation]:
    lists = [(section.start, section.end) for section in sections if section.kind is SectionKind.REFERENCES]
    body = [*footnotes(text, lists, pages), *references(text, lists)]
    return sorted({citation.start: citation for citation in body}.values())


@lru_cache(maxsize=4)
def _site_links(text: str, sections: tuple[Section, ...]) -> Mapping[str, Citation]:
    """The link to each data site that has only one: papers print it once and then only name the site."""
    lists = [(section.start, section.end) for section in sections if section.kind is SectionKind.REFERENCES]
    found: dict[str, dict[str, Citation]] = {}
    for match in _LINK.finditer(text):
        if not inside(match.start(), lists):
            start = max(text.rfind(mark, max(0, match.start() - 40), match.start()) for mark in " \n(") + 1 or match.start()
            limit = min(len(text), match.end() + LONGEST_NOTE)
            end = next((at for at in range(match.end(), limit) if text[at].isspace()), limit)
            for link in (link for link in links(text[start:end]) if usual_kind(link.url) == "data"):
                by_link = found.setdefault(link.host, {})
                by_link.setdefault(link.url.rstrip("/"), Citation(start, end, link.url, (start, start + len(link.url))))
    return {host: next(iter(by_link.values())) for host, by_link in found.items() if len(by_link) == 1}


@lru_cache(maxsize=4)
def _link_sentences(text: str, sections: tuple[Section, ...], pages: _Spans) -> Sequence[tuple[int, int, str]]:
    marks = [citation.start for citation in _citations(text, sections, pages)]
    kinds = [(section.kind.value, section.start, section.end) for section in sections] or [
        (SectionKind.OTHER.value, 0, len(text))
    ]
    found: list[tuple[int, int, str]] = []
    for kind, first, last in kinds:
        own = kind in _OWN_SECTIONS
        for start, end in sentences(text, first, last):
            cites = bisect_left(marks, start) < bisect_left(marks, end)
            linked = cites or _LINK.search(text, start, end)
            told = own or (kind != SectionKind.REFERENCES and _RELEASE.search(text, start, end))
            # a statement counts anywhere: an appendix after the references may be read as a part of them
            if (linked and told) or _STATEMENT.search(text, start, end):
                found.append((start, end, kind))
    return found
