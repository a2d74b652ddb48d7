"""DOCX: the paragraphs, tables and links of word/document.xml. Nothing else of the archive is unpacked."""

import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from methodlens.papers.forms.document import Block, Document, Heading, NotReadable, Paragraph, TableBlock
from methodlens.papers.forms.formulas import power
from methodlens.papers.forms.grid import MarkedCell, grid, span
from methodlens.papers.forms.limits import MAX_MEMBERS, MAX_TEXT_BYTES
from methodlens.papers.forms.links import with_address
from methodlens.papers.forms.safe_xml import parse_xml
from methodlens.papers.layout.headings import is_heading
from methodlens.papers.metadata.authors import split_names
from methodlens.papers.metadata.entries import Metadata, find_doi, find_year
from methodlens.records import PaperStatus

_MAIN, _LINKS, _STYLES, _CORE = "word/document.xml", "word/_rels/document.xml.rels", "word/styles.xml", "docProps/core.xml"
_LEVEL = re.compile(r"(?:heading|überschrift|titre|título|titolo)\s*(\d)$", re.IGNORECASE)
_FRONT_CHARS = 4000  # in which the DOI is looked for


def open_archive(data: bytes) -> zipfile.ZipFile:
    """Raises NotReadable if it is not an archive, is encrypted, or has more files than any document."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, EOFError, OverflowError, NotImplementedError, UnicodeDecodeError) as err:
        raise NotReadable(PaperStatus.MALFORMED, "its archive is damaged; save it again") from err
    if len(members) > MAX_MEMBERS:
        raise NotReadable(PaperStatus.TOO_BIG, f"its archive has {len(members):,} files, the limit is {MAX_MEMBERS:,}")
    if any(member.flag_bits & 1 for member in members):
        raise NotReadable(PaperStatus.ENCRYPTED, "it is encrypted; save a copy without a password")
    return archive


def read_member(archive: zipfile.ZipFile, name: str) -> bytes | None:
    """None if there is no such member. Never more than MAX_TEXT_BYTES are unpacked, whatever the archive says."""
    try:
        with archive.open(name) as member:
            data = member.read(MAX_TEXT_BYTES + 1)
    except KeyError:
        return None
    except Exception as err:  # zlib, lzma, bad CRC, unknown compression: each has its own
        raise NotReadable(PaperStatus.MALFORMED, "its archive is damaged; save it again") from err
    if len(data) > MAX_TEXT_BYTES:
        raise NotReadable(PaperStatus.TOO_BIG, f"a file in its archive is larger than {MAX_TEXT_BYTES >> 20} MB")
    return data


def read_docx(data: bytes) -> Document:
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise NotReadable(PaperStatus.ENCRYPTED, "it is encrypted, or an old .doc file; save it as .docx without a password")
    archive = open_archive(data)
    main = read_member(archive, _MAIN)
    if main is None:
        raise NotReadable(PaperStatus.MALFORMED, "it is an archive, but not a DOCX document; save it again as .docx")
    reader = _Reader(_links(read_member(archive, _LINKS)), _styles(read_member(archive, _STYLES)))
    body = parse_xml(main).find("body")
    blocks = list(reader.blocks(body)) if body is not None else []
    about = _core(read_member(archive, _CORE))
    return Document(_metadata(reader, blocks, about), _numbered(blocks), reader.hidden >= 20)


def _links(data: bytes | None) -> dict[str, str]:
    if data is None:
        return {}
    return {link.get("Id", ""): link.get("Target", "") for link in parse_xml(data) if link.get("TargetMode") == "External"}


def _styles(data: bytes | None) -> dict[str, str]:
    """The names of the styles, in lower case, by id."""
    if data is None:
        return {}
    named = ((style.get("styleId", ""), style.find("name")) for style in parse_xml(data).iter("style"))
    return {key: name.get("val", "").lower() for key, name in named if name is not None}


def _core(data: bytes | None) -> dict[str, str]:
    return {} if data is None else {part.tag: (part.text or "").strip() for part in parse_xml(data)}


def _metadata(reader: "_Reader", blocks: list[Block], about: dict[str, str]) -> Metadata:
    """The title is the paragraph in the style "Title", the stated one, or the first; authors follow the title."""
    first = next((block.text for block in blocks if isinstance(block, Paragraph | Heading)), "")
    title = reader.title or (first if len(first) < 300 else "") or about.get("title", "")
    head = " ".join(block.text for block in blocks[:30] if isinstance(block, Paragraph))[:_FRONT_CHARS]
    texts = [block.text for block in blocks[:6] if isinstance(block, Paragraph)]
    authors = next((names for text in texts if text != title and len(text) < 1000 and (names := split_names(text))), ())
    stated = tuple(name.strip() for name in about.get("creator", "").split(";") if " " in name.strip())
    if blocks and isinstance(blocks[0], Paragraph | Heading) and blocks[0].text == title:
        del blocks[0]
    return Metadata(title, authors or stated, find_year(about.get("created", "")), find_doi(head))


def _numbered(blocks: list[Block]) -> list[Block]:
    """Without any heading style, short lines that read like headings are headings."""
    if any(isinstance(block, Heading) for block in blocks):
        return blocks
    return [
        Heading(block.text) if isinstance(block, Paragraph) and is_heading(block.text, larger=False) else block
        for block in blocks
    ]


class _Reader:
    def __init__(self, links: dict[str, str], styles: dict[str, str]) -> None:
        self._addresses, self._styles = links, styles
        self.title = ""
        self.hidden = 0

    def blocks(self, parent: Element) -> Iterator[Block]:
        caption = ""
        for element in parent:
            if element.tag == "p":
                if caption:
                    yield Paragraph(caption)
                    caption = ""
                block = self._paragraph(element)
                if isinstance(block, Paragraph) and re.match(r"Table\s+[A-Z]?\d", block.text):
                    caption = block.text  # it may belong to the table that follows
                elif block:
                    yield block
            elif element.tag == "tbl":
                yield TableBlock(caption, grid(self._row(row) for row in element.iterfind("tr")))
                caption = ""
            elif element.tag in ("sdt", "sdtContent", "ins"):
                yield from self.blocks(element)
        if caption:
            yield Paragraph(caption)

    def _paragraph(self, element: Element) -> Block | None:
        text = " ".join(self._text(element).split())
        if not text:
            return None
        style = element.find("pPr/pStyle")
        key = style.get("val", "") if style is not None else ""
        name = self._styles.get(key, key.lower())
        if name == "title":
            self.title = self.title or text
        level = _LEVEL.match(name)
        return Heading(text, int(level[1])) if level else Paragraph(text)

    def _row(self, row: Element) -> list[MarkedCell]:
        cells = []
        for cell in row.iterfind("tc"):
            columns = cell.find("tcPr/gridSpan")
            text = " ".join(self._text(paragraph) for paragraph in cell.iter("p"))
            cells.append(MarkedCell(text, span(columns.get("val") if columns is not None else None)))
        return cells

    def _text(self, element: Element) -> str:
        parts: list[str] = []
        for child in element:
            match child.tag:
                case "r":
                    parts.append(self._run(child, parts[-1][-1:] if parts else ""))
                case "hyperlink":
                    parts.append(with_address(self._text(child), self._addresses.get(child.get("id", ""), "")))
                case "del" | "moveFrom" | "pPr":
                    pass
                case "oMath" | "oMathPara":
                    parts.append(" ".join("".join(part.text or "" for part in child.iter("t")).split()))
                case _:
                    parts.append(self._text(child))
        return "".join(parts)

    def _run(self, run: Element, before: str) -> str:
        text = ""
        for part in run:
            text += (part.text or "") if part.tag == "t" else {"tab": " ", "br": " ", "noBreakHyphen": "-"}.get(part.tag, "")
        if (vanish := run.find("rPr/vanish")) is not None and vanish.get("val", "1") not in ("0", "false"):
            self.hidden += sum(map(str.isalpha, text))
            return ""
        raised = run.find("rPr/vertAlign")
        return power(before, text) if raised is not None and raised.get("val") == "superscript" else text
