"""JATS XML, the format of PubMed Central, eLife, JOSS and many publishers."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from methodlens.papers.forms.document import Block, Document, Heading, NotReadable, Paragraph, TableBlock
from methodlens.papers.forms.grid import MarkedCell, grid, span
from methodlens.papers.forms.jats_footnotes import place_footnotes
from methodlens.papers.forms.jats_statements import is_statement, statements, titled_note
from methodlens.papers.forms.jats_text import inline, plain
from methodlens.papers.forms.safe_xml import parse_xml
from methodlens.papers.metadata.entries import Metadata, find_doi, find_year
from methodlens.records import PaperStatus, SectionKind

NOT_JATS = "it is XML, but not an article in JATS; only JATS articles are read"
_CONTAINERS = frozenset("sec app app-group boxed-text disp-quote fig-group table-wrap-group statement".split())
_LISTS = frozenset("list def-list list-item def-item def".split())
_BLOCKS = _CONTAINERS | _LISTS | {"table-wrap", "fig", "supplementary-material"}
_SKIPPED = frozenset("sub-article response graphic media object-id permissions bio glossary label title".split())
_KINDS = {
    "intro": SectionKind.INTRODUCTION,
    "introduction": SectionKind.INTRODUCTION,
    "methods": SectionKind.METHODS,
    "materials": SectionKind.METHODS,
    "materials|methods": SectionKind.METHODS,
    "results": SectionKind.RESULTS,
    "discussion": SectionKind.DISCUSSION,
    "conclusions": SectionKind.DISCUSSION,
    "data-availability": SectionKind.AVAILABILITY,
    "supplementary-material": SectionKind.APPENDIX,
}
_ABBREVIATIONS = re.compile(r"(?:list of )?abbreviations(?: used)?[.:]?", re.IGNORECASE)
_ENDED = re.compile(r"[.:!?][)\]\"'”’]?$")


def read_jats(data: bytes) -> Document:
    root = parse_xml(data)
    article = root if root.tag == "article" else root.find(".//article")
    front = None if article is None else article.find("front")
    if article is None or (front is None and article.find("body") is None):
        raise NotReadable(PaperStatus.MALFORMED, NOT_JATS)
    place_footnotes(article)
    meta = article.find("front/article-meta")
    blocks = [*_front(meta)] if meta is not None else []
    for part in ("body", "back", "floats-group"):
        if (element := article.find(part)) is not None:
            blocks += _blocks(element, 1)
        if part == "body" and meta is not None:
            blocks += statements(meta)
    return Document(_metadata(meta), blocks)


def _metadata(meta: Element | None) -> Metadata:
    if meta is None:
        return Metadata()
    titles = (inline(title) for path in ("title-group/article-title", "title-group/subtitle") for title in meta.iterfind(path))
    dois = (find_doi(plain(number)) for number in meta.iterfind("article-id") if number.get("pub-id-type") == "doi")
    years = [find_year(plain(year)) for year in meta.iterfind("pub-date/year")]
    authors = (
        _name(contributor)
        for contributor in meta.iterfind(".//contrib")
        if contributor.get("contrib-type", "author") in ("author", "")
    )
    return Metadata(
        ": ".join(filter(None, titles)),
        tuple(dict.fromkeys(filter(None, authors))),
        min(filter(None, years), default=None),
        next(filter(None, dois), ""),
    )


def _name(contributor: Element) -> str:
    for path in ("name", "string-name", "name-alternatives/name"):
        if (name := contributor.find(path)) is not None:
            parts = [plain(part) for tag in ("given-names", "surname", "suffix") for part in name.iterfind(tag)]
            return " ".join(filter(None, parts)) or plain(name)
    collaboration = contributor.find("collab")
    return plain(collaboration)[:200] if collaboration is not None and collaboration.find(".//contrib") is None else ""


def _front(meta: Element) -> Iterator[Block]:
    for abstract in (*meta.iterfind("abstract"), *meta.iterfind("trans-abstract")):
        title = abstract.find("title")
        yield Heading("Abstract" if title is None else plain(title) or "Abstract", 1, SectionKind.ABSTRACT)
        for block in _blocks(abstract, 2):
            yield Paragraph(block.text) if isinstance(block, Heading) else block
    for words in meta.iterfind("kwd-group"):
        if listed := ", ".join(filter(None, map(inline, words.iter("kwd")))):
            yield Paragraph(f"Keywords: {listed}")


def _blocks(parent: Element, level: int) -> Iterator[Block]:
    """The blocks of a part of the article, in order."""
    after_references = False
    for element in parent:
        tag = element.tag
        if tag in _SKIPPED:
            continue
        if after_references and tag == "fn-group" and element.find("title") is None and element.find("fn") is not None:
            yield Heading("Notes", level, SectionKind.OTHER)
        after_references = tag == "ref-list"
        if tag in _CONTAINERS:
            yield from _section(element, level)
        elif tag == "ref-list":
            yield from _references(element, level)
        elif tag == "ack":
            yield from _back_part(element, level, "Acknowledgements", SectionKind.ACKNOWLEDGEMENTS)
        elif tag in ("notes", "fn-group"):
            yield from _section(element, level)
        elif tag == "table-wrap":
            yield from _table(element)
        elif tag == "fn" and is_statement(element):
            yield from titled_note(element)
        elif tag in ("fig", "fn", "supplementary-material"):
            yield from _captioned(element)
        elif tag in _LISTS:
            yield from _blocks(element, level)
        elif tag == "p":
            yield from _paragraph(element)
        elif text := inline(element):
            yield Paragraph(text)


def _section(element: Element, level: int) -> Iterator[Block]:
    title = _title(element)
    kind = _KINDS.get(element.get("sec-type", "").lower())
    if element.tag in ("app", "app-group"):
        kind = SectionKind.APPENDIX
        title = title or ("Appendix" if element.tag == "app" else "")
    if _ABBREVIATIONS.fullmatch(title):  # else it would continue the section before
        kind = SectionKind.OTHER
    if title:
        yield Heading(title, level, kind)
    yield from _blocks(element, level + 1)


def _title(element: Element) -> str:
    """With its label: "2.1 Training"."""
    label, title = element.find("label"), element.find("title")
    if title is None:
        return ""
    text = inline(title)
    number = plain(label) if label is not None else ""
    return text if not text or not number or text.startswith(number) else f"{number} {text}"


def _back_part(element: Element, level: int, default: str, kind: SectionKind) -> Iterator[Block]:
    yield Heading(_title(element) or default, level, kind)
    yield from _blocks(element, level + 1)


def _references(element: Element, level: int) -> Iterator[Block]:
    yield Heading(_title(element) or "References", level, SectionKind.REFERENCES)
    for reference in element.iter("ref"):
        label = reference.find("label")
        citation = next((part for part in reference if part.tag != "label"), None)
        if citation is not None and (text := inline(citation, spaced=citation.tag == "element-citation")):
            yield Paragraph(f"{plain(label)} {text}" if label is not None else text)


def _captioned(element: Element) -> Iterator[Block]:
    if caption := _caption(element):
        yield Paragraph(caption)
    for part in element:
        if part.tag in _BLOCKS or part.tag == "p":
            yield from _alone(part)


def _caption(element: Element) -> str:
    """ "Table 2. Settings of the training." """
    label, caption = element.find("label"), element.find("caption")
    parts = [plain(label)] if label is not None else []
    parts += map(inline, caption) if caption is not None else []
    return " ".join(part if _ENDED.search(part) else f"{part}." for part in parts if part)


def _table(element: Element) -> Iterator[Block]:
    caption = _caption(element)
    tables = list(element.iter("table"))
    if caption and not tables:
        yield Paragraph(caption)
    for table in tables:
        header = [_cells(row) for part in table.iter("thead") for row in part.iter("tr")]
        in_head = {id(row) for part in table.iter("thead") for row in part.iter("tr")}
        body = [_cells(row) for row in table.iter("tr") if id(row) not in in_head]
        yield TableBlock(caption, grid([*header, *body]), len(header) or 1)
        caption = ""
    for foot in element.iterfind("table-wrap-foot"):
        for note in foot:
            if text := inline(note):
                yield Paragraph(text)


def _cells(row: Element) -> list[MarkedCell]:
    return [
        MarkedCell(inline(cell), span(cell.get("colspan")), span(cell.get("rowspan"))) for cell in row if cell.tag in ("td", "th")
    ]


def _paragraph(element: Element) -> Iterator[Block]:
    """A paragraph; tables, figures and lists inside it follow it."""
    inner = [part for part in element if part.tag in _BLOCKS]
    if text := inline(element, without=frozenset(map(id, inner))):
        yield Paragraph(text)
    for part in inner:
        yield from _alone(part)


def _alone(element: Element) -> Iterator[Block]:
    holder = Element("holder")
    holder.append(element)
    return _blocks(holder, 2)
