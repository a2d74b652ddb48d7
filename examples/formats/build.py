"""Write the fictional example papers in other forms: JATS XML, and one of them as HTML, LaTeX, DOCX and Markdown.

    python examples/formats/build.py              # beside this script,
    python examples/formats/build.py --out DIR    # somewhere else

The text is that of ``examples/papers/sources``; the same sources give the same bytes. Needs no packages.
"""

from __future__ import annotations

import argparse
import re
import zipfile
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "papers" / "sources"
OTHER_FORMS = "rented-cpu"
_LINK = re.compile(r"https?://[^\s<>()]+[^\s<>().,;]")
_ITALIC = re.compile(r"\*([^*\s][^*]*)\*")
_YEAR = re.compile(r"\((\d{4})\)")
_NUMBER = re.compile(r"^(\d+(?:\.\d+)*)\.?\s+")


class Source:
    """The head of a source, and its sections: (level, heading, blocks)."""

    def __init__(self, text: str) -> None:
        head, _, rest = text.partition("\n\n")
        self.head: dict[str, str] = {}
        key = ""
        for line in head.splitlines():
            if line[:1].isspace():
                self.head[key] += " " + line.strip()
            else:
                key, _, value = line.partition(":")
                self.head[key] = value.strip()
        self.sections: list[tuple[int, str, list[str]]] = []
        for block in re.split(r"\n\s*\n", rest.strip()):
            marks = re.match(r"(#+)\s+(.*)", block.strip())
            if marks:
                self.sections.append((len(marks[1]), marks[2], []))
            else:
                self.sections[-1][2].append(block.strip())

    @property
    def authors(self) -> list[str]:
        return re.split(r",\s*(?:and\s+)?|\s+and\s+", self.head["authors"])

    @property
    def year(self) -> str:
        found = _YEAR.search(self.head.get("issue", ""))
        return found[1] if found else ""


def table_of(block: str) -> tuple[str, list[list[str]]] | None:
    """The caption and the rows of a table."""
    if not re.match(r"Table \d+\.", block):
        return None
    lines = block.splitlines()
    rows = [line for line in lines if "|" in line]
    caption = " ".join(line.strip() for line in lines if "|" not in line)
    return caption, [[cell.strip() for cell in row.split("|")] for row in rows]


def inline(text: str, link: str, italic: str) -> str:
    text = _ITALIC.sub(italic, escape(" ".join(text.split()), quote=False))
    return _LINK.sub(lambda match: link.format(match[0]), text)


# --- JATS ---


def jats(source: Source) -> str:
    def text(block: str) -> str:
        return inline(block, '<ext-link ext-link-type="uri" xlink:href="{0}">{0}</ext-link>', r"<italic>\1</italic>")

    def body(blocks: list[str]) -> Iterator[str]:
        for block in blocks:
            if table := table_of(block):
                label, _, caption = table[0].partition(". ")
                yield f"<table-wrap><label>{label}.</label><caption><p>{text(caption)}</p></caption><table>"
                head, *rows = table[1]
                yield f"<thead><tr>{''.join(f'<th>{text(cell)}</th>' for cell in head)}</tr></thead><tbody>"
                yield from (f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
                yield "</tbody></table></table-wrap>"
            else:
                yield f"<p>{text(block)}</p>"

    def sections() -> Iterator[str]:
        depth = 0
        for level, heading, blocks in source.sections:
            if heading.startswith("References"):
                continue
            while depth >= level:
                yield "</sec>"
                depth -= 1
            depth += 1
            number = _NUMBER.match(heading)
            label = f"<label>{number[1]}.</label>" if number else ""
            yield f"<sec>{label}<title>{text(_NUMBER.sub('', heading))}</title>"
            yield from body(blocks)
        yield "</sec>" * depth

    names = ""
    for name in source.authors:
        given, _, surname = name.rpartition(" ")
        names += f'<contrib contrib-type="author"><name><surname>{surname}</surname>'
        names += f"<given-names>{given}</given-names></name></contrib>"
    references = [block for _, heading, blocks in source.sections if heading.startswith("References") for block in blocks]
    listed = "\n".join(f"<ref><mixed-citation>{text(entry)}</mixed-citation></ref>" for entry in references)
    words = "".join(f"<kwd>{text(word.strip())}</kwd>" for word in source.head["keywords"].split(","))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.2 20190208//EN"
  "JATS-archivearticle1.dtd">
<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink">
<front><journal-meta><journal-title-group><journal-title>{text(source.head["journal"])}</journal-title></journal-title-group></journal-meta>
<article-meta><title-group><article-title>{text(source.head["title"])}</article-title></title-group>
<contrib-group>{names}</contrib-group>
<aff>{text(source.head["affiliation"])}</aff>
<pub-date><year>{source.year}</year></pub-date>
<author-notes><fn><p>{text(source.head["notice"])}</p></fn></author-notes>
<abstract><p>{text(source.head["abstract"])}</p></abstract>
<kwd-group>{words}</kwd-group></article-meta></front>
<body>
{chr(10).join(sections())}
</body>
<back><ref-list><title>References</title>
{listed}
</ref-list></back>
</article>
"""


# --- HTML ---


def html(source: Source) -> str:
    def text(block: str) -> str:
        return inline(block, '<a href="{0}">{0}</a>', r"<em>\1</em>")

    parts = [f"<h1>{text(source.head['title'])}</h1>", f"<p>{text(source.head['authors'])}</p>"]
    parts += [f"<p>{text(source.head['notice'])}</p>", "<h2>Abstract</h2>", f"<p>{text(source.head['abstract'])}</p>"]
    parts.append(f"<p>Keywords: {text(source.head['keywords'])}</p>")
    for level, heading, blocks in source.sections:
        parts.append(f"<h{level + 1}>{text(heading)}</h{level + 1}>")
        for block in blocks:
            if table := table_of(block):
                head, *rows = table[1]
                parts.append(f"<table><caption>{text(table[0])}</caption>")
                parts.append(f"<tr>{''.join(f'<th>{text(cell)}</th>' for cell in head)}</tr>")
                parts += [f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows] + ["</table>"]
            else:
                parts.append(f"<p>{text(block)}</p>")
    meta = [("citation_title", source.head["title"]), *(("citation_author", name) for name in source.authors)]
    meta.append(("citation_publication_date", source.year))
    head = "\n".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in meta)
    body = "\n".join(parts)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(source.head["title"])}</title>
{head}
</head><body>
<nav><a href="/">Home</a> <a href="/issues">Issues</a></nav>
<article>
{body}
</article>
<footer>Fictional Press. Cookies and terms of use.</footer>
</body></html>
"""


# --- LaTeX ---


def latex(source: Source) -> str:
    def text(block: str) -> str:
        block = " ".join(block.split())
        links = _LINK.findall(block)
        block = _LINK.sub("\0", block)
        block = re.sub(r"([%&_#$])", r"\\\1", block)
        block = _ITALIC.sub(r"\\emph{\1}", block)
        for link in links:
            block = block.replace("\0", rf"\url{{{link}}}", 1)
        return block

    names = r" \and ".join(map(text, source.authors))
    parts = [r"\documentclass{article}", r"\usepackage{hyperref}", rf"\title{{{text(source.head['title'])}}}"]
    parts += [rf"\author{{{names}}}", rf"\date{{{source.year}}}", r"\begin{document}", r"\maketitle", text(source.head["notice"])]
    parts += [r"\begin{abstract}", text(source.head["abstract"]), r"\end{abstract}"]
    for level, heading, blocks in source.sections:
        if heading.startswith("References"):
            parts.append(r"\begin{thebibliography}{99}")
            parts += [rf"\bibitem{{r{number}}} {text(block)}" for number, block in enumerate(blocks, 1)]
            parts.append(r"\end{thebibliography}")
            continue
        parts.append(rf"\{'sub' * (level - 1)}section{{{text(_NUMBER.sub('', heading))}}}" + "\n")
        for block in blocks:
            if table := table_of(block):
                columns = "l" * len(table[1][0])
                caption = re.sub(r"^Table \d+\. ", "", table[0])
                parts += [r"\begin{table}", rf"\caption{{{text(caption)}}}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
                parts += [" & ".join(map(text, row)) + r" \\" for row in table[1]]
                parts += [r"\bottomrule", r"\end{tabular}", r"\end{table}" + "\n"]
            else:
                parts.append(text(block) + "\n")
    return "\n".join([*parts, r"\end{document}", ""])


# --- Markdown ---


def markdown(source: Source) -> str:
    parts = [f"# {source.head['title']}", source.head["authors"], source.head["notice"], "## Abstract", source.head["abstract"]]
    for level, heading, blocks in source.sections:
        parts.append(f"{'#' * (level + 1)} {heading}")
        for block in blocks:
            if table := table_of(block):
                rows = ["| " + " | ".join(row) + " |" for row in table[1]]
                parts += [table[0], "\n".join([rows[0], "|" + "---|" * len(table[1][0]), *rows[1:]])]
            else:
                parts.append(" ".join(block.split()))
    return "\n\n".join(parts) + "\n"


# --- DOCX ---

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels"
ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml"
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELATIONS = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>
</Relationships>"""


def docx(source: Source, path: Path) -> None:
    def paragraph(text: str, style: str = "") -> str:
        text = escape(_ITALIC.sub(r"\1", " ".join(text.split())), quote=False)
        properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'

    parts = [paragraph(source.head["title"], "Title"), paragraph(source.head["authors"]), paragraph(source.head["notice"])]
    parts += [paragraph("Abstract", "Heading1"), paragraph(source.head["abstract"])]
    for level, heading, blocks in source.sections:
        parts.append(paragraph(heading, f"Heading{level}"))
        for block in blocks:
            if table := table_of(block):
                rows = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in table[1])
                parts += [paragraph(table[0]), f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"]
            else:
                parts.append(paragraph(block))
    document = f"{_DECLARATION}\n<w:document {_WORD}><w:body>{''.join(parts)}</w:body></w:document>"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELATIONS), ("word/document.xml", document)):
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)


TEXT_FORMS: dict[str, Callable[[Source], str]] = {".html": html, ".tex": latex, ".md": markdown}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE)
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(SOURCES.glob("*.txt")):
        source = Source(path.read_text(encoding="utf-8"))
        if source.head.get("scan"):
            continue
        (out / f"{path.stem}.xml").write_text(jats(source), encoding="utf-8")
        if path.stem == OTHER_FORMS:
            for suffix, write in TEXT_FORMS.items():
                (out / f"{path.stem}{suffix}").write_text(write(source), encoding="utf-8")
            docx(source, out / f"{path.stem}.docx")


if __name__ == "__main__":
    main()
