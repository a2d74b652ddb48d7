"""HTML articles: LaTeXML (arXiv), PubMed Central and article pages of journals."""

import re
from collections.abc import Iterator
from typing import Any

from methodlens.papers.forms.document import Block, Document, Heading, NotReadable, Paragraph, TableBlock
from methodlens.papers.forms.formulas import formula_text, power
from methodlens.papers.forms.grid import MarkedCell, grid, span
from methodlens.papers.forms.limits import MAX_DEPTH, MAX_NODES
from methodlens.papers.forms.links import with_address
from methodlens.papers.metadata.entries import Metadata, find_doi, find_year, given_name_first
from methodlens.records import PaperStatus, SectionKind

_SKIPPED = frozenset(
    """script style nav footer aside form noscript template button svg iframe object embed select input textarea head
    dialog audio video canvas menu""".split()
)
_BLOCKS = frozenset(
    """address article blockquote body center dd details div dl dt fieldset figcaption figure header hr li main ol p pre
    section summary table tbody td tfoot th thead tr ul caption h1 h2 h3 h4 h5 h6 br""".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SCOPES = ("article.ltx_document", "section.main-article-body", "article", "main", "[role=main]", "body")
_MIN_SCOPE = 0.4  # share of the letters of the page that the article must have: some pages mark up each teaser as an article
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|(?<![-\w])color\s*:\s*(?:#fff(?:fff)?\b|white)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_MIN_HIDDEN = 20
_SITE_NAME = re.compile(r"\s+[|–—-]\s+[^|–—]{2,40}$")
_NOISE = re.compile(
    r"ltx_(?:page_footer|page_navbar|pagination|TOC|note_outer|ERROR)|(?:^|\s)(?:toc|breadcrumbs?|cookie\S*|share|sidebar)(?:\s|$)"
)


_CLOSED_TAG = re.compile(
    rb"<(/?)(?:div|span|section|article|main|font|b|i|u|em|strong|small|sub|sup|a|ul|ol|dl|table|blockquote|center|math|mrow|svg|g"
    rb"|code|pre|form|figure|q|s|tt|big|ins|del|label|fieldset|details)[\s>/]",
    re.IGNORECASE,
)
_MAX_OPEN = 2_000


def read_html(data: bytes) -> Document:
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    _refuse_deep(data)
    try:
        page = LexborHTMLParser(data)
    except (SelectolaxError, ValueError) as err:
        raise NotReadable(PaperStatus.MALFORMED, "it is not readable HTML; save the page again") from err
    scope = _scope(page)
    if scope is None:
        raise NotReadable(PaperStatus.MALFORMED, "it is not an HTML page; save the page again")
    walk = _Walk()
    metadata = _metadata(page)
    blocks = [*walk.blocks(scope)]
    blocks = _without_title(blocks, metadata.title)
    if not metadata.title and blocks and isinstance(blocks[0], Heading):
        metadata = metadata._replace(title=blocks[0].text)
        blocks = blocks[1:]
    return Document(metadata, blocks, walk.hidden >= _MIN_HIDDEN)


def _refuse_deep(data: bytes) -> None:
    """Before it is parsed, because the time that takes grows with the square of the depth."""
    depth = 0
    for tag in _CLOSED_TAG.finditer(data):
        depth += -1 if tag[1] else 1
        if depth > _MAX_OPEN:
            raise NotReadable(PaperStatus.TOO_BIG, f"more than {_MAX_OPEN:,} of its elements are open at once; it is not read")


def _scope(page: Any) -> Any:
    """The element with the article."""
    body = page.body
    if body is None:
        return None
    whole = len(body.text(deep=True, strip=True))
    for selector in _SCOPES:
        scope = page.css_first(selector)
        if scope is not None and len(scope.text(deep=True, strip=True)) >= _MIN_SCOPE * whole:
            return scope
    return body


def _metadata(page: Any) -> Metadata:
    meta: dict[str, list[str]] = {}
    for tag in page.css("meta"):
        attributes = tag.attributes
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        if name and attributes.get("content"):
            meta.setdefault(name, []).append(str(attributes["content"]))

    def first(*names: str) -> str:
        return next((meta[name][0] for name in names if name in meta), "")

    printed = page.css_first("h1.ltx_title_document") or page.css_first("h1")
    page_title = page.css_first("title")
    title = first("citation_title", "dc.title", "og:title")
    title = title or (printed.text(deep=True) if printed else "") or (_SITE_NAME.sub("", page_title.text()) if page_title else "")
    authors = meta.get("citation_author") or meta.get("dc.creator") or meta.get("author") or []
    names = [given_name_first(name) for value in authors for name in value.split(";")]
    names = names or [name.text(deep=True, separator=" ") for name in page.css(".ltx_personname")[:100]]
    year = find_year(
        first("citation_publication_date", "citation_date", "citation_online_date", "dc.date", "article:published_time")
    )
    return Metadata(" ".join(title.split()), tuple(filter(None, names)), year, find_doi(first("citation_doi", "dc.identifier")))


def _without_title(blocks: list[Block], title: str) -> list[Block]:
    """The title is printed again above the article."""
    same = "".join(title.lower().split())
    start = next(
        (i for i, block in enumerate(blocks[:40]) if isinstance(block, Heading) and "".join(block.text.lower().split()) == same),
        -1,
    )
    return blocks[:start] + blocks[start + 1 :] if start >= 0 and same else blocks


class _Walk:
    """Visits the elements without recursion: text between two block elements is a paragraph."""

    def __init__(self) -> None:
        self.hidden = 0
        """Letters of elements that are not displayed."""
        self._nodes = 0
        self._buffer: list[str] = []

    def blocks(self, root: Any) -> Iterator[Block]:
        node, depth = root.child, 0
        open_links: list[tuple[int, int, str]] = []  # depth, position in the buffer, address
        while node is not None:
            self._count(depth)
            tag = node.tag
            enter = False
            if tag == "-text":
                self._buffer.append(node.text_content or "")
            elif tag in _HEADINGS:
                yield from self._flush()
                yield from self._heading(node)
            elif tag == "table" and _is_data(node):
                yield from self._flush()
                yield from self._table(node)
            elif tag == "math":
                self._buffer.append(f" {_math(node)} ")
            elif tag == "sup":
                self._buffer.append(power("".join(self._buffer[-1:])[-1:], node.text(deep=True)))
            elif self._is_shown(node):
                if tag in _BLOCKS:
                    yield from self._flush()
                elif tag == "a":
                    open_links.append((depth, len(self._buffer), node.attributes.get("href") or ""))
                enter = node.child is not None
            if enter:
                node, depth = node.child, depth + 1
                continue
            while node is not None:
                while open_links and open_links[-1][0] >= depth:
                    self._close_link(*open_links.pop()[1:])
                if node.next is not None:
                    node = node.next
                    break
                node, depth = node.parent, depth - 1
                if node is None or depth < 0 or node.mem_id == root.mem_id:
                    node = None
                    break
                if node.tag in _BLOCKS:
                    while open_links and open_links[-1][0] >= depth:
                        self._close_link(*open_links.pop()[1:])
                    yield from self._flush()
        yield from self._flush()

    def _count(self, depth: int) -> None:
        self._nodes += 1
        if depth > 4 * MAX_DEPTH or self._nodes > MAX_NODES:
            raise NotReadable(PaperStatus.TOO_BIG, "its elements are too many or nested too deep for a paper; it is not read")

    def _is_shown(self, node: Any) -> bool:
        if node.tag.startswith(("-", "!")) or node.tag in _SKIPPED:
            return False
        attributes = node.attributes
        if "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style") or ""):
            self.hidden += sum(map(str.isalpha, node.text(deep=True)))
            return False
        return attributes.get("role") not in ("navigation", "banner", "contentinfo") and not _NOISE.search(
            attributes.get("class") or ""
        )

    def _close_link(self, position: int, address: str) -> None:
        text = "".join(self._buffer[position:])
        shown = with_address(text, address)
        if shown != " ".join(text.split()):
            lead = " " if text[:1].isspace() else ""
            self._buffer[position:] = [f"{lead}{shown}{' ' if text[-1:].isspace() else ''}"]

    def _flush(self) -> Iterator[Block]:
        text = " ".join("".join(self._buffer).split())
        self._buffer.clear()
        if text:
            yield Paragraph(text)

    def _heading(self, node: Any) -> Iterator[Block]:
        text = " ".join(node.text(deep=True).split())
        classes = node.attributes.get("class") or ""
        if not text or not self._is_shown(node):
            return
        if "ltx_title_abstract" in classes:
            yield Heading(text, 2, SectionKind.ABSTRACT)
        elif "ltx_title_bibliography" in classes:
            yield Heading(text, 2, SectionKind.REFERENCES)
        elif "ltx_title_document" in classes:
            yield Heading(text, 1, SectionKind.FRONT)
        else:
            yield Heading(text, _HEADINGS[node.tag])

    def _table(self, node: Any) -> Iterator[Block]:
        caption = node.css_first("caption")
        rows, header = [], 0
        for row in node.css("tr"):
            cells = row.css("td, th")
            self._nodes += len(cells)
            rows.append([_cell(cell) for cell in cells])
            if len(rows) == header + 1 and cells and all(cell.tag == "th" for cell in cells):
                header += 1
        yield TableBlock(caption.text(deep=True, separator=" ") if caption else "", grid(rows), min(header, len(rows) - 1) or 1)


def _cell(cell: Any) -> MarkedCell:
    text = "".join(_math(part) if part.tag == "math" else part.text(deep=True) for part in cell.iter(include_text=True))
    return MarkedCell(" ".join(text.split()), span(cell.attributes.get("colspan")), span(cell.attributes.get("rowspan")))


def _is_data(node: Any) -> bool:
    """Whether a table has data; others, which nest tables or equations, only place text."""
    return node.css_first("table table") is None and "ltx_equation" not in (node.attributes.get("class") or "")


def _math(node: Any) -> str:
    if latex := node.attributes.get("alttext"):
        return formula_text(f"${latex}$")
    if annotation := node.css_first("annotation[encoding*=tex]"):
        return formula_text(f"${annotation.text()}$")
    return " ".join(node.text(deep=True).split())
