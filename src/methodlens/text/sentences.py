"""Split text into sentences, despite "et al.", "Fig. 2", decimals and initials."""

import re

# of several line breaks in a row only the last counts: otherwise each would be followed through the rest of them
_END = re.compile(r"(?<![.!?])[.!?]++[\"”’)\]]*+(?=\s|$)|(?=\n(?![ \t\r\f\v]*+\n))")
_OPENS = re.compile(r"\s{1,1000}[\"“‘(\[]*(?:[A-Z0-9À-Þ]|[^\x00-\x7f])")
_ABBREVIATIONS = frozenset(
    """al approx art assoc avg ca cf ch chap col cv dept dr ed eds e.g eg eq eqs eqn eqns esp est etc ext fig figs i.e ie inc incl
    inst int jr lab ltd max min mr mrs ms mt no nos nr ph.d pers comm pp prof publ ref refs resp sec sect sects sp spp sq ssp
    st subsp supp suppl tab temp univ var viz vol vols vs""".split()
)
_LAST_WORD = re.compile(r"(?:^|[\s(\[“\"/])([^\s(\[“\"/]*)$")

_LONGEST_WORD = 100  # characters; a longer one is neither an abbreviation nor a number


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The spans of the sentences in text[start:end], without the spaces between them.

    A new line ends a sentence, unless the next word is in lower case.

    >>> [text[a:b] for text in ["We used Adam (Kingma et al. 2014). See Fig. 2."] for a, b in sentences(text)]
    ['We used Adam (Kingma et al. 2014).', 'See Fig. 2.']
    """
    end = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    begin = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and not _ends_here(text, begin, match):
            continue
        _append(spans, text, begin, match.end())
        begin = match.end()
    _append(spans, text, begin, end)
    return spans


def _ends_here(text: str, begin: int, match: re.Match[str]) -> bool:
    if not _OPENS.match(text, match.end()):
        return False
    if match[0] != ".":  # a question, an exclamation, a closing bracket, or the end of a paragraph
        return True
    before = _LAST_WORD.search(text, max(begin, match.start() - _LONGEST_WORD), match.start())
    word = before[1] if before else ""
    lower = word.lower()
    if lower == "al":  # "Smith et al. We ..." ends; "Smith et al. 2014" and "et al. (2014)" do not
        return bool(re.match(r"\s+[A-Z][a-z]*\s+[a-z]", text[match.end() : match.end() + 40]))
    opens_with_number = before is not None and before.start(1) <= begin + 1 and word.replace(".", "").isdigit()  # "3.5. Hardware"
    is_initial = len(word) == 1 and word.isalpha() and word.isupper()
    return not (lower in _ABBREVIATIONS or is_initial or opens_with_number)


def _append(spans: list[tuple[int, int]], text: str, begin: int, end: int) -> None:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    if begin < end:
        spans.append((begin, end))
