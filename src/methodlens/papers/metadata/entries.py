"""The metadata of a paper, and one entry of a file that lists papers."""

import re
from typing import NamedTuple

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]{1,200}", re.IGNORECASE)
_DOI_TAIL = re.compile(
    r"(?:[.,;:'’”\]]+|/(?:full|pdf|epdf|abstract|meta|html)|\.(?:this|the|version|copyright|posted|received|published|licensed)\b.*"
    r"|\.[gts]\d{3}|\.pdf|https?:.*)$"
)
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d|21\d\d)(?!\d)")


class Metadata(NamedTuple):
    """Title, authors, year and DOI. Missing values are empty, or None."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""


class Entry(NamedTuple):
    """One entry of a .bib, .ris or manifest.csv. `source` is its position, such as 'library.bib:12'.

    `files` and `key` help to match it to a paper. `collections` are those of a reference manager. `code` is the path of the
    paper's repository, from the folder of the manifest, and `code_at` the date or commit that counts. `supplement_of` names the
    paper that this file is a supplement of, and `supplements` the files that supplement this paper; empty says that there is
    none, None that the entry does not say.
    """

    metadata: Metadata
    source: str
    files: tuple[str, ...] = ()
    key: str = ""
    collections: tuple[str, ...] = ()
    code: str = ""
    code_at: str = ""
    supplement_of: str | None = None
    supplements: tuple[str, ...] | None = None


def find_dois(text: str) -> list[tuple[int, str]]:
    """Each DOI in a text, normalized, with the offset where it starts."""
    dois = ((match.start(), _normalize(match[0])) for match in _DOI.finditer(text))
    return [(start, doi) for start, doi in dois if doi]


def find_doi(text: str) -> str:
    """The first DOI in a text, in lower case and without trailing punctuation; '' if there is none.

    >>> find_doi("See https://doi.org/10.5555/Snail.1).")
    '10.5555/snail.1'
    """
    match = _DOI.search(text)
    return _normalize(match[0]) if match else ""


def find_year(text: str) -> int | None:
    match = _YEAR.search(text)
    return int(match[1]) if match else None


def given_name_first(name: str) -> str:
    """
    >>> given_name_first("Lovelace, Ada"), given_name_first("King, Jr., Martin")
    ('Ada Lovelace', 'Martin King Jr.')
    """
    parts = [part.strip() for part in name.split(",") if part.strip()]
    return " ".join((parts[-1], *parts[:-1])) if parts else ""


def _normalize(doi: str) -> str:
    doi = doi.lower()
    while doi:
        shorter = _DOI_TAIL.sub("", doi)
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == doi:
            break
        doi = shorter
    return doi if _DOI.fullmatch(doi) else ""
