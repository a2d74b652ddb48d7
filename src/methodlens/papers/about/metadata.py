"""Title, authors, year and DOI of a paper, from the PDF itself.

What the file claims about itself is often wrong ('Microsoft Word - x.doc', the journal's name, a template's title): it counts
only where the first page says the same.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from methodlens.papers.about.authors import authors as authors_below
from methodlens.papers.about.authors import split_names
from methodlens.papers.about.frontpage import Front, front, letters, rows, tidy

if TYPE_CHECKING:  # extract loads PDFium, which only the worker may
    from methodlens.papers.printed import RawLine, RawPage

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]{1,200}", re.IGNORECASE)
_DOI_TAIL = re.compile(
    r"(?:[.,;:'’”\]]+|/(?:full|pdf|epdf|abstract|meta|html)|\.(?:this|the|version|copyright|posted|received|published|licensed)\b.*"
    r"|\.[gts]\d{3}|\.pdf|https?:.*)$"
)
_DATA = re.compile(
    r"\b(?:data|dataset|code|software|repository|archived?|deposited|zenodo|dryad|figshare|replication of)\b", re.IGNORECASE
)
_REFERENCES = re.compile(r"\W*(?:\d+\W+)?(?:references|bibliography|literature cited)\W*$", re.IGNORECASE)
_YEAR = r"((?:19|20)\d\d)(?!\d|[-–]\d)"
_DATED = (  # how a page says when it was published, the surest first
    (6, re.compile(rf"\b(?:first )?published(?:\s+online|\s+on)?\s*:?\s+(?:[^\W_]+[\s,.]+){{0,3}}{_YEAR}", re.IGNORECASE)),
    (5, re.compile(rf"[^\W\d]\.?,?\s{_YEAR}\s?[.,;]\s?(?:vol\.?\s?)?\d+")),  # Plant Lett. 2021, 12, 34
    (5, re.compile(rf"\d\s?(?:\([\d–-]+\)\s?)?[,:]?\s?\({_YEAR}\)|\({_YEAR}\)\s?\d")),  # 12 (2021) 34; (2021) 12:34
    (
        4,
        re.compile(
            rf"(?:©|\(c\)|copyright)\D{{0,60}}?{_YEAR}|\b{_YEAR}\s(?:by )?the authors?\b|©.{{0,100}}?{_YEAR}", re.IGNORECASE
        ),
    ),
    (3, re.compile(rf"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s(?:\d{{1,2}},?\s)?{_YEAR}", re.IGNORECASE)),
    (1, re.compile(rf"(?<!\d){_YEAR}")),
)
_NOT_PUBLISHED = re.compile(r"\b(?:received|accepted|revised|submitted)\b.*", re.IGNORECASE)


class Metadata(NamedTuple):
    """What a paper is known by. Anything not found is empty, or None."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""


def metadata(pages: "Sequence[RawPage]", info: Mapping[str, str], text: str) -> Metadata:
    """From the first pages; `info` is the document's info dictionary, `text` the whole paper's text."""
    found = front(pages, info.get("Title", ""), text)
    if found is None:
        return Metadata(year=_created(info))
    until = pages.index(found.page) + 1
    early = pages[:until]
    doi = _doi(early, pages[until : until + 2], info)
    return Metadata(found.title, _authors(found, info, text), _year(early, info, doi), doi)


def normal_doi(text: str) -> str:
    """The first DOI in a text, in lower case (a DOI has no case) and without what follows it; '' when there is none."""
    match = _DOI.search(text)
    doi = match[0].lower() if match else ""
    while doi:
        shorter = _DOI_TAIL.sub("", doi)
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == doi:
            break
        doi = shorter
    return doi if _DOI.fullmatch(doi) else ""


def _authors(found: Front, info: Mapping[str, str], text: str) -> tuple[str, ...]:
    printed = authors_below(rows(found.page), found.title_box, text) if found.title_box else ()
    stated = split_names(tidy(info.get("Author", ""))) or ()
    page = letters(" ".join(line.text for line in found.page.lines))
    confirmed = all(letters(name.split()[-1]) in page for name in stated)
    # one stated name is often the corresponding author alone
    return stated if len(stated) > 1 and confirmed and len(stated) >= len(printed) else printed


def _doi(early: "Sequence[RawPage]", later: "Sequence[RawPage]", info: Mapping[str, str]) -> str:
    scores: Counter[str] = Counter()
    for key, value in info.items():
        if key not in ("Title", "Keywords") and (doi := normal_doi(value)):
            scores[doi] += 3
    for page in early:
        for doi, around, line in _printed_dois(page):
            fills = 2 * len(doi) > len(around.split(doi)[0]) or _in_margin(line, page)
            scores[doi] += (
                (1 if fills else 0)
                + (2 if re.search(r"\bdoi\b", around) else 0)
                - (3 if _DATA.search(around.removesuffix(doi)) else 0)
            )
    for page in later:  # a paper's own DOI stands again in the margins
        for doi, _, line in _printed_dois(page):
            scores[doi] += 1 if _in_margin(line, page) or not line.upright else 0
    best = max(scores, key=lambda doi: scores[doi], default="")
    return best if best and scores[best] > 1 else ""


def _printed_dois(page: "RawPage") -> "Iterator[tuple[str, str, RawLine]]":
    """Each DOI with the text up to it; one broken after a slash goes on in the next line, nothing else is joined."""
    before = ""
    for index, line in enumerate(page.lines):
        text = tidy(line.text)[:1000]
        if _REFERENCES.match(text):
            return
        after = page.lines[index + 1].words[0].text if index + 1 < len(page.lines) else ""
        if re.search(r"10\.\d{4,9}/$", text) and re.search(r"\d", after):
            text += after
        for match in _DOI.finditer(text):
            if doi := normal_doi(match[0]):
                context = (before[-60:] + " " if match.start() < 5 else "") + text[: match.start()] + doi
                yield doi, context.lower(), line
        before = text


def _year(early: "Sequence[RawPage]", info: Mapping[str, str], doi: str) -> int | None:
    created = _created(info)
    votes: Counter[int] = Counter()
    for text, weight in _dated_lines(early, info, doi):
        for trust, pattern in _DATED:
            if trust < weight:
                continue
            years = [int(year) for match in pattern.finditer(text) for year in match.groups() if year]
            if years:
                votes[max(years)] = max(votes[max(years)], trust)
                break
    if match := re.search(rf"[./]{_YEAR}[./]", doi):
        votes[int(match[1])] = max(votes[int(match[1])], 2)
    plausible = {year: trust for year, trust in votes.items() if created is None or year <= created + 1}
    return max(plausible, key=lambda year: (plausible[year], year)) if plausible else created


def _dated_lines(early: "Sequence[RawPage]", info: Mapping[str, str], doi: str) -> Iterator[tuple[str, int]]:
    """Texts that may date the paper, each with the least trust that counts: a bare year only in a margin or beside the DOI."""
    subject = info.get("Subject", "")
    yield subject, 1 if len(subject) < 200 else 7  # a long one is the abstract
    for page in early:
        for index, line in enumerate(page.lines):
            pair = tidy(line.text)[:1000]
            if index and len(pair) < 60:  # 'Published' above its date, a citation over two lines
                pair = f"{tidy(page.lines[index - 1].text)[-60:]} {pair}"
            text = _NOT_PUBLISHED.sub("", pair) if not re.search(r"published", pair, re.IGNORECASE) else pair
            own = doi and doi in text.lower()
            if own or not line.upright or _in_margin(line, page):
                yield text, 1 if own else 3
            elif re.match(r"(?:cit(?:e|ation)|copyright|©|\(c\)|published|.*\bpublished(?: online)?:?\s)", text, re.IGNORECASE):
                yield text, 4
            elif line.box[1] < 0.2 * page.height:
                yield text, 3


def _in_margin(line: "RawLine", page: "RawPage") -> bool:
    return line.box[1] < 0.1 * page.height or line.box[3] > 0.9 * page.height


def _created(info: Mapping[str, str]) -> int | None:
    stated = re.sub(r"\D", "", info.get("CreationDate", ""))
    if re.match(r"(?:1970|1980|2000)01010{6}", stated):  # what programs write that leave the date out
        return None
    match = re.match(r"(?:19[89]|20\d)\d", stated)
    return int(match[0]) if match else None
