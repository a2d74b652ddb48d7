"""Notes of the publisher that are printed between parts of the text: how to cite, dates, licence, addresses of the authors.

They are front matter wherever a page has room for them.
"""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from methodlens.records import Section, SectionKind

_NOTE = re.compile(
    r"(?:Suggested )?Citation: |(?:How to )?[Cc]ite this (?:article|paper)|(?:Academic |Handling |Guest )?Editors?: [A-Z]"
    r"|(?:Article history:? )?Received:? (?:\d|[A-Z][a-z]+ \d|in revised)|Copyright:? |© ?(?:The Author|\d{4})"
    r"|(?:[*†‡§#∗] ?)?(?:Correspond(?:ence|ing author)\b.{0,60}[:@]|E-?mail(?: address(?:es)?)?: )"
    r"|Full list of author information|(?:Open Access\.? )?This (?:is an [Oo]pen[- ][Aa]ccess article|article is distributed)"
)
_MOST_BETWEEN, _LONGEST_BETWEEN = 3, 200  # lines and characters: an address between two notes
_EXCEPT = (SectionKind.FRONT, SectionKind.REFERENCES)


def without_notes(section: Section, text: str) -> Iterator[Section]:
    """The section, with the notes in it as front matter. Only its first part keeps the title."""
    if section.kind in _EXCEPT:
        yield section
        return
    begin = section.start
    for start, end in _notes(text, section):
        if start > begin:
            yield replace(section, start=begin, end=start, title=section.title if begin == section.start else "")
        yield Section(SectionKind.FRONT, "", start, end)
        begin = end
    if begin < section.end:
        yield replace(section, start=begin, title=section.title if begin == section.start else "")


def _notes(text: str, section: Section) -> Iterator[tuple[int, int]]:
    """The spans of notes, each with its line end. Short lines between two notes, such as an address, belong to them."""
    lines = [match.span() for match in re.finditer(r"[^\n]+\n?", text[section.start : section.end])]
    noted = [at for at, (start, _) in enumerate(lines) if _NOTE.match(text, section.start + start)]
    while noted:
        first = last = noted.pop(0)
        while noted and _is_address(lines[last + 1 : noted[0]]):
            last = noted.pop(0)
        yield section.start + lines[first][0], section.start + lines[last][1]


def _is_address(lines: list[tuple[int, int]]) -> bool:
    return len(lines) <= _MOST_BETWEEN and all(end - start <= _LONGEST_BETWEEN for start, end in lines)
