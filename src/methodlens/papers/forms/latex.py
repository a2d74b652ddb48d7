"""LaTeX source as blocks. No macro is executed: known commands become text, and abbreviations without arguments are replaced."""

import re
from collections.abc import Iterator

from methodlens.papers.forms.document import Block, Document, Heading, NotReadable, Paragraph, TableBlock
from methodlens.papers.forms.grid import MarkedCell, grid, span
from methodlens.papers.forms.latex_text import LatexText, argument
from methodlens.papers.metadata.authors import is_name, split_names
from methodlens.papers.metadata.entries import Metadata, find_doi, find_year
from methodlens.records import PaperStatus, SectionKind

_LEVELS = {"part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4, "subparagraph": 5}
_MARK = re.compile(
    r"\\(?P<heading>part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?\s*(?:\[[^\]]{0,300}\])?\s*(?=\{)"
    r"|\\begin\s*\{(?P<table>(?:side(?:ways)?)?table\*?|longtable|wraptable)\}|\\begin\s*\{(?P<figure>(?:sideways|wrap)?figure\*?)\}"
    r"|\\begin\s*\{(?P<abstract>abstract)\}|\\end\s*\{abstract\}"
    r"|\\begin\s*\{(?P<references>thebibliography)\}|(?P<appendix>\\appendix\b)|(?P<acks>\\begin\s*\{acks\}|\\acknowledge?ments\b|\\ack\b)"
    r"|(?P<break>\n\s*\n|\\par\b|\\item\b|\\begin\s*\{(?:itemize|enumerate|description)\}|\\end\s*\{(?:itemize|enumerate|description)\})"
)
_TABULAR = re.compile(r"\\begin\s*\{(tabular[xy]?\*?|longtable|tabulary|array)\}")
_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|addlinespace)\b(?:\[[^\]]{0,50}\])?"
    r"|\\(?:cline|cmidrule)\b(?:\([^)]{0,20}\))?\s*\{[^{}]{0,30}\}"
)
_MULTICOLUMN = re.compile(r"\s*\\multicolumn\s*\{\s*(\d{1,2})\s*\}\s*\{[^{}]{0,100}\}\s*(?=\{)")
_BIBITEM = re.compile(r"\\bibitem\s*(?:\[(?:[^\[\]]|\[[^\]]{0,100}\]){0,500}\])?\s*\{[^{}]{0,300}\}")
_DOCUMENT = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_AUTHOR_BREAK = re.compile(r"\\(?:and|And|AND|quad|qquad|newline)\b|\\\\(?:\[[^\]]{0,20}\])?")
_ASIDE = re.compile(
    r"\\(?:thanks|footnotemark|footnote|inst|textsuperscript|orcid\w*|email|affil\w*|IEEEauthorrefmark|corref|fnref|ead|url)\b"
)


def read_latex(source: str) -> Document:
    match = _DOCUMENT.search(source)
    if not match:
        raise NotReadable(PaperStatus.MALFORMED, "it is not a whole LaTeX document; name the file with \\begin{document}")
    convert = LatexText(source)
    blocks = list(_blocks(match[1], convert))
    title = convert(_command(source, "title") or _command(source, "icmltitle"))
    year = find_year(_command(source, "date") or _command(source, "year"))
    doi = find_doi(_command(source, "doi") or _command(source, "acmDOI") or _command(source, "DOI"))
    return Document(Metadata(title, _authors(source, convert), year, doi), blocks)


def _command(source: str, name: str) -> str:
    match = re.search(rf"\\{name}\s*(?:\[[^\]]{{0,300}}\])?\s*(?=\{{)", source)
    return argument(source, match.end())[0] if match else ""


def _authors(source: str, convert: LatexText) -> tuple[str, ...]:
    names: list[str] = []
    for match in re.finditer(r"\\(?:author|icmlauthor|Author)\s*(?:\[[^\]]{0,300}\])?\s*(?=\{)", source[:200_000]):
        stated = argument(source, match.end())[0]
        while aside := _ASIDE.search(stated):  # addresses and marks are no names
            _, end = argument(stated, aside.end())
            stated = stated[: aside.start()] + " " + stated[max(end, aside.end()) :]
        for line in _AUTHOR_BREAK.split(stated):
            text = convert(line)
            names += [text] if is_name(text) else split_names(text) or ()
    return tuple(dict.fromkeys(names))


def _blocks(body: str, convert: LatexText) -> Iterator[Block]:
    at = 0
    while mark := _MARK.search(body, at):
        yield from _paragraph(body[at : mark.start()], convert)
        at = mark.end()
        if heading := mark["heading"]:
            title, at = argument(body, at)
            yield Heading(convert(title), _LEVELS[heading])
        elif mark["table"] or mark["figure"]:
            name = mark["table"] or mark["figure"]
            closing = re.compile(rf"\\end\s*\{{{re.escape(name)}\}}").search(body, at)
            begin, until = mark.start() if name == "longtable" else at, closing.start() if closing else len(body)
            inner, at = body[begin:until], closing.end() if closing else len(body)
            yield from _float(inner, convert, label="Table" if mark["table"] else "Figure")
        elif mark["abstract"]:
            yield Heading("Abstract", 1, SectionKind.ABSTRACT)
        elif mark["references"]:
            end = body.find(r"\end{thebibliography}", at)
            yield from _references(body[at : end if end >= 0 else len(body)], convert)
            at = end if end >= 0 else len(body)
        elif mark["appendix"]:
            yield Heading("Appendix", 1, SectionKind.APPENDIX)
        elif mark["acks"]:
            yield Heading("Acknowledgements", 1, SectionKind.ACKNOWLEDGEMENTS)
    yield from _paragraph(body[at:], convert)


def _paragraph(text: str, convert: LatexText) -> Iterator[Block]:
    if text.strip() and (shown := convert(text)):
        yield Paragraph(shown)


def _references(text: str, convert: LatexText) -> Iterator[Block]:
    yield Heading("References", 1, SectionKind.REFERENCES)
    for entry in _BIBITEM.split(text)[1:]:
        yield from _paragraph(entry, convert)


def _float(text: str, convert: LatexText, *, label: str) -> Iterator[Block]:
    caption = convert(_command(text, "caption"))
    number = convert.next_number(label)
    caption = f"{label} {number}. {caption}" if caption else f"{label} {number}."
    tabular = _TABULAR.search(text)
    if not tabular:
        yield Paragraph(caption)
        return
    end = text.find(rf"\end{{{tabular[1]}}}", tabular.end())
    inner = text[tabular.end() : end if end >= 0 else len(text)]
    for _ in range(3):  # the width, the position and the columns
        if re.match(r"\s*[\[{]", inner):
            inner = inner[argument(inner, 0)[1] :]
    inner = re.sub(r"\\caption\s*(?:\[[^\]]{0,300}\])?\s*(?=\{)", r"\\dropped", inner)
    rows = [_row(row, convert) for row in re.split(r"\\\\(?:\s*\[[^\]]{0,20}\])?|\\tabularnewline\b", inner)]
    yield TableBlock(caption, grid(row for row in rows if any(cell.text for cell in row)))


def _row(row: str, convert: LatexText) -> list[MarkedCell]:
    cells = []
    for cell in re.split(r"(?<!\\)&", _RULE.sub(" ", row)):
        if cell.lstrip().startswith(r"\dropped"):
            continue
        columns = 1
        if wide := _MULTICOLUMN.match(cell):
            columns, cell = span(wide[1]), argument(cell, wide.end())[0]
        cells.append(MarkedCell(convert(cell), columns))
    return cells
