"""Make a PDF of each JATS article in a folder, to compare the two with `benchmarks.forms`.

    python -m benchmarks.forms_typeset ARTICLES TO [--columns 2] [--weasyprint PROGRAM]

Needs pandoc and WeasyPrint, which are no dependencies of this project. Pandoc leaves out what journals print: the labels of
figures and tables, keywords, further abstracts and the statement on funding. They are written into a copy of the article before
it is typeset. Captions are smaller than the text, as in journals. The PDF is put beside the unchanged article.
"""

import argparse
import html
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

_STYLE = """
@page {{ size: A4; margin: 2cm 1.6cm; @bottom-center {{ content: counter(page); }} }}
body {{ font: 9pt "DejaVu Serif", serif; columns: {columns}; column-gap: 0.8cm; hyphens: auto;
        text-align: justify; max-width: none; margin: 0; padding: 0 }}
h1, h2, h3 {{ hyphens: none; text-align: left; break-after: avoid }}
figcaption, caption {{ font-size: 7.8pt; text-align: left }}
table {{ font-size: 7pt; max-width: 100% }}
figure, table {{ break-inside: avoid }}
.drawing {{ display: block; height: 3cm; background: #eee }}
"""
_IMAGE = re.compile(r"<img [^>]*>")
_OWN_STYLE = re.compile(r"<style>[^<]*</style>")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w{0,30};")
_TIMEOUT_S = 600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("articles", type=Path)
    parser.add_argument("to", type=Path)
    parser.add_argument("--columns", type=int, default=2)
    parser.add_argument("--weasyprint", default="weasyprint")
    given = parser.parse_args()
    given.to.mkdir(parents=True, exist_ok=True)
    for article in sorted((*given.articles.glob("*.xml"), *given.articles.glob("*.nxml"))):
        shutil.copyfile(article, given.to / article.name)
        pdf = given.to / f"{article.stem}.pdf"
        typeset(article, pdf, columns=given.columns, weasyprint=given.weasyprint)
        print(f"{pdf}: {pdf.stat().st_size} bytes")


def typeset(article: Path, pdf: Path, *, columns: int, weasyprint: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        printed, page, style = Path(folder) / "article.xml", Path(folder) / "article.html", Path(folder) / "style.css"
        printed.write_text(as_printed(article.read_text(encoding="utf-8")), encoding="utf-8")
        style.write_text(_STYLE.format(columns=columns), encoding="utf-8")
        options = ["-f", "jats", "-t", "html", "-s", "--mathml", "--metadata", "lang=en"]
        _run("pandoc", *options, str(printed), "-o", str(page))
        drawn = _IMAGE.sub(
            '<span class="drawing"></span>', page.read_text(encoding="utf-8")
        )  # without an image, its text is printed
        page.write_text(drawn, encoding="utf-8")
        _run(weasyprint, "-q", "-s", str(style), str(page), str(pdf))


def as_printed(text: str) -> str:
    """The article with what journals print and pandoc leaves out, in places that pandoc reads."""
    article = ET.fromstring(_ENTITY.sub(lambda match: html.unescape(match[0]), re.sub(r"<!DOCTYPE[^>]*>", "", text)))
    for part in article.iter():
        if part.tag in ("fig", "table-wrap") and (label := part.find("label")) is not None:
            _put_before(part.find("caption/title"), part.find("caption/p"), words=f"{_words(label).rstrip('.')}. ")
    body = article.find("body")
    if body is not None:
        for number, section in enumerate(_left_out(article)):
            body.insert(number, section)
        for statement in article.iter("funding-statement"):
            body.append(_section("Funding", _words(statement)))
    return ET.tostring(article, encoding="unicode")


def _left_out(article: ET.Element) -> Iterator[ET.Element]:
    for abstract in article.findall("front/article-meta/abstract")[1:]:
        section = ET.Element("sec")
        section.extend(abstract)
        yield section
    for group in article.findall("front/article-meta/kwd-group"):
        yield _section("Keywords", ", ".join(_words(word) for word in group.iter("kwd")))


def _section(title: str, words: str) -> ET.Element:
    section = ET.Element("sec")
    ET.SubElement(section, "title").text, ET.SubElement(section, "p").text = title, words
    return section


def _put_before(*parts: ET.Element | None, words: str) -> None:
    part = next((part for part in parts if part is not None), None)
    if part is not None:
        part.text = words + (part.text or "")


def _words(part: ET.Element) -> str:
    return " ".join("".join(part.itertext()).split())


def _run(*command: str) -> None:
    subprocess.run(command, check=True, timeout=_TIMEOUT_S, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
