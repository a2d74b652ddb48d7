"""Links as they are printed: found, joined where a line end broke them, and cut where other words were glued to them."""

import re
from functools import lru_cache
from typing import NamedTuple

_END = r"[^\s<>\"“”‘’{}|\\^`]"
_DOMAINS = "com|org|net|edu|gov|io|ai|eu|au|ca|ch|cn|de|dk|fr|jp|kr|nl|uk"
_TOP_DOMAINS = (
    rf"{_DOMAINS}|co|int|info|science|app|dev|ly|gl|ac|at|be|br|cc|cz|es|fi|hk|il|in|it|me|no|nz|pl|pt|ru|se|sg|tw|us|xyz"
)
_URL = re.compile(
    rf"(?:https?://|www\.){_END}+"
    rf"|(?<![\w./@:-])(?:[a-z\d][a-z\d-]{{0,40}}\.){{1,4}}(?:{_TOP_DOMAINS})/{_END}+"  # without http: github.com/lab/newts
    r"|(?<![\w./@:-])[a-z\d][a-z\d-]{0,60}\.(?:github|gitlab)\.io\b",  # newts.github.io
    re.IGNORECASE,
)
_DOI = re.compile(rf"(?<![\w./])10\.\d{{4,9}}/{_END}+")
_LINK = re.compile(f"{_URL.pattern}|{_DOI.pattern}", re.IGNORECASE)

# a link broken over two lines: it ends in a character that links do not end in, or what follows can only be a part of one
_REST = re.compile(
    r"(?:\s(?=[_/]\w)|(?<=[/_=?&-])\s(?=[\d/_]|\w[\w-]{0,80}[\d/_=-]|\w{1,80}\.(?:html?|php|aspx?|zip|git|csv|tar|gz|pdf|json)\b)"
    rf"|(?<=\.)\s(?=(?:[a-z\d-]{{1,40}}\.){{0,4}}(?:{_DOMAINS})\b|[a-z]{{2,}}(?:\.[a-z]{{2,}}){{0,4}}/|[a-z]{{2,40}}\.\d)"
    r"|(?<=\.)\s(?=[a-z\d]{0,40}(?:\d[a-z]|[a-z]\d)[a-z\d]{0,40}\b)"
    rf"|(?<=[a-z\d])\s(?=[a-z\d-]{{1,40}}(?:\.[a-z\d-]{{1,40}}){{0,3}}\.(?:{_DOMAINS})(?:/|\)|$)|(?!and|or|train|test)[a-z\d]{{1,40}}/[\w-]{{0,60}}[\d/_-]))"
    r"[\w/_.=?&%#~-]+"
)
_REST_IN_BRACKETS = re.compile(r"\s[a-z\d][\w./-]{0,80}[-_/][\w./-]{1,80}(?=\))")  # "(https://a.org/lab/Co mplex-nets)"
# after "https://github.com/lab/" comes the name of the repository
_OWNER = re.compile(r"\b(?:github|gitlab)\.com/[\w.-]{1,60}/$", re.IGNORECASE)
_REPOSITORY = re.compile(r"\s(?!(?:and|or|for|in|with|which|where|is|are|under|on)\b)[\w.-]{0,80}\w(?=[.,;)\]]|$)")
_SCHEME = re.compile(r"\bh\s?t\s?t\s?p\s?(s?)\s?:\s?/\s?/\s?(?=\w)", re.IGNORECASE)
_SPACED_LINK = re.compile(
    r"https?://\s?\w{1,60}(?:\s?[./_?=&#~-]\s\w{1,60}|\s[./_?=&#~-]\s?\w{1,60}){2,30}(?:\s\d{1,7}(?=[.)\s]|$))?", re.IGNORECASE
)
_TILDE = re.compile(r"/\s?[„˜∼](?=\w)")  # how some fonts print the ~ of a home page
_GLUED = re.compile(
    r"\((?:accessed|last|retrieved|visited)\b.*$|(?<=[\w/])\.(?:on|in|the|and|we|for|this|which|all|our|it)$", re.IGNORECASE
)


class PrintedLink(NamedTuple):
    start: int
    end: int
    url: str


@lru_cache(maxsize=1024)  # code and data, links and hosts are looked for in the same sentences
def mend_links(text: str) -> str:
    """The text with its links in one piece.

    >>> mend_links("Code: https:// github.com/lab/ newt-calls-2 and https://osf. io/ab12c.")
    'Code: https://github.com/lab/newt-calls-2 and https://osf.io/ab12c.'
    """
    text = _SCHEME.sub(lambda match: f"http{match[1]}://", text)
    text = _TILDE.sub("/~", text)
    text = _SPACED_LINK.sub(lambda match: "".join(match[0].split()) if " " in match[0] else match[0], text)
    parts: list[str] = []
    at = 0
    while match := _LINK.search(text, at):
        end = match.end()
        parts.append(text[at:end])
        bracketed = text[max(0, match.start() - 1)] == "("
        owner = _OWNER.search(match[0])
        while rest := (
            _REST.match(text, end)
            or (bracketed and _REST_IN_BRACKETS.match(text, end))
            or (owner and end == match.end() and _REPOSITORY.match(text, end))
        ):
            parts.append(rest[0].lstrip())
            end = rest.end()
        at = end
    return "".join(parts) + text[at:]


def printed_links(mended: str) -> list[PrintedLink]:
    """The links and DOIs of a text from `mend_links`, in order."""
    links = [(match.start(), match[0]) for match in _URL.finditer(mended)]
    spans = [(at, at + len(url)) for at, url in links]
    links += [(match.start(), match[0]) for match in _DOI.finditer(mended) if not any(a <= match.start() < b for a, b in spans)]
    return [PrintedLink(at, at + len(url), url) for at, printed in sorted(links) if (url := _trimmed(printed))]


def _trimmed(url: str) -> str:
    """Without punctuation and words that belong to the sentence; a closing bracket is kept if the link opens it."""
    url = _GLUED.sub("", url)
    while url and (
        url[-1] in ".,;:'’*([" or (url[-1] in ")]" and url.count(")") + url.count("]") > url.count("(") + url.count("["))
    ):
        url = url[:-1]
    return _GLUED.sub("", url)
