"""Title, authors, year and DOI of a paper, from the PDF itself.

The document's info dictionary is often wrong ('Microsoft Word - x.doc', the journal's name, a template's title), so it is
used only where the first page agrees.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from methodlens.papers.metadata.authors import printed_authors, split_names
from methodlens.papers.metadata.entries import Metadata, find_doi, find_dois
from methodlens.papers.metadata.title_page import TitlePage, find_title_page, letters, rows, tidy
from methodlens.papers.raw_page import RawLine, RawPage

_DATA = re.compile(
    r"\b(?:data|dataset|code|software|repository|archived?|deposited|zenodo|dryad|figshare|replication of)\b", re.IGNORECASE
)
_REFERENCES = re.compile(r"\W*(?:\d+\W+)?(?:references|bibliography|literature cited)\W*$", re.IGNORECASE)
_YEAR = r"((?:19|20)\d\d)(?!\d|[-–]\d)"
_DATED = (  # how a page states its publication date, with how much to trust it, best first
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


def document_metadata(pages: Sequence[RawPage], info: Mapping[str, str], text: str) -> Metadata:
    """From the first pages; `info` is the document's info dictionary, `text` the text of the whole paper."""
    front = find_title_page(pages, info.get("Title", ""), text)
    if front is None:
        return Metadata(year=_created(info))
    until = pages.index(front.page) + 1
    early = pages[:until]
    doi = _doi(early, pages[until : until + 2], info)
    return Metadata(front.title, _authors(front, info, text), _year(early, info, doi), doi)


def _authors(front: TitlePage, info: Mapping[str, str], text: str) -> tuple[str, ...]:
    printed = printed_authors(rows(front.page), front.title_box, text) if front.title_box else ()
    stated = split_names(tidy(info.get("Author", ""))) or ()
    page = letters(" ".join(line.text for line in front.page.lines))
    confirmed = all(letters(name.split()[-1]) in page for name in stated)
    # one stated name is often the corresponding author alone
    return stated if len(stated) > 1 and confirmed and len(stated) >= len(printed) else printed


def _doi(early: Sequence[RawPage], later: Sequence[RawPage], info: Mapping[str, str]) -> str:
    scores: Counter[str] = Counter()
    for key, value in info.items():
        if key not in ("Title", "Keywords") and (doi := find_doi(value)):
            scores[doi] += 3
    for page in early:
        for doi, around, line in _printed_dois(page):
            fills = 2 * len(doi) > len(around.split(doi)[0]) or _in_margin(line, page)
            scores[doi] += (
                (1 if fills else 0)
                + (2 if re.search(r"\bdoi\b", around) else 0)
                - (3 if _DATA.search(around.removesuffix(doi)) else 0)
            )
    for page in later:  # the paper's own DOI is repeated in the margins
        for doi, _, line in _printed_dois(page):
            scores[doi] += 1 if _in_margin(line, page) or not line.upright else 0
    best = max(scores, key=lambda doi: scores[doi], default="")
    return best if best and scores[best] > 1 else ""


def _printed_dois(page: RawPage) -> Iterator[tuple[str, str, RawLine]]:
    """Each DOI with the text up to it. A DOI broken after its slash is joined with the next line."""
    before = ""
    for index, line in enumerate(page.lines):
        text = tidy(line.text)[:1000]
        if _REFERENCES.match(text):
            return
        after = page.lines[index + 1].words[0].text if index + 1 < len(page.lines) else ""
        if re.search(r"10\.\d{4,9}/$", text) and re.search(r"\d", after):
            text += after
        for start, doi in find_dois(text):
            context = (before[-60:] + " " if start < 5 else "") + text[:start] + doi
            yield doi, context.lower(), line
        before = text


def _year(early: Sequence[RawPage], info: Mapping[str, str], doi: str) -> int | None:
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


def _dated_lines(early: Sequence[RawPage], info: Mapping[str, str], doi: str) -> Iterator[tuple[str, int]]:
    """Texts that may date the paper, each with the least trust a pattern needs: bare years only in margins or next to the DOI."""
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


def _in_margin(line: RawLine, page: RawPage) -> bool:
    return line.box[1] < 0.1 * page.height or line.box[3] > 0.9 * page.height


def _created(info: Mapping[str, str]) -> int | None:
    stated = re.sub(r"\D", "", info.get("CreationDate", ""))
    if re.match(r"(?:1970|1980|2000)01010{6}", stated):  # defaults that programs write when they have no date
        return None
    match = re.match(r"(?:19[89]|20\d)\d", stated)
    return int(match[0]) if match else None
