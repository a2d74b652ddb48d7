"""The text of a JATS element: links with their addresses, formulas as plain text."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from methodlens.papers.forms.formulas import formula_text, power
from methodlens.papers.forms.links import with_address

_LINKS = frozenset(("ext-link", "uri", "self-uri", "email", "related-object", "inline-supplementary-material"))
_OMITTED = frozenset(
    ("graphic", "inline-graphic", "media", "object-id", "tex-math", "annotation", "annotation-xml", "processing-meta")
)
_IMAGES = ("graphic", "inline-graphic")
_NOT_TEXT = "[…]"
"""Without it, a sentence would look complete: "a rate of, and"."""
_BREAKS = frozenset(("break", "p", "title", "td", "th", "tr", "list-item", "sec", "disp-formula", "def", "term", "fn", "attrib"))


def inline(element: Element, *, spaced: bool = False, without: frozenset[int] = frozenset()) -> str:
    """`spaced` puts a space between child elements, which element-citation needs; `without` are ids of children to leave out."""
    return " ".join("".join(_pieces(element, spaced, without)).split())


def plain(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _pieces(element: Element, spaced: bool, without: frozenset[int] = frozenset()) -> Iterator[str]:
    yield element.text or ""
    before = (element.text or "")[-1:]
    for child in element:
        if id(child) not in without:
            text = _child(child, spaced, before)
            if spaced or child.tag in _BREAKS:
                text = f" {text} "
            yield text
            before = text[-1:] or before
        yield child.tail or ""
        before = (child.tail or "")[-1:] or before


def _child(child: Element, spaced: bool, before: str) -> str:
    if child.tag in _OMITTED:
        return ""
    if child.tag in ("alternatives", "inline-formula", "disp-formula") and (formula := _formula(child)):
        return formula
    text = "".join(_pieces(child, spaced))
    if child.tag in _LINKS:
        return with_address(text, child.get("href", ""))
    if child.tag == "sup":
        return power(before, text)
    return text


def _formula(element: Element) -> str:
    """Of the alternatives, MathML; else LaTeX; else a mark in place of the image, with the number of the formula."""
    if element.find(".//math") is not None:
        return ""
    if (tex := element.find(".//tex-math")) is not None:
        return formula_text("".join(tex.itertext()))
    label = element.find("label")
    number = plain(label) if label is not None else ""
    if element.tag == "alternatives" or plain(element) != number or not any(part.tag in _IMAGES for part in element.iter()):
        return ""
    return f"{_NOT_TEXT} {number}".rstrip()
