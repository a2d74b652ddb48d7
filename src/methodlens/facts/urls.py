"""Links and DOIs, their sites, and whether they lead to code or data."""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial

import msgspec
from msgspec import Struct

from methodlens.facts.gazetteer import data_file
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.link_purpose import Mention, purposes
from methodlens.facts.link_text import mend_links, printed_links
from methodlens.facts.types import Extractor, Fact, FactType, Findings, listing
from methodlens.text import sentences

_HOST = re.compile(r"^(?:https?://)?(?:www\.)?([^/:?#]+)", re.I)
_SCHEME = re.compile(r"^(?:https?://)?(?:(?:www|dx)\.)?", re.I)
_REPOSITORY = re.compile(
    r"\b(?:available|deposited|archived|accessible|downloaded|obtained|published)\s+(?:online\s+|for download\s+)?"
    r"(?:at|from|in|on|via|through)\s+(?:the\s+)?(?:online\s+)?"
    r"((?:[A-Z][\w’'&/-]{0,40}\s+(?:(?:of|for|and)\s+(?:the\s+)?)?){1,8}"
    r"(?i:repository|archive|database|data\s?bank|data cent(?:er|re)|portal|server))\b"
    r"(?!\s*[(\[][^()\[\]]{0,40}(?:https?:|www\.))"  # otherwise the link decides
)
_DATA_URL = re.compile(r"data-?(?:sets?|bases?)\b|corp(?:us|ora)\b|benchmark|openslr|\.(?:zip|tar\.gz|csv)$", re.I)
_BETWEEN = re.compile(r"(?: data\s?sets?| corpus)?\s?(?:[(\[][^()\[\]]{0,40}[)\]])?[\s(\[,:;]*")
_ON_REQUEST = re.compile(r"\brequest\b", re.I)


class Link(Struct, frozen=True):
    """`url` is as printed; `host` is the name of the site ("GitHub") or its domain; `holds` is code, data, both or neither."""

    url: str
    host: str
    holds: frozenset[str] = frozenset()


class _Site(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    kind: str
    named: str
    domains: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()
    models: bool = False
    """Its pages are models, apart from those under /datasets/."""


@lru_cache(maxsize=256)
def links(text: str) -> tuple[Link, ...]:
    """
    >>> [(link.url, link.host) for link in links("Our code is at https://github.com/lab/frogs.")]
    [('https://github.com/lab/frogs', 'GitHub')]
    """
    by_url: dict[str, Link] = {}
    for sentence in _sentences(text):
        printed = [link for link in printed_links(sentence) if not _is_ignored(link.url)]
        sites = [_site(link.url) for link in printed]
        names = [mention.end for mention in listed("datasets", sentence)] if printed else []
        mentions = [
            Mention(link.start, link.end, _usual(link.url, site), data_set=_follows(names, sentence, link.start))
            for link, site in zip(printed, sites, strict=True)
        ]
        for link, site, holds in zip(printed, sites, purposes(sentence, mentions), strict=True):
            known = by_url.get(link.url)
            name = site.name if site else _domain(link.url)
            by_url[link.url] = Link(link.url, name, holds | known.holds if known else holds)
    return tuple(by_url.values())


def usual_kind(url: str) -> str:
    """What a site holds if the sentence around the link does not say: "code", "data" or ""."""
    return _usual(url, _site(url))


def _usual(url: str, site: "_Site | None") -> str:
    if site and site.models and not _DATA_URL.search(url):  # a released model counts as code
        return "code"
    return site.kind if site else "data" if _DATA_URL.search(url) else ""


def _follows(ends: Sequence[int], sentence: str, start: int) -> bool:
    """Whether only brackets and punctuation are between one of these ends and `start`."""
    return any(end <= start and _BETWEEN.fullmatch(sentence, end, start) for end in ends)


def urls(kind: str, text: str) -> list[str]:
    """The links that hold `kind`: code or data."""
    return list({_same(link.url): link.url for link in reversed(links(text)) if kind in link.holds}.values())[::-1]


def _same(value: str) -> str:
    """Equal for the spellings of one link: with and without http, www and the last slash."""
    return _SCHEME.sub("", value).rstrip("/").removesuffix(".git").lower()


def hosts(kind: str, text: str) -> list[str]:
    """The sites of these links, and those that are only named, in a sentence about code or data."""
    names = [link.host for link in links(text) if kind in link.holds]
    for sentence in _sentences(text):
        for site, start, end in _named(sentence):
            if kind in purposes(sentence, [Mention(start, end, site.kind, named=True)])[0]:
                names.append(site.name)
        if kind == "data":
            names += named_repositories(sentence)
    return list(dict.fromkeys(names))


def named_repositories(sentence: str) -> list[str]:
    """Repositories that a sentence says its data are in, without a link.

    >>> named_repositories("The calls are available at the Lake Museum repository.")
    ['Lake Museum repository']
    """
    if _ON_REQUEST.search(sentence):
        return []
    return [match[1] for match in _REPOSITORY.finditer(sentence)]


def data_sites(text: str) -> list[tuple[str, int]]:
    """The known data sites that a text names, and where each name ends."""
    return [(site.name, end) for site, _, end in _named(text) if site.kind == "data"]


def is_article(url: str) -> bool:
    """Whether a link leads to a publication: a DOI of no known repository, a publisher, a preprint server, a PDF."""
    lower = url.lower()
    if "doi.org/" in lower or lower.startswith("10."):
        return _site(url) is None
    return lower.endswith((".pdf", ".ps")) or _is_ignored(url)


def without_doi(text: str, doi: str) -> str:
    """The text without links to this DOI."""
    if not doi or doi.lower() not in "".join(text.lower().split()):
        return text
    mended = mend_links(text)
    for link in reversed(printed_links(mended)):
        if doi.lower() in link.url.lower():
            mended = mended[: link.start] + mended[link.end :]
    return mended


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[str, ...]:
    mended = mend_links(text)
    return tuple(mended[start:end] for start, end in sentences(mended))


def _domain(url: str) -> str:
    match = _HOST.match(url)
    return "doi.org" if url.startswith("10.") else match[1].lower() if match else ""


def _site(url: str) -> _Site | None:
    host = _domain(url)
    doi = url[url.find("10.") :] if "doi" in url or url.startswith("10.") else ""
    for site, _ in _sites():
        by_domain = any(host == domain or host.endswith("." + domain) for domain in site.domains)
        if by_domain or any(doi.startswith(prefix) for prefix in site.dois):
            return site
    return None


@lru_cache(maxsize=256)
def _named(sentence: str) -> tuple[tuple[_Site, int, int], ...]:
    if not _any_site()(sentence):  # most sentences name none: one search instead of one per site
        return ()
    return tuple((site, match.start(), match.end()) for site, search in _sites() if (match := search(sentence)))


def _is_ignored(url: str) -> bool:
    lower = url.lower()
    return any(mark in lower for mark in (*_ignored(), *data_file("hosts")["articles"]))


@cache
def _ignored() -> tuple[str, ...]:
    return (*data_file("hosts")["about_the_paper"], *data_file("hosts")["tools"])


@cache
def _sites() -> list[tuple[_Site, Callable[[str], re.Match[str] | None]]]:
    sites = msgspec.convert(data_file("hosts")["host"], list[_Site])
    # short names in capitals (OSF, CRAN) must be in capitals
    return [(site, re.compile(rf"\b(?:{site.named})\b", 0 if site.named.isupper() else re.I).search) for site in sites]


@cache
def _any_site() -> Callable[[str], re.Match[str] | None]:
    names = (f"(?-i:{site.named})" if site.named.isupper() else site.named for site, _ in _sites())
    return re.compile(rf"\b(?:{'|'.join(names)})\b", re.I).search


def _each_once(read: Callable[[str], list[str]]) -> Extractor:
    """Reads each quote by itself: the first words of one must not continue the last sentence of another."""

    def extract(quotes: Sequence[str]) -> list[Fact]:
        first: dict[str, tuple[str, int]] = {}
        for index, quote in enumerate(quotes):
            for value in read(quote):
                first.setdefault(_same(value), (value, index))
        return [Fact(value, index) for value, index in first.values()]

    return extract


def _url_type(kind: str, opening: str, priority: int) -> FactType:
    key = f"{kind}_urls"
    return FactType(
        key=key,
        extract=_each_once(partial(urls, kind)),
        phrase=lambda findings: f"{opening} {listing(findings.values[key])}",
        priority=priority,
        export_empty=True,
        opens_alone=True,
        decisive=True,
        required=True,
        cited=True,
        from_others=kind == "data",
        revision=3,
    )


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def _host_type(kind: str, opening: str) -> FactType:
    key = f"{kind}_hosts"

    def phrase(findings: Findings) -> str:
        """Only names that a quote prints: a DOI tells the archive without naming it."""
        printed = _letters(" ".join(findings.quotes))
        names = [name for name in findings.values[key] if _letters(name) in printed]
        names = [name for name in names if not any(other != name and name.startswith(other) for other in names)]
        return f"{opening} {listing(names)}" if names else ""

    return FactType(
        key=key,
        extract=_each_once(partial(hosts, kind)),
        phrase=phrase,
        export_empty=True,
        opens_alone=True,
        decisive=True,
        required=True,
        cited=True,
        from_others=kind == "data",
        revision=3,
    )


URLS = (
    _url_type("code", "The code is at", priority=20),
    _host_type("code", "The code is on"),
    _url_type("data", "The data are at", priority=10),
    _host_type("data", "The data are on"),
)
