"""Addresses of web pages that words of a page link to without printing them. Runs only inside the worker process.

"Our code is available on GitHub" may have its address only in the link under the last word. Where the words of a link are not
its address, the address is added after them in brackets, as the readers of HTML and JATS do. Only links to code and data are of
interest: those to a site that hosts them, or from a line that speaks of them. References and title pages have hundreds of others.
Where the words are the address, broken by a line end or without its underscores, which LaTeX draws as lines, it is put right.
"""

import ctypes
import re
from collections.abc import Sequence

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methodlens.papers.pdf.glyphs import View
from methodlens.papers.raw_page import RawLine, RawWord
from methodlens.records import Box

_MOST_LINKS, _LONGEST = 500, 200  # of a page; characters of an address
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]{4,}$", re.IGNORECASE)
_HOST = re.compile(
    r"\b(?:github|gitlab|bitbucket|codeberg|zenodo|figshare|osf\.io|dryad|dataverse|huggingface|kaggle|openslr|sourceforge"
    r"|data\.mendeley|physionet|10\.(?:5281|5061|6084|17605|7910|17632)/)",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:codes?|data|datasets?|database|corpus|corpora|repositor\w+|download\w*|scripts?|recipe|weights|checkpoints?|demo|websites?"
    r"|web ?page|project page|released?|available|accessed|here)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"doi\.org/|arxiv\.org|creativecommons|licen[cs]e|/terms|orcid\.org|scholar\.google|refhub|sciencedirect|frontiersin|mdpi\.|springer"
    r"|elsevier|wiley|journals?\.|/article|/author|research\.microsoft|adsabs|researchgate|crossmark|aclanthology|openreview|wikipedia"
    r"|pubmed|/pmc/|\.pdf$",
    re.IGNORECASE,
)
_SCHEME, _SIGNS = re.compile(r"^https?://(?:www\.)?(?:(?:dx\.)?doi\.org/)?", re.IGNORECASE), re.compile(r"[\W_]+")
_BUTTON = re.compile(r"(?:download|view|open) (?:the )?(?:file|pdf|image|figure|article|full)\b", re.IGNORECASE)  # of a publisher
_CLOSING = re.compile(r"[.,;:)\]]+$")
_OPENING = re.compile(r"^[^\W\d_]*[\W\d_]*?(?=https?:|www\.)|^[(\[“\"]*", re.IGNORECASE)  # "(", the number of a footnote, "at:"


def with_addresses(page: pdfium.PdfPage, lines: list[RawLine]) -> list[RawLine]:
    """The lines with the addresses of their links, each once, after the last word of its link."""
    if not (links := _links(page)):
        return lines
    printed = _letters("".join(line.text for line in lines))
    for address, boxes in links.items():
        if _letters(_SCHEME.sub("", address)) in printed:  # over lines, and without its underscores perhaps
            lines = _put_right(lines, address, boxes)
        else:
            lines = _with_address(lines, address, boxes)
    return lines


def _links(page: pdfium.PdfPage) -> dict[str, list[Box]]:
    """Addresses with the boxes of their first link: a link over two lines has two boxes of one address."""
    view, boxes = View(page), dict[str, list[Box]]()
    position, link, rect = ctypes.c_int(), raw.FPDF_LINK(), raw.FS_RECTF()
    for _ in range(_MOST_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, position, link):
            break
        address = _address(page, link)
        if address and raw.FPDFLink_GetAnnotRect(link, rect):
            box = _placed(view, rect)
            known = boxes.setdefault(address, [])
            if not known or 0 <= box[1] - known[-1][1] < 3 * (box[3] - box[1]):
                known.append(box)
    return boxes


def _address(page: pdfium.PdfPage, link: raw.FPDF_LINK) -> str:
    """Empty for links within the document."""
    action = raw.FPDFLink_GetAction(link)
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    buffer = ctypes.create_string_buffer(_LONGEST + 2)
    raw.FPDFAction_GetURIPath(page.pdf.raw, action, buffer, len(buffer))
    address = buffer.value.decode("latin-1").strip()
    return address if _ADDRESS.match(address) and len(address) <= _LONGEST and address.isascii() and address.isprintable() else ""


def _placed(view: View, rect: raw.FS_RECTF) -> Box:
    x0, top, x1, bottom = view.boxes(np.array([[rect.left, rect.top, rect.right, rect.bottom]], float))[0].tolist()
    return min(x0, x1), min(top, bottom), max(x0, x1), max(top, bottom)  # some programs write the corners in another order


def _letters(text: str) -> str:
    return _SIGNS.sub("", text).lower()


def _put_right(lines: list[RawLine], address: str, boxes: Sequence[Box]) -> list[RawLine]:
    """The address in one piece where its first word is, if the words of the link spell it."""
    if _NEVER.search(address) and not _HOST.search(address):  # most links of a page of references
        return lines
    places = [
        (at, index)
        for at, line in enumerate(lines)
        for index, word in enumerate(line.words)
        if any(_is_in(word, line.box, box) for box in boxes)
    ]
    words = [lines[at].words[index] for at, index in places]
    if len(words) < 2 or not _is_wanted(address, lines[places[0][0]].text):
        return lines
    opening = _OPENING.match(words[0].text)
    before = opening[0] if opening else ""
    closing = _CLOSING.search(words[-1].text)
    spelled = _letters("".join(word.text for word in words).removeprefix(before))
    if spelled not in (_letters(address), _letters(_SCHEME.sub("", address))):
        return lines
    after = closing[0] if closing and not address.endswith(closing[0]) else ""
    (first, start), gone = places[0], set(places[1:])
    whole = words[0]._replace(text=f"{before}{address}{after}", x1=max(word.x1 for word in words if word.x0 >= words[0].x0))
    rows: list[RawLine] = []
    for at, line in enumerate(lines):
        kept = [
            whole if (at, index) == (first, start) else word for index, word in enumerate(line.words) if (at, index) not in gone
        ]
        if len(kept) == len(line.words) and at != first:
            rows.append(line)
        elif kept:
            broken = line.broken and (at, len(line.words) - 1) not in places
            rows.append(line._replace(words=tuple(kept), broken=broken, lead=min(line.lead, len(kept))))
    return rows


def _with_address(lines: list[RawLine], address: str, boxes: Sequence[Box]) -> list[RawLine]:
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        inside = [index for index, word in enumerate(line.words) if any(_is_in(word, line.box, box) for box in boxes)]
        button = inside and _BUTTON.match(" ".join(line.words[index].text for index in inside))
        if inside and not button and _is_wanted(address, " ".join(word.text for word in line.words[: inside[-1] + 1])):
            return [*lines[:at], _after_word(line, inside[-1], address), *lines[at + 1 :]]
    return lines


def _is_wanted(address: str, line: str) -> bool:
    return bool(_HOST.search(address) or (_CUE.search(line) and not _NEVER.search(address)))


def _is_in(word: RawWord, line: Box, link: Box) -> bool:
    across, down = (word.x0 + word.x1) / 2, (line[1] + line[3]) / 2
    return link[0] <= across <= link[2] and link[1] <= down <= link[3]


def _after_word(line: RawLine, index: int, address: str) -> RawLine:
    """ "GitHub." becomes "GitHub (https://...)."; a word that a line end breaks is left alone."""
    word = line.words[index]
    if line.broken and index == len(line.words) - 1:
        return line
    closing = _CLOSING.search(word.text)
    end = closing[0] if closing and closing.start() else ""
    name = word._replace(text=word.text.removesuffix(end))
    words = (*line.words[:index], name, RawWord(f"({address}){end}", word.x1, word.x1), *line.words[index + 1 :])
    return line._replace(words=words, lead=line.lead + (index < line.lead))
