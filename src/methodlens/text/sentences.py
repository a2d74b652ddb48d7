"""Split text into sentences, despite "et al.", "Fig. 2", decimals and initials."""

import re
from functools import lru_cache

# of several line breaks in a row only the last counts: otherwise each would be followed through the rest of them
_END = re.compile(
    r"(?<![.!?])[.!?]++[\"”’)\]]*+(?:\[\d{1,3}(?:[,–-] ?\d{1,3}){0,9}\])?(?=\s|$)"  # "... as before.[12]"
    r"|(?<=[a-z]{3})\.\d{1,2}(?:,\d{1,2}){0,5}(?=\s[A-Z])"  # the mark of a footnote: "... is available.2 We ..."
    r"|(?=\n(?![ \t\r\f\v]*+\n))"
)
_OPENS = re.compile(r"\s{1,1000}[\"“‘(\[]*(?:[a-z]?[A-Z0-9À-Þ]|[^\x00-\x7f])")
_LAST_WORD = re.compile(r"(?:^|[\s(\[“\"/])([^\s(\[“\"/]*)$")
_LONGEST_WORD = 100  # characters; a longer one is neither an abbreviation nor a number

# never the last word of a sentence
_BEFORE_MORE = frozenset(
    """alg app approx ca cf chap cor def dept dr e.g eg eq eqn eqns eqs esp exp fig figs hon i.e ie incl lem mr mrs mt ph.d prof
    prop rev sect sects ssp subsp supp suppl tab thm viz vs""".split()
)
# an abbreviation before a number, else an ordinary word: "see p. 4", "No. 4"; "The answer is no. We ..."
_BEFORE_NUMBER = frozenset(
    """apr art aug avg ch col dec ed eds est ex feb jan jul jun lab max mar min no nos nov nr oct p pp para pt ref refs sec sep
    sept st temp v var ver vers vol vols""".split()
)
# an abbreviation that may be the last word of a sentence: "nets, hooks, etc. We ..."
_MAY_END = frozenset("al assoc comm cv etc ext inc inst int jr ltd ms pers publ resp sp spp sq univ".split())
_OPENER = re.compile(
    r"\s{1,20}[\"“‘(\[]*(?:A|After|All|Although|An|And|As|At|Because|Before|Both|But|By|During|Each|Finally|First|For|From|He|Hence|Here|"
    r"How|However|I|If|In|It|Its|Most|Next|No|On|One|Once|Our|Since|Such|That|The|Their|Then|There|Therefore|These|They|This|Those|"
    r"Thus|To|Two|Unlike|Using|We|When|Where|Whereas|While|With|You)\b(?![.-])"
)
_NUMBER_NEXT = re.compile(r"\s{1,20}[(\[]?(?:\d|[IVX]{1,5}\b|[A-Z]?\d)")
_NAME_AND_VERB = re.compile(r"\s{1,20}[A-Z][a-z]{0,30}\s{1,20}[a-z]")
_LABEL = re.compile(  # of a caption, a heading or a list item
    r"\s{0,20}(?:(?:Fig(?:ure|\.)?|FIG(?:URE|\.)?|Tab(?:le|\.)|TABLE|Scheme|Algorithm|Box|Plate)\s?[A-Z]?\.?(?:\d{1,3}[a-z]?|[IVX]{1,5})"
    r"|\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-Za-z]))"
)
_OPEN_LINK = re.compile(r"^(?:https?://|www$)|[a-z]/[\w./-]*$")  # it may go on in the next line
_ITEM = re.compile(r"\n[ \t]{0,20}(?:[-*•] |\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)] )")
_LETTERS = re.compile(r"(?:[a-z]\.){1,4}[a-z]")


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The spans of the sentences in text[start:end], without the spaces between them.

    A new line ends a sentence, unless the next word is in lower case and the line before it has no full stop. The label of a
    caption, a heading or a list item is part of its sentence.

    >>> [text[a:b] for text in ["We used Adam (Kingma et al. 2014). See Fig. 2."] for a, b in sentences(text)]
    ['We used Adam (Kingma et al. 2014).', 'See Fig. 2.']
    """
    return list(_spans(text, start, len(text) if end is None else end))


@lru_cache(maxsize=4096)  # the questions to a paper share most of their passages
def _spans(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    begin = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and not _ends_here(text, begin, match):
            continue
        _append(spans, text, begin, match.end())
        begin = match.end()
    _append(spans, text, begin, end)
    return tuple(spans)


def _ends_here(text: str, begin: int, match: re.Match[str]) -> bool:
    if not match[0] and _ITEM.match(text, match.end()):
        return True
    line_ends = text.startswith("\n", match.end())
    if not _OPENS.match(text, match.end()) and not (match[0] and line_ends):
        return False
    if not match[0].startswith(".") or match[0].startswith(".."):  # a question, an exclamation, or the end of a paragraph
        return True
    if not line_ends and _LABEL.fullmatch(text, begin, match.start()):
        return False
    before = _LAST_WORD.search(text, max(begin, match.start() - _LONGEST_WORD), match.start())
    if before and line_ends and _OPEN_LINK.search(before[1]):
        return False
    return len(match[0]) > 1 or not before or not _is_abbreviation(before[1], text, match.end())


def _is_abbreviation(word: str, text: str, at: int) -> bool:
    """Whether the full stop before `at` belongs to the word."""
    lower = word.lower()
    if lower in _BEFORE_MORE:
        return True
    if lower in _BEFORE_NUMBER:
        return bool(_NUMBER_NEXT.match(text, at))
    if lower == "al":  # "Smith et al. Trawls catch ..." ends; "Smith et al. 2014" does not
        return not _OPENER.match(text, at) and not _NAME_AND_VERB.match(text, at)
    is_initial = len(word) == 1 and word.isalpha() and word.isupper()
    return (is_initial or lower in _MAY_END or bool(_LETTERS.fullmatch(lower))) and not _OPENER.match(text, at)


def _append(spans: list[tuple[int, int]], text: str, begin: int, end: int) -> None:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    if begin < end:
        spans.append((begin, end))
