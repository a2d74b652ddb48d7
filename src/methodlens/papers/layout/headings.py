"""Which lines are headings, and which kind of section each starts."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from msgspec.structs import replace

from methodlens.papers.layout.publication_notes import without_notes
from methodlens.records import Section, SectionKind

_NUMBER = re.compile(r"^(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-H])[.)]?(?:\s*[|.]\s*|\s+))")
_NUMBERED = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){1,3}\.?\s*|1?\d[.)]?\s+|[IVX]{1,5}\.\s+|[A-H]\.\d{0,2}\s+)(?:\|\s*)?(?=[A-Z])[^,=]{2,}(?:,|$)"
)
_LETTERED = re.compile(r"^[A-H](?:\.\d{1,2}){0,2}\s+[A-Z][A-Za-z]")  # "A Software"; "A. Smith" is an author
_TOP = re.compile(r"^(1?\d)[.)]?\s+[A-Z|]")
_SUB = re.compile(r"^(1?\d)\.\d")
_ARTICLE = re.compile(r"^(?:the|our|a|an)\s+")
_SENTENCE = re.compile(r"\b(?:is|are|was|were|we|has|have|had|can|been|which|that)\b|https?:|www\.")
_NEW_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")
_MAX_FRONT = 6000  # characters of front matter
_RUN_IN = re.compile(
    r"(?:abstract|summary|acknowledge?ments?|funding"
    r"|(?:data|code|software)(?: and (?:data|code|software))? (?:availability|accessibility)"
    r"|availability(?: of data(?: and materials?)?)?)(?: statement)?\s*[.:—–-]+(?=\s|[A-Z])",
    re.IGNORECASE,
)
_SPACED = re.compile(r"^(?:[A-Za-z] ){3,}[A-Za-z]$")
_OWN_PROSE = re.compile(
    r"\b(?:we|our|this (?:paper|appendix|study|work)) [a-z]+|\b[Tt]he (?:code|software|data(?:set)?s?)\b.{0,200}\bavailable\b"
)
_CITED = re.compile(
    r"\b(?:1[89]|20)\d\d[a-z]?\b|\bet al\b|\b[Ii]n: |\bpp\.|\barxiv\b|^\s*(?:\[\d+\]|\d+\.|•)\s|“[^”]{20,}”", re.IGNORECASE
)
_BACK = (SectionKind.REFERENCES, SectionKind.APPENDIX, SectionKind.ACKNOWLEDGEMENTS, SectionKind.AVAILABILITY)
_MIN_PROSE = 150  # characters: a shorter paragraph may be part of a reference


def is_heading(line: str, *, larger: bool, bold: bool = False) -> bool:
    """Whether a line is short, numbered or named like a section, and does not read like a sentence.

    >>> is_heading("2.3. Model training", larger=False), is_heading("We trained the model on", larger=False)
    (True, False)
    """
    words = line.split()
    if not words or len(line) > 90 or len(words) > 12 or line.endswith((",", ";", "-")):
        return False
    bare = _bare(line)
    if not bare or not _first_letter(line).isupper() or _SENTENCE.search(bare):
        return False
    numbered = bool(_NUMBERED.match(line))
    if kind_of(line) is not None and (line.isupper() or larger or bold or numbered or bare in _whole_words()):
        return numbered or not _NEW_SENTENCE.search(line)
    if numbered and not line.endswith("."):
        # the number of a heading is followed by a few words, that of a table row by more numbers
        return sum(word[0].isdigit() for word in words[1:]) == 0 and (larger or bold or len(words) <= 8)
    return (larger or bold) and bool(_LETTERED.match(line)) and len(words) <= 6


def is_named(line: str) -> bool:
    """Whether the line is just the usual name of a section, such as "3. Results"."""
    return _bare(line) in _whole_words()


def run_in_heading(line: str) -> int:
    """The length of a heading on the same line as its text, as in "Abstract. We studied ..."; else 0."""
    match = _RUN_IN.match(line)
    return match.end() if match and line[0].isupper() else 0


def kind_of(heading: str) -> SectionKind | None:
    """The kind of section that the words of a heading name, or None."""
    bare = _bare(heading)
    for kind, (whole, begins) in _table().items():
        if bare in whole or bare.startswith(begins):
            return kind
    return None


def sections(text: str, headings: Sequence[tuple[int, int]]) -> tuple[Section, ...]:
    """Splits the text at its headings. The part before the first is the front matter."""
    parts: list[Section] = []
    kind, title, start = SectionKind.FRONT, "", 0
    parents: dict[str, SectionKind] = {}
    for begin, end in headings:
        heading = text[begin:end]
        if begin > start:
            parts.append(Section(kind, title, start, begin))
        kind, title, start = _next_kind(kind, heading, parents), heading, begin
        if number := _TOP.match(heading):
            parents.setdefault(number[1], kind)
    if len(text) > start:
        parts.append(Section(kind, title, start, len(text)))
    split = (section for part in parts for section in _split_appendix(_not_all_front(part), text))
    return tuple(part for section in split for part in without_notes(section, text))


def _split_appendix(section: Section, text: str) -> Iterator[Section]:
    """Separates the references from an appendix without a known heading ("A Software"): paragraphs in the authors' own voice
    that cite nothing."""
    if section.kind is not SectionKind.REFERENCES:
        yield section
        return
    begin = section.start
    for match in re.finditer(r"[^\n]+", text[section.start : section.end]):
        paragraph = match[0]
        if len(paragraph) >= _MIN_PROSE and _OWN_PROSE.search(paragraph) and not _CITED.search(paragraph):
            start, end = section.start + match.start(), section.start + match.end()
            if start > begin:
                yield Section(section.kind, section.title, begin, start)
            yield Section(SectionKind.APPENDIX, "", start, end)
            begin = end
    if begin < section.end:
        yield Section(section.kind, section.title, begin, section.end)


def _next_kind(current: SectionKind, heading: str, parents: Mapping[str, SectionKind]) -> SectionKind:
    """The kind that the heading names, unless its position contradicts it; a heading of no known kind continues the section."""
    named = kind_of(heading)
    if current in (SectionKind.REFERENCES, SectionKind.APPENDIX):  # titles of cited works look like headings
        if named in _BACK:
            return named
        return SectionKind.APPENDIX if _LETTERED.match(heading) and len(heading.split()) <= 6 else current
    if current is SectionKind.FRONT and (
        named is None or (named is SectionKind.METHODS and _bare(heading) not in _whole_words())
    ):
        return current  # a title over two lines, an affiliation
    below = _SUB.match(heading)
    parent = parents.get(below[1]) if below else None
    if parent in (SectionKind.RESULTS, SectionKind.DISCUSSION):  # "4.1 Models" in the results is about results
        return parent
    if named is not None:
        return named
    top = _TOP.match(heading) and not below
    return SectionKind.OTHER if current is SectionKind.ABSTRACT or (top and current is SectionKind.INTRODUCTION) else current


def _not_all_front(section: Section) -> Section:
    """A letter without headings is not front matter as a whole."""
    long = section.end - section.start > _MAX_FRONT
    return replace(section, kind=SectionKind.OTHER) if long and section.kind is SectionKind.FRONT else section


def _first_letter(line: str) -> str:
    return next((char for char in line if char.isalpha()), "")


def _bare(heading: str) -> str:
    text = heading.strip(" .:|—–-").replace("’", "'")
    if _SPACED.match(text):
        text = text.replace(" ", "")
    return _ARTICLE.sub("", _NUMBER.sub("", text).strip(" .:|").lower())


@cache
def _whole_words() -> frozenset[str]:
    """Headings that need no special font: their words alone on a line are enough."""
    usual = {*"introduction methods results discussion conclusion conclusions acknowledgements".split(), "materials and methods"}
    table = _table().values()
    return frozenset(usual.union(*(whole for whole, _ in table), *({w for w in begins if " " in w} for _, begins in table)))


@cache
def _table() -> dict[SectionKind, tuple[frozenset[str], tuple[str, ...]]]:
    data = tomllib.loads(files("methodlens.papers.layout").joinpath("headings.toml").read_text(encoding="utf-8"))
    return {
        SectionKind(kind): (frozenset(words.get("whole", ())), tuple(words.get("begins", ()))) for kind, words in data.items()
    }
