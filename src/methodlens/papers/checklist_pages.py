"""Finds a checklist that the authors filled in and appended: it says that something is reported, and does not report it.

Two shapes: items that are answered with [Yes], [No] or [N/A] or a section, as conferences ask for; and a journal's table of items
and pages.
"""

import re
from collections.abc import Iterator

from methodlens.records import Paper

_ANSWER = re.compile(
    r"\[ ?(?:yes|no|n/?a|not applicable|todo) ?\]|\banswer ?: ?\[?(?:yes|no|n/?a)\b|\(yes(?:/partial)?/no(?:/n/?a)?\)"
    r"|\b[a-e][1-6]\. (?:did|do|have|was|were) (?:you|the|your|any)\b",
    re.IGNORECASE,
)
_FEWEST = 4  # answers: a questionnaire in an appendix may have a few
_LARGEST_GAP = 6000  # characters between answers: guidelines may be printed below each
_LOOK_BACK = 4000  # characters from the first answer to the heading: instructions may be printed below it
_HEADING = re.compile(r"^[^\n]{0,60}\bchecklist\b[^\n]{0,20}$", re.IGNORECASE | re.MULTILINE)
_TABLE_HEAD = re.compile(
    r"reported (?:on|in) (?:page|section)|location where|checklist item|item (?:no\b|number|#)|page (?:number|no\b|#)"
    r"|page ?/ ?line",
    re.IGNORECASE,
)
_TOP_OF_PAGE = 400
_LABEL = re.compile(r"(?<![\w.])\d{1,2}[.)] ")  # "1. Claims", before "Question:"
_LONGEST_LABEL = 120


def checklist_spans(paper: Paper) -> list[tuple[int, int]]:
    """The spans of the text that are a filled-in checklist, in order."""
    return sorted([*_answered_items(paper), *_tables(paper)])


def checklist_pages(paper: Paper) -> list[int]:
    """The pages that hold one."""
    spans = checklist_spans(paper)
    return sorted({line.page for line in paper.lines for start, end in spans if start <= line.start < end})


def _answered_items(paper: Paper) -> Iterator[tuple[int, int]]:
    text = paper.text
    cluster: list[re.Match[str]] = []
    for match in [*_ANSWER.finditer(text), None]:
        if match and (not cluster or match.start() - cluster[-1].end() <= _LARGEST_GAP):
            cluster.append(match)
            continue
        if len(cluster) >= _FEWEST:
            yield _start(text, cluster[0].start()), _end(paper, cluster[-1].end())
        cluster = [match] if match else []


def _start(text: str, first: int) -> int:
    """The heading of the checklist, or its first item. A line will not do: text of the page before may run on into it."""
    begin = max(0, first - _LOOK_BACK)
    headings = [begin + match.start() for match in _HEADING.finditer(text[begin:first])]
    if headings:
        return headings[-1]
    question = text.rfind("Question:", begin, first)
    if question < 0:
        return text.rfind("\n", begin, first) + 1 or begin
    label = max((match.start() for match in _LABEL.finditer(text[max(begin, question - _LONGEST_LABEL) : question])), default=-1)
    return question if label < 0 else max(begin, question - _LONGEST_LABEL) + label


def _end(paper: Paper, last: int) -> int:
    """Where the next section begins, or the paper ends."""
    return min((section.start for section in paper.sections if section.start > last), default=len(paper.text))


def _tables(paper: Paper) -> Iterator[tuple[int, int]]:
    pages: dict[int, tuple[int, int]] = {}
    for line in paper.lines:
        start, end = pages.get(line.page, (line.start, line.end))
        pages[line.page] = (min(start, line.start), max(end, line.end))
    for start, end in pages.values():
        top = paper.text[start : min(end, start + _TOP_OF_PAGE)]
        if "checklist" in top.lower() and len({match[0].lower() for match in _TABLE_HEAD.finditer(top)}) >= 2:
            yield start, end
