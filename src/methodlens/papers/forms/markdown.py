"""Markdown, and plain text as printed."""

import re
from collections.abc import Iterator

from methodlens.papers.forms.document import Block, Document, Heading, Paragraph, TableBlock
from methodlens.papers.forms.formulas import formula_text
from methodlens.papers.forms.grid import MarkedCell, grid
from methodlens.papers.forms.links import with_address
from methodlens.papers.metadata.authors import split_names
from methodlens.papers.metadata.entries import Metadata, find_doi, find_year

_HEADING = re.compile(r"(#{1,6})\s+(.{1,300}?)\s*#*\s*$")
_FRONT_MATTER = re.compile(r"\A---\s*\n(.{0,20000}?)\n(?:---|\.\.\.)\s*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|authors?|date|year|doi)\s*:\s*(.*)$", re.IGNORECASE)
_RULE = re.compile(r"\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_UNDERLINE = re.compile(r"(=+|-+)\s*$")
_IMAGE = re.compile(r"!\[([^\[\]]{0,500})\]\([^()\s]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]]{1,500})\]\(<?([^()\s<>]{1,2000})>?(?:\s+\"[^\"]{0,300}\")?\)")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]{1,2000})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)([^*_\n]{1,500}?)(?<=\S)\1(?![\w*])")
_CODE = re.compile(r"`([^`\n]{1,500})`")
_MATH = re.compile(r"\$([^$\n]{1,500})\$")
_ITEM = re.compile(r"\s{0,12}(?:[-*+]|\d{1,3}[.)])\s+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def read_markdown(text: str) -> Document:
    stated, text = _front_matter(text)
    blocks = list(_blocks(_COMMENT.sub("", text).expandtabs(4).splitlines()))
    title = stated.get("title", "")
    if not title and blocks and isinstance(blocks[0], Heading):
        title = blocks.pop(0).text  # type: ignore[union-attr]
    authors = split_names(stated.get("author", "") or stated.get("authors", "")) or ()
    if not authors and blocks and isinstance(blocks[0], Paragraph) and len(blocks[0].text) < 1000:
        authors = split_names(blocks[0].text) or ()
    head = " ".join(block.text for block in blocks[:5] if isinstance(block, Paragraph))
    year = find_year(stated.get("date", "") or stated.get("year", ""))
    return Document(Metadata(title, authors, year, find_doi(stated.get("doi", "") or head)), blocks)


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """The YAML between --- lines: only its plain fields, read line by line."""
    match = _FRONT_MATTER.match(text.lstrip("\ufeff"))
    if not match:
        return {}, text.lstrip("\ufeff")
    fields = (_FIELD.match(line) for line in match[1].splitlines())
    return {field[1].lower(): field[2].strip(" \"'[]") for field in fields if field}, text.lstrip("\ufeff")[match.end() :]


def _blocks(lines: list[str]) -> Iterator[Block]:
    paragraph: list[str] = []

    def finish() -> Iterator[Block]:
        if paragraph:
            yield Paragraph(_inline(" ".join(paragraph)))
            paragraph.clear()

    index, fenced = 0, ""
    while index < len(lines):
        line = lines[index]
        stripped = line.strip()
        index += 1
        if fenced:
            if stripped.startswith(fenced):
                fenced = ""
                yield from finish()
            else:
                paragraph.append(stripped)
        elif stripped.startswith(("```", "~~~")):
            yield from finish()
            fenced = stripped[:3]
        elif not stripped:
            yield from finish()
        elif heading := _HEADING.match(stripped):
            yield from finish()
            yield Heading(_inline(heading[2]), len(heading[1]))
        elif len(paragraph) == 1 and _UNDERLINE.match(stripped):
            title = paragraph.pop()
            yield Heading(_inline(title), 1 if stripped[0] == "=" else 2)
        elif "|" in stripped and index < len(lines) and "|" in lines[index] and _RULE.match(lines[index].strip()):
            caption = " ".join(paragraph) if paragraph and re.match(r"Table\s+\S", paragraph[0]) else ""
            if caption:
                paragraph.clear()
            yield from finish()
            rows = [stripped]
            index += 1
            while index < len(lines) and "|" in lines[index]:
                rows.append(lines[index].strip())
                index += 1
            yield TableBlock(_inline(caption), grid([MarkedCell(_inline(cell)) for cell in _cells(row)] for row in rows))
        else:
            if _ITEM.match(line):
                yield from finish()
                stripped = _ITEM.sub("", line, count=1).strip()
            paragraph.append(stripped.removeprefix("> ").removeprefix(">"))
    yield from finish()


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").replace(r"\|", "¦").split("|")]


def _inline(text: str) -> str:
    text = _IMAGE.sub(r"\1", text)
    text = _LINK.sub(lambda match: with_address(match[1], match[2]), text)
    text = _AUTOLINK.sub(r"\1", text)
    text = _MATH.sub(lambda match: formula_text(f"${match[1]}$"), text)
    text = _CODE.sub(r"\1", _EMPHASIS.sub(r"\2", text))
    return _TAG.sub(" ", text).strip()
