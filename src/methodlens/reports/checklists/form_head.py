"""What every filled-in form says at its top: the paper, the checklist, how much was found, and that it is a draft."""

from collections.abc import Sequence
from typing import NamedTuple

from methodlens._version import __version__
from methodlens.questions import QuestionSet
from methodlens.records import PaperEntry
from methodlens.reports.checklists.filled_item import UNCLEAR, FilledItem
from methodlens.text.printable import one_line


class FormHead(NamedTuple):
    """Plain text: what writes it escapes it."""

    title: str
    lines: Sequence[str]
    calibrated: bool


def form_head(paper: PaperEntry, checklist: QuestionSet, items: Sequence[FilledItem]) -> FormHead:
    counts = {word: sum(item.reported == word for item in items) for word in ("yes", "no", UNCLEAR)}
    lines = [
        f"Paper: {one_line(paper.name)}" + (f", doi:{one_line(paper.doi)}" if paper.doi else ""),
        *([f"Checklist: {one_line(checklist.source)}; questions in the words of methodlens"] if checklist.source else []),
        f"Found: {counts['yes']} of {len(items)} items; not found: {counts['no']}; unclear: {counts[UNCLEAR]}",
        f"Filled in by methodlens {__version__} from the text of the paper. Check every line before you submit it.",
    ]
    title = f"{one_line(checklist.title)}: {one_line(paper.title or paper.name)}"
    return FormHead(title, lines, all(item.calibrated for item in items))
