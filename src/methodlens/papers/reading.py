"""A file -> a Paper, whatever is wrong with it. Runs inside the worker."""

import hashlib
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
from msgspec.structs import replace

from methodlens.papers.layout.flow import flow
from methodlens.papers.layout.headings import sections
from methodlens.papers.metadata.document import document_metadata
from methodlens.papers.pdf import hidden, ocr
from methodlens.papers.pdf import picture as pictures
from methodlens.papers.pdf.extract import lines, open_document, open_pages
from methodlens.papers.pdf.glyphs import Unreadable, characters, glyphs, size_of
from methodlens.papers.pdf.legible import garbled, legible
from methodlens.papers.printed import RawPage
from methodlens.records import HiddenText, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings

OCR_FLAG = "ocr"
HIDDEN_FLAG = "hidden_text"
_HYPHEN = re.compile(r"[\x02\ufffe](?=\n)")  # PDFium's marks for one at the end of a line
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


def read(path: str, *, limits: PaperLimits, reading: ReadingSettings, parser: str) -> Paper:
    """The paper; its status says what is wrong if anything is."""
    digest = ""
    try:
        data = _bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        with closing(open_document(data, max_pages=limits.max_pages)) as document:
            return _paper(document, Paper(sha256=digest, parser=parser), reading)
    except Exception as err:
        status, reason = _what_happened(err, limits)
        return Paper(sha256=digest, parser=parser, status=status, reason=reason)


def plain_text(path: str, *, limits: PaperLimits) -> tuple[str, PaperStatus, str]:
    """PDFium's own text, a form feed between pages: no boxes, no layout, nothing left out. Or why there is none."""
    try:
        with closing(open_document(_bytes(path), max_pages=limits.max_pages)) as document:
            return "\f".join(_plain(page) for _, page in open_pages(document)), PaperStatus.OK, ""
    except Exception as err:
        return "", *_what_happened(err, limits)


def picture(path: str, number: int, *, limits: PaperLimits, **how: Any) -> tuple[bytes, str]:
    """A page as PNG, drawn as `pdf.picture.render` is told, or why there is none."""
    try:
        with closing(open_document(_bytes(path), max_pages=limits.max_pages)) as document:
            if not 1 <= number <= len(document):
                return b"", f"it has {len(document)} pages, and no page {number}"
            return pictures.render(document[number - 1], **how), ""
    except pdfium.PdfiumError as err:
        return b"", str(err) or "the page cannot be drawn"
    except Exception as err:
        return b"", _what_happened(err, limits)[1]


def _what_happened(err: Exception, limits: PaperLimits) -> tuple[PaperStatus, str]:
    """Whatever a file makes our code raise costs that one paper, and no new process."""
    if isinstance(err, Unreadable):
        return err.status, err.reason
    if isinstance(err, MemoryError):
        return PaperStatus.TOO_BIG, f"it needs more than {limits.memory_mb} MB; raise papers.memory_mb"
    return PaperStatus.CRASHED, f"reading it failed ({type(err).__name__}); save it anew with another program, and report this"


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as err:
        raise Unreadable(PaperStatus.MALFORMED, f"it cannot be read ({err.strerror}); check its permissions") from err


def _paper(document: pdfium.PdfDocument, paper: Paper, reading: ReadingSettings) -> Paper:
    pages: list[RawPage] = []
    unseen: list[HiddenText] = []
    for number, page in open_pages(document):
        raw_page, found = _page(number, page, keep_hidden=reading.hidden_text == "keep")
        pages.append(raw_page)
        unseen += found
    opened = sum(page.width > 0 for page in pages)
    if not opened:
        raise Unreadable(PaperStatus.MALFORMED, "none of its pages can be opened; fetch it again")
    raw_texts = [" ".join(line.text for line in page.lines) for page in pages]
    status, reason = legible("\n".join(raw_texts), pages=opened)
    unread = tuple(page.number for page, text in zip(pages, raw_texts, strict=True) if not text.strip() or garbled(text))
    if status is not PaperStatus.OK:
        return replace(paper, status=status, reason=reason, unread=unread, hidden=tuple(unseen))
    return _with_text(replace(paper, unread=unread, hidden=tuple(unseen)), pages, document)


def _page(number: int, page: pdfium.PdfPage | None, *, keep_hidden: bool) -> tuple[RawPage, tuple[HiddenText, ...]]:
    if page is None:
        return RawPage(number, 0.0, 0.0, []), ()
    width, height = size_of(page)
    try:
        textpage = page.get_textpage()
    except pdfium.PdfiumError:
        return RawPage(number, width, height, []), ()
    seen = glyphs(page, textpage)
    found = hidden.find(page, textpage, seen)
    kept = seen if keep_hidden or not found else seen.without(found)
    read = RawPage(number, width, height, lines(page, textpage, kept))
    textpage.close()
    return read, hidden.runs(number, seen, found) if found else ()


def _plain(page: pdfium.PdfPage | None) -> str:
    """Its control characters are no text, and a terminal might obey them."""
    if page is None:
        return ""
    try:
        textpage = page.get_textpage()
    except pdfium.PdfiumError:
        return ""
    text = "".join(characters(textpage))
    textpage.close()
    return _CONTROL.sub("\ufffd", _HYPHEN.sub("-", text.replace("\r\n", "\n")))


def _with_text(paper: Paper, pages: list[RawPage], document: pdfium.PdfDocument) -> Paper:
    clean = flow(pages)
    about = document_metadata(pages, document.get_metadata_dict(skip_empty=True), clean.text)
    return replace(
        paper,
        title=about.title,
        authors=about.authors,
        year=about.year,
        doi=about.doi,
        text=clean.text,
        pages=clean.pages,
        lines=clean.lines,
        sections=sections(clean.text, clean.headings),
        flags=(*paper.flags, *([HIDDEN_FLAG] if paper.hidden else [])),
    )


def read_by_ocr(path: str, *, limits: PaperLimits, paper: Paper) -> Paper:
    """The paper with the pages that could not be read from the file read from their pictures."""
    try:
        with closing(open_document(_bytes(path), max_pages=limits.max_pages)) as document:
            pages = []
            for number, page in open_pages(document):
                if page is not None and number in paper.unread:
                    pages.append(ocr.read_page(page, number))
                else:
                    pages.append(_page(number, page, keep_hidden=False)[0])
            status, _ = legible("\n".join(line.text for page in pages for line in page.lines), pages=len(pages))
            if status is not PaperStatus.OK:
                return replace(paper, reason=f"{paper.reason} (OCR found no text either)")
            read = replace(paper, status=PaperStatus.OK, reason="", flags=(*paper.flags, OCR_FLAG), unread=())
            return _with_text(read, pages, document)
    except Exception as err:
        return replace(paper, reason=f"{paper.reason} (OCR failed: {_what_happened(err, limits)[1]})")
