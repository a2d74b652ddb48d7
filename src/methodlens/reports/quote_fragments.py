"""Where a quote is, as web standards say it: a page and a rectangle of a PDF, and the words around the quote."""

from typing import NamedTuple

from methodlens.records import Box, Evidence, Match

PDF_FRAGMENTS = "http://tools.ietf.org/rfc/rfc3778"
"""The specification of page and viewrect, as the Web Annotation Vocabulary names it."""
_CONTEXT = 40
"""Characters before and after a quote, to tell it from the same words elsewhere in the paper."""


class QuotedText(NamedTuple):
    """The words of the paper, and those before and after them; None if the quote was not found or the text is not known."""

    exact: str
    prefix: str | None = None
    suffix: str | None = None


def quoted_text(evidence: Evidence, text: str) -> QuotedText:
    """`text` is that of the paper. A quote without a span, as people may import it, is taken as it is."""
    if evidence.match is Match.ABSENT or not text[evidence.start : evidence.end]:
        return QuotedText(evidence.quote)
    before = text[max(0, evidence.start - _CONTEXT) : evidence.start]
    return QuotedText(text[evidence.start : evidence.end], before, text[evidence.end : evidence.end + _CONTEXT])


def fragment_value(page: int, box: Box | None) -> str:
    """The part of a PDF's address after "#": a page, and a rectangle on it as left, top, width and height in points.

    >>> fragment_value(8, (72.0, 100.5, 300.0, 112.5))
    'page=8&viewrect=72,100.5,228,12'
    """
    if box is None:
        return f"page={page}"
    x0, y0, x1, y1 = box
    return f"page={page}&viewrect={','.join(f'{round(number, 2):g}' for number in (x0, y0, x1 - x0, y1 - y0))}"
