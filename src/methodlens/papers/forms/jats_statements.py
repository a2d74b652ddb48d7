"""Statements that JATS keeps with the metadata of an article, though they are printed as text: data availability, funding,
competing interests and contributions."""

import re
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
_LABEL = re.compile(
    r"(?:competing interests?|conflicts? of interests?|funding|financial disclosure|authors?['’]? contributions?)\s*[:.]\s+",
    re.IGNORECASE,
)


def statements(meta: Element) -> Iterator[Block]:
    """Each with a heading. Other notes on authors, such as addresses, are left out."""
    for entry in meta.iterfind("custom-meta-group/custom-meta"):
        name, value = entry.find("meta-name"), entry.find("meta-value")
        if name is not None and value is not None and plain(name).lower().removesuffix(" statement") in _AVAILABILITY:
            yield from _statement(plain(name), inline(value), SectionKind.AVAILABILITY)
    for funding in meta.iterfind("funding-group/funding-statement"):
        yield from _statement("Funding", inline(funding))
    for note in meta.iterfind("author-notes/fn"):
        if is_statement(note):
            yield from titled_note(note)


def is_statement(note: Element) -> bool:
    return note.get("fn-type", "").lower() in _FOOTNOTES


def titled_note(note: Element) -> Iterator[Block]:
    """A footnote that is a statement, with its usual heading in place of a label of its own."""
    text = " ".join(filter(None, (inline(part) for part in note if part.tag == "p")))
    yield from _statement(_FOOTNOTES[note.get("fn-type", "").lower()], _LABEL.sub("", text))


def _statement(title: str, text: str, kind: SectionKind = SectionKind.ACKNOWLEDGEMENTS) -> Iterator[Block]:
    if text:
        yield Heading(title, 1, kind)
        yield Paragraph(text)
