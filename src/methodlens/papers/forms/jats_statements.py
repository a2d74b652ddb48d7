"""Statements that JATS keeps with the metadata of an article, though they are printed as text: data availability, funding,
competing interests and contributions."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from methodlens.papers.forms.document import Block, Heading, Paragraph
from methodlens.papers.forms.jats_text import inline, plain
from methodlens.records import SectionKind

_AVAILABILITY = ("data availability", "code availability", "data and code availability", "software availability")
_FOOTNOTES = {
    "financial-disclosure": "Funding",
    "supported-by": "Funding",
    "conflict": "Competing interests",
    "coi-statement": "Competing interests",
    "con": "Author contributions",
}


def statements(meta: Element) -> Iterator[Block]:
    """Each with a heading. Other notes on authors, such as addresses, are left out."""
    for entry in meta.iterfind("custom-meta-group/custom-meta"):
        name, value = entry.find("meta-name"), entry.find("meta-value")
        if name is not None and value is not None and plain(name).lower().removesuffix(" statement") in _AVAILABILITY:
            yield from _statement(plain(name), inline(value), SectionKind.AVAILABILITY)
    for funding in meta.iterfind("funding-group/funding-statement"):
        yield from _statement("Funding", inline(funding))
    for note in meta.iterfind("author-notes/fn"):
        if title := _FOOTNOTES.get(note.get("fn-type", "").lower()):
            parts = (inline(part) for part in note if part.tag == "p")
            yield from _statement(title, " ".join(filter(None, parts)))


def _statement(title: str, text: str, kind: SectionKind = SectionKind.ACKNOWLEDGEMENTS) -> Iterator[Block]:
    if text:
        yield Heading(title, 1, kind)
        yield Paragraph(text)
