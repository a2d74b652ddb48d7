"""An appendix after the references belongs to the text of the paper; the references do not."""

from methodlens.papers.layout.headings import sections
from methodlens.records import SectionKind

OWN = (
    "The software with all scripts to repeat the counts of gulls is released under an open licence and available from the "
    "harbour's own server, where we keep it together with the settings of each run."
)
ENTRY = (
    "Brine, A., Cod, B.: How we counted gulls, and what our neighbours made of the counting of gulls at the pier before us. "
    "Journal of Imaginary Harbours 4, 1-9 (2019)"
)


def kinds(text: str) -> list[tuple[SectionKind, str]]:
    found = sections(text, [(0, 10)])
    assert "".join(text[section.start : section.end] for section in found) == text
    return [(section.kind, text[section.start : section.end].strip()) for section in found]


def test_the_authors_prose_after_the_references_is_an_appendix() -> None:
    found = kinds(f"References\n{ENTRY}\nA Software\n{OWN}\n{ENTRY}")
    assert (SectionKind.APPENDIX, OWN) in found
    assert [kind for kind, _ in found] == [SectionKind.REFERENCES, SectionKind.APPENDIX, SectionKind.REFERENCES]


def test_a_cited_title_that_contains_we_stays_a_reference() -> None:
    assert [kind for kind, _ in kinds(f"References\n{ENTRY}\n{ENTRY}")] == [SectionKind.REFERENCES]
