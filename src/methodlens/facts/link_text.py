"""Links as they are printed: found, joined where a line end broke them, and cut where other words were glued to them."""

import re
from typing import NamedTuple

_END = r"[^\s<>\"“”‘’{}|\\^`]"
_TOP_DOMAINS = (
    "com|org|net|edu|gov|io|co|ai|int|eu|info|science|app|dev|ly|gl|ac|be|br|ca|ch|cn|de|dk|es|fr|it|jp|kr|nl|no|se|uk|us"
)
_URL = re.compile(
    rf"(?:https?://|www\.){_END}+"
    rf"|(?<![\w./@:-])(?:[a-z\d][a-z\d-]{{0,40}}\.){{1,4}}(?:{_TOP_DOMAINS})/{_END}+",  # without http: github.com/lab/newts
    re.IGNORECASE,
)
_DOI = re.compile(rf"(?<![\w./])10\.\d{{4,9}}/{_END}+")

# a link broken over two lines: it ends in a character that links do not end in, and what follows looks like a part of one
_REST = re.compile(
    r"(?:(?<=[/_=?&-])\s(?=[\d/_]|\w[\w-]{0,80}[\d/_-]|\w{1,80}\.(?:html?|php|aspx?|zip|git|csv|tar|gz|pdf|json)\b)"
    r"|(?<=\.)\s(?=[a-z]{2,}(?:\.[a-z]{2,}){0,4}/|[a-z\d]{0,40}(?:\d[a-z]|[a-z]\d)[a-z\d]{0,40}\b))[\w/_.=?&%#~-]+"
)
_SCHEME = re.compile(r"\bh\s?ttp\s?(s?)\s?:\s?/\s?/\s?(?=\w)", re.IGNORECASE)
_SPACED_LINK = re.compile(r"https?://\s?\w{1,60}(?:\s?[./_?=&#~-]\s\w{1,60}|\s[./_?=&#~-]\s?\w{1,60}){2,30}", re.IGNORECASE)
_TILDE = re.compile(r"/\s?[„˜∼](?=\w)")  # how some fonts print the ~ of a home page
_GLUED = re.compile(
    r"\((?:accessed|last|retrieved|visited)\b.*$|(?<=[\w/])\.(?:on|in|the|and|we|for|this|which|all|our|it)$", re.IGNORECASE
)


class PrintedLink(NamedTuple):
    start: int
    end: int
    url: str


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
    while match := _URL.search(text, at):
        end = match.end()
        parts.append(text[at:end])
        while rest := _REST.match(text, end):
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
