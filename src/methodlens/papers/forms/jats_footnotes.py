"""Footnotes of a JATS article: the file has them at its end, mostly after the references; print has them below their sentence."""

from xml.etree.ElementTree import Element

from methodlens.papers.forms.jats_statements import is_statement
from methodlens.papers.forms.jats_text import plain


def place_footnotes(article: Element) -> None:
    """Moves each footnote that a paragraph of the body refers to behind that paragraph, with its number."""
    body, back = article.find("body"), article.find("back")
    if body is None or back is None:
        return
    groups = list(back.iter("fn-group"))
    notes = {note.get("id", ""): note for group in groups for note in group if note.tag == "fn" and not is_statement(note)}
    notes.pop("", None)
    placed: set[int] = set()
    for parent in list(body.iter()) if notes else ():
        if not any(child.tag == "p" for child in parent):
            continue
        children: list[Element] = []
        for child in parent:
            children.append(child)
            for number in _referred(child) if child.tag == "p" else ():
                note = notes.pop(number, None)
                if note is not None:
                    placed.add(id(note))
                    children.append(_as_paragraph(note))
        parent[:] = children
    for group in groups if placed else ():
        group[:] = [note for note in group if id(note) not in placed]


def _referred(paragraph: Element) -> list[str]:
    return [number for each in paragraph.iter("xref") if each.get("ref-type") == "fn" for number in each.get("rid", "").split()]


def _as_paragraph(note: Element) -> Element:
    label = note.find("label")
    paragraph = Element("p")
    paragraph.text = f"{plain(label)} " if label is not None else ""
    paragraph.extend([part for part in note if part.tag == "p"])
    return paragraph
