"""Links and DOIs, their sites, and whether they lead to code or data."""

import re
from collections.abc import Callable
from functools import cache, lru_cache, partial

import msgspec
from msgspec import Struct

from methodlens.facts.gazetteer import data_file
from methodlens.facts.types import FactType, from_all_quotes, listing
from methodlens.text import sentences

_URL = re.compile(
    r"(?:https?://|www\.)[^\s<>\"“”‘’{}|\\^`]+|(?<![\w./])(?:github|gitlab|bitbucket|zenodo)\.(?:com|org)/[^\s<>\"“”]+", re.I
)
_DOI = re.compile(r"(?<![\w./])10\.\d{4,9}/[^\s<>\"“”{}|\\^`]+")
# a link broken over two lines: it ends in a character that links do not end in, and what follows looks like a part of one
_REST = re.compile(
    r"(?:(?<=[/_=?&-])\s(?=[\w-]*[\d/_-])|(?<=\.)\s(?=[a-z]{2,}(?:\.[a-z]{2,})*/|[a-z\d]*(?:\d[a-z]|[a-z]\d)[a-z\d]*\b))[\w/_.=?&%#~-]+|(?<=//)\s\S+"
)
_CODE = re.compile(
    r"\b(?:codes?|source|scripts?|software|implement\w*|packages?|notebooks?|toolbox|program\w*|libraries|library)\b", re.I
)
_DATA = re.compile(
    r"\b(?:data|data\s?sets?|databases?|images|photos|recordings|corpus|corpora|annotations|samples|archives?|records|"
    r"collections?|occurrences|spectra|measurements|deposit\w*|download\w*)\b",
    re.I,
)
_HOST = re.compile(r"^(?:https?://)?(?:www\.)?([^/:?#]+)", re.I)


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


@lru_cache(maxsize=256)
def links(text: str) -> tuple[Link, ...]:
    """
    >>> [(link.url, link.host) for link in links("Our code is at https://github.com/lab/frogs.")]
    [('https://github.com/lab/frogs', 'GitHub')]
    """
    by_url: dict[str, Link] = {}
    for start, end in sentences(text):
        sentence = text[start:end]
        for url in _urls(sentence):
            if any(mark in url.lower() for mark in _ignored()):
                continue
            site = _site(url)
            link = Link(url, site.name if site else _domain(url), _holds(url, sentence, site))
            known = by_url.get(url)
            by_url[url] = Link(url, link.host, link.holds | known.holds) if known else link
    return tuple(by_url.values())


def urls(kind: str, text: str) -> list[str]:
    """The links that hold `kind`: code or data."""
    return [link.url for link in links(text) if kind in link.holds]


def hosts(kind: str, text: str) -> list[str]:
    """The sites of these links, and those that are only named, in a sentence about code or data."""
    names = [link.host for link in links(text) if kind in link.holds]
    for start, end in sentences(text):
        names += [site.name for site in _named(text[start:end]) if kind in _by_words(text[start:end], site.kind)]
    return list(dict.fromkeys(names))


def _urls(sentence: str) -> list[str]:
    joined = _join(sentence)
    spans = [(match.start(), match[0]) for match in _URL.finditer(joined)]
    covered = [(at, at + len(url)) for at, url in spans]
    spans += [(m.start(), m[0]) for m in _DOI.finditer(joined) if not any(a <= m.start() < b for a, b in covered)]
    return [_trimmed(url) for _, url in sorted(spans)]


def _join(sentence: str) -> str:
    for match in _URL.finditer(sentence):
        rest = _REST.match(sentence, match.end())
        if rest:
            return sentence[: match.end()] + _join(rest[0].lstrip() + sentence[rest.end() :])
    return sentence


def _trimmed(url: str) -> str:
    """Without punctuation that belongs to the sentence; a closing bracket is kept if the link opens it."""
    while url and (
        url[-1] in ".,;:'’*" or (url[-1] in ")]" and url.count(")") + url.count("]") > url.count("(") + url.count("["))
    ):
        url = url[:-1]
    return url


def _holds(url: str, sentence: str, site: _Site | None) -> frozenset[str]:
    own = sentence.replace(url, " ")
    if site is None:
        kinds = _by_words(own, "")
        return frozenset(("data",)) if kinds == {"code", "data"} else kinds
    return _by_words(own, site.kind)


def _by_words(sentence: str, default: str) -> frozenset[str]:
    code, data = bool(_CODE.search(sentence)), bool(_DATA.search(sentence))
    if code or data:
        return frozenset(kind for kind, said in (("code", code), ("data", data)) if said)
    return frozenset((default,)) if default else frozenset()


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
def _named(sentence: str) -> tuple[_Site, ...]:
    return tuple(site for site, search in _sites() if search(sentence))


@cache
def _ignored() -> tuple[str, ...]:
    return (*data_file("hosts")["about_the_paper"], *data_file("hosts")["tools"])


@cache
def _sites() -> list[tuple[_Site, Callable[[str], object]]]:
    sites = msgspec.convert(data_file("hosts")["host"], list[_Site])
    # short names in capitals (OSF, CRAN) must be in capitals
    return [(site, re.compile(rf"\b(?:{site.named})\b", 0 if site.named.isupper() else re.I).search) for site in sites]


def _url_type(kind: str, opening: str, priority: int) -> FactType:
    key = f"{kind}_urls"
    return FactType(
        key=key,
        extract=from_all_quotes(partial(urls, kind)),
        phrase=lambda findings: f"{opening} {listing(findings.values[key])}",
        priority=priority,
        export_empty=True,
        opens_alone=True,
        decisive=True,
        required=True,
    )


def _host_type(kind: str) -> FactType:
    return FactType(key=f"{kind}_hosts", extract=from_all_quotes(partial(hosts, kind)), export_empty=True, decisive=True)


URLS = (
    _url_type("code", "The code is to be found at", priority=20),
    _host_type("code"),
    _url_type("data", "The data are to be found at", priority=10),
    _host_type("data"),
)
