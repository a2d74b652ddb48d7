"""From a PDF file to a Paper. Every problem becomes its status. Runs inside the worker process."""

import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from msgspec.structs import replace

from methodlens.papers.layout.flow import Flow, flow
from methodlens.papers.layout.headings import sections
from methodlens.papers.layout.ligatures import with_ligatures
from methodlens.papers.metadata.document import document_metadata
from methodlens.papers.pdf import hidden_text, ocr, ocr_check
from methodlens.papers.pdf.actual_text import as_drawn
from methodlens.papers.pdf.degree_signs import with_degree_signs
from methodlens.papers.pdf.extract import lines, open_document, open_pages
from methodlens.papers.pdf.glyph_claims import GlyphClaims
from methodlens.papers.pdf.glyph_shapes import OTHER_GLYPHS, ink_of
from methodlens.papers.pdf.glyphs import Glyphs, Unreadable, characters, glyphs, size_of
from methodlens.papers.pdf.hyperlinks import with_addresses
from methodlens.papers.pdf.objects import Objects
from methodlens.papers.pdf.render import render
from methodlens.papers.pdf.text_quality import GARBLED, ONLY_HEADS, check_text, has_text, is_garbled
from methodlens.papers.raw_page import RawPage
from methodlens.records import HiddenText, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings

OCR_FLAG = "ocr"
HIDDEN_FLAG = "hidden_text"
_LITTLE_TEXT = 400  # characters of a page: with more, its images do not matter
_SLIVER = 60  # characters: less than a caption
_MIN_IMAGE = 0.5  # share of the page
_MOSTLY = 0.5  # share of the characters of a page
_HYPHEN = re.compile(r"[\x02\ufffe]")  # PDFium's codes for a hyphen at the end of a line; some releases drop the line break
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


class LongDocument(Exception):
    """Has more pages than are read at once."""

    def __init__(self, pages: int) -> None:
        super().__init__(f"{pages} pages")
        self.pages = pages


def parse_pdf(path: str, *, limits: PaperLimits, reading: ReadingSettings, parser: str, at_once: int | None = None) -> Paper:
    """Raises LongDocument if there are more than `at_once` pages."""
    digest = ""
    try:
        data = _read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        with closing(open_document(data, max_pages=limits.max_pages)) as document:
            if at_once and len(document) > at_once:
                raise LongDocument(len(document))
            pages, hidden = _read_pages(document, range(1, len(document) + 1), reading)
            return _paper(document, Paper(sha256=digest, parser=parser), pages, hidden)
    except LongDocument:
        raise
    except Exception as err:
        status, reason = _failure(err, limits)
        return Paper(sha256=digest, parser=parser, status=status, reason=reason)


def read_range(path: str, first: int, last: int, *, limits: PaperLimits, reading: ReadingSettings) -> bytes:
    """The pages from `first` to `last`, packed for `join_ranges`; nothing if they cannot be read."""
    try:
        with closing(open_document(_read_bytes(path), max_pages=limits.max_pages)) as document:
            return zlib.compress(msgspec.json.encode(_read_pages(document, range(first, last + 1), reading)), 1)
    except Exception:  # the other pages can still be read
        return b""


def join_ranges(path: str, pages: int, ranges: Sequence[bytes], *, limits: PaperLimits, parser: str) -> Paper:
    """A paper from the results of `read_range`. Pages that are in none of them are unread."""
    digest = ""
    try:
        data = _read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        read: dict[int, RawPage] = {}
        hidden: list[HiddenText] = []
        for packed in ranges:
            some, hidden_there = msgspec.json.decode(zlib.decompress(packed), type=tuple[list[RawPage], list[HiddenText]])
            read |= {page.number: page for page in some}
            hidden += hidden_there
        every = [read.get(number) or RawPage(number, 0.0, 0.0, []) for number in range(1, pages + 1)]
        with closing(open_document(data, max_pages=limits.max_pages)) as document:
            return _paper(document, Paper(sha256=digest, parser=parser), every, hidden)
    except Exception as err:
        status, reason = _failure(err, limits)
        return Paper(sha256=digest, parser=parser, status=status, reason=reason)


def plain_text(path: str, *, limits: PaperLimits) -> tuple[str, PaperStatus, str]:
    """PDFium's text with a form feed between pages, without boxes or layout; or the status and reason if there is none."""
    try:
        with closing(open_document(_read_bytes(path), max_pages=limits.max_pages)) as document:
            return "\f".join(_plain_page(page) for _, page in open_pages(document)), PaperStatus.OK, ""
    except Exception as err:
        return "", *_failure(err, limits)


def render_page(path: str, number: int, *, limits: PaperLimits, **options: Any) -> tuple[bytes, str]:
    """A page as PNG, or the reason why it cannot be rendered. The options are those of `render`."""
    try:
        with closing(open_document(_read_bytes(path), max_pages=limits.max_pages)) as document:
            if not 1 <= number <= len(document):
                return b"", f"it has {len(document)} pages, so there is no page {number}"
            return render(document[number - 1], **options), ""
    except pdfium.PdfiumError as err:
        return b"", str(err) or "the page cannot be rendered"
    except Exception as err:
        return b"", _failure(err, limits)[1]


def _failure(err: Exception, limits: PaperLimits) -> tuple[PaperStatus, str]:
    """Any exception costs only this paper, and the process can be used again."""
    if isinstance(err, Unreadable):
        return err.status, err.reason
    if isinstance(err, MemoryError):
        return PaperStatus.TOO_BIG, f"it needs more than {limits.memory_mb} MB; raise papers.memory_mb"
    return PaperStatus.CRASHED, f"parsing failed ({type(err).__name__}); save it again with another program, and report this"


def _read_bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as err:
        raise Unreadable(PaperStatus.MALFORMED, f"it cannot be read ({err.strerror}); check its permissions") from err


def _read_pages(document: pdfium.PdfDocument, numbers: range, reading: ReadingSettings) -> tuple[list[RawPage], list[HiddenText]]:
    pages: list[RawPage] = []
    hidden: list[HiddenText] = []
    claims = GlyphClaims()
    for number, page in open_pages(document, numbers):
        raw_page, hidden_on_page = _page(number, page, claims, keep_hidden=reading.hidden_text == "keep")
        pages.append(raw_page)
        hidden += hidden_on_page
    return pages, hidden


def _paper(document: pdfium.PdfDocument, paper: Paper, pages: list[RawPage], hidden: Sequence[HiddenText]) -> Paper:
    opened = sum(page.width > 0 for page in pages)
    if not opened:
        raise Unreadable(PaperStatus.MALFORMED, "none of its pages can be opened; download it again")
    pages = with_ligatures(pages)
    raw_texts = [" ".join(line.text for line in page.lines) for page in pages]
    status, reason = check_text("\n".join(raw_texts), pages=opened)
    unread = tuple(
        page.number
        for page, text in zip(pages, raw_texts, strict=True)
        if (not text.strip() and not page.blank) or is_garbled(text)
    )
    if status is PaperStatus.NO_TEXT and any(piece.why == OTHER_GLYPHS for piece in hidden):
        status, reason = PaperStatus.GARBLED, GARBLED
    if status is not PaperStatus.OK:
        return replace(paper, status=status, reason=reason, unread=unread, hidden=tuple(hidden))
    return _with_text(replace(paper, unread=unread, hidden=tuple(hidden)), pages, document)


def _page(
    number: int, page: pdfium.PdfPage | None, claims: GlyphClaims, *, keep_hidden: bool
) -> tuple[RawPage, tuple[HiddenText, ...]]:
    if page is None:
        return RawPage(number, 0.0, 0.0, []), ()
    width, height = size_of(page)
    try:
        textpage = page.get_textpage()
    except pdfium.PdfiumError:
        return RawPage(number, width, height, []), ()
    objects = Objects(page)
    textpage, replaced = as_drawn(number, page, textpage, objects.replaced) if objects.replaced else (textpage, ())
    every = glyphs(page, textpage)
    ink = ink_of(page, textpage, every)
    every = with_degree_signs(every, ink)
    hidden = hidden_text.find(page, textpage, every, ink, objects, claims)
    kept = every if keep_hidden or not hidden else every.without(hidden)
    misread = _is_misread(every, hidden) and not keep_hidden
    printed = [] if misread else with_addresses(page, lines(page, textpage, kept))
    images, blank = _drawn(page) if sum(len(line.text) for line in printed) < _LITTLE_TEXT else (0.0, False)
    raw_page = RawPage(number, width, height, printed, images, blank and not printed)
    textpage.close()
    return raw_page, replaced + (hidden_text.runs(number, every, hidden) if hidden else ())


def _is_misread(every: Glyphs, hidden: Mapping[int, str]) -> bool:
    """Whether most of the page is drawn as other characters than the file says, so that only OCR can read it."""
    other = sum(why == OTHER_GLYPHS for why in hidden.values())
    return other > _MOSTLY * int(every.drawn.sum())


def _drawn(page: pdfium.PdfPage) -> tuple[float, bool]:
    """The share of the page that images cover, and whether nothing is drawn at all."""
    covered, blank = 0.0, True
    for drawn in page.get_objects(max_depth=3):
        blank = False
        if drawn.type == raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = drawn.get_bounds()
            covered += abs((right - left) * (top - bottom))
    width, height = page.get_size()
    return min(1.0, covered / (width * height)), blank


def _plain_page(page: pdfium.PdfPage | None) -> str:
    """Control characters are replaced, because a terminal might obey them."""
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
    slivers = _slivers(pages, clean)
    if not has_text(clean.text, pages=1) or len(slivers) == len(pages):
        unread = tuple(page.number for page in pages)
        return replace(paper, status=PaperStatus.NO_TEXT, reason=ONLY_HEADS, unread=unread)
    paper = replace(paper, unread=tuple(sorted({*paper.unread, *slivers})))
    about = document_metadata(pages, document.get_metadata_dict(skip_empty=True), clean.text)
    return replace(
        paper,
        **about._asdict(),
        text=clean.text,
        pages=clean.pages,
        lines=clean.lines,
        sections=sections(clean.text, clean.headings),
        tables=clean.tables,
        flags=(*paper.flags, *([HIDDEN_FLAG] if paper.hidden else [])),
    )


def _slivers(pages: list[RawPage], clean: Flow) -> list[int]:
    """Pages that are mostly a picture, with no more text than a stamp or a page number: what they say is in the picture."""
    letters = Counter[int]()
    for line in clean.lines:
        letters[line.page] += line.end - line.start
    return [page.number for page in pages if page.image_share >= _MIN_IMAGE and letters[page.number] < _SLIVER]


def parse_with_ocr(path: str, *, limits: PaperLimits, paper: Paper, verify: bool = False) -> Paper:
    """The paper with its unread pages recognised from their images. With `verify`, words of the others that OCR reads otherwise
    are left out."""
    try:
        with closing(open_document(_read_bytes(path), max_pages=limits.max_pages)) as document:
            recognised, pages, claims = list[RawPage](), list[RawPage](), GlyphClaims()
            for number, page in open_pages(document):
                if page is not None and number in paper.unread:
                    recognised.append(ocr.read_page(page, number))
                else:
                    pages.append(_page(number, page, claims, keep_hidden=False)[0])
            pages = with_ligatures(pages)
            false = ocr_check.false_words(document, pages) if verify else []
            if not recognised and not false:
                return paper
            hidden = (*paper.hidden, *(piece for _, _, piece in false))
            every = sorted([*recognised, *(ocr_check.without(pages, false) if false else pages)], key=lambda page: page.number)
            status, _ = check_text("\n".join(line.text for page in every for line in page.lines), pages=len(every))
            if status is not PaperStatus.OK:
                return replace(paper, reason=f"{paper.reason} (OCR found no text either)")
            flags = (*(flag for flag in paper.flags if flag != HIDDEN_FLAG), *([OCR_FLAG] if recognised else []))
            read = replace(paper, status=PaperStatus.OK, reason="", flags=flags, unread=(), hidden=hidden)
            return _with_text(read, every, document)
    except Exception as err:
        return replace(paper, reason=f"{paper.reason} (OCR failed: {_failure(err, limits)[1]})")
