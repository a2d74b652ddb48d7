"""A checklist filled in for each paper, in the shape that its publishers use: a draft for the authors to check."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from methodlens._version import __version__
from methodlens.questions import QuestionSet
from methodlens.questions.question_set import FormLayout
from methodlens.records import PaperEntry, Row
from methodlens.reports.checklists.filled_item import (
    NOT_CALIBRATED,
    UNCLEAR,
    FilledItem,
    checklist_of,
    filled_item,
)
from methodlens.reports.checklists.markdown import escaped, table_head, table_row
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.formats.export_format import StreamFormat
from methodlens.reports.formats.export_rows import calibrated_word

CSV_COLUMNS = (
    "paper",
    "section",
    "item",
    "title",
    "question",
    "reported",
    "page",
    "answer",
    "quote",
    "calibrated",
    "question_id",
)
_ANSWERS = {"yes": "[Yes]", "no": "[No]", UNCLEAR: "[TODO]"}
_OWN = QuestionSet("questions", "Questions", "", ())
_NOT_FOUND = "Not found in the paper."


class ChecklistForm(StreamFormat):
    name = "checklist"
    suffix = ".md"
    description = "a filled-in checklist per paper, as Markdown"

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        for paper, paper_rows in deciding_rows(rows):
            yield "\n".join(form_lines(paper, paper_rows)).encode("utf-8", "replace") + b"\n\n"


def csv_lines(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    """One line per paper and item, with the columns of CSV_COLUMNS."""
    yield CSV_COLUMNS
    for paper, paper_rows in deciding_rows(rows):
        for item in map(filled_item, paper_rows):
            about = (paper.name, item.question.group, item.item, item.title, item.question.text)
            calibrated = calibrated_word(item.question)
            yield *about, item.reported, item.page_list, item.answer, item.quote, calibrated, item.question.id


def form_lines(paper: PaperEntry, rows: Sequence[Row]) -> Iterator[str]:
    """The form of one paper."""
    checklist, items = checklist_of(rows) or _OWN, [filled_item(row) for row in rows]
    yield from _head(paper, checklist, items)
    for group, members in groupby(items, key=lambda item: item.question.group):
        yield ""
        if group:
            yield f"## {escaped(group)}\n"
        yield from _LAYOUTS[checklist.layout](list(members), checklist)


def _head(paper: PaperEntry, checklist: QuestionSet, items: Sequence[FilledItem]) -> Iterator[str]:
    counts = {word: sum(item.reported == word for item in items) for word in ("yes", "no", UNCLEAR)}
    yield f"# {escaped(checklist.title)}: {escaped(paper.title or paper.name)}\n"
    yield f"Paper: {escaped(paper.name)}" + (f", doi:{escaped(paper.doi)}" if paper.doi else "") + "  "
    if checklist.source:
        yield f"Checklist: {escaped(checklist.source)}; questions in the words of methodlens  "
    yield f"Found: {counts['yes']} of {len(items)} items; not found: {counts['no']}; unclear: {counts[UNCLEAR]}  "
    yield f"Filled in by methodlens {__version__} from the text of the paper. Check every line before you submit it."
    if not all(item.calibrated for item in items):
        yield NOT_CALIBRATED


def _table(items: Sequence[FilledItem], checklist: QuestionSet) -> Iterator[str]:
    yield from table_head(("Item", "Topic", checklist.location, "Reported", "Answer", "Quote"))
    for item in items:
        where = item.page_list if item.reported == "yes" else ""
        yield table_row((item.item, item.title, where, item.reported, _answer(item), item.quote))


def _questions(items: Sequence[FilledItem], _: QuestionSet) -> Iterator[str]:
    for item in items:
        yield f"**{escaped(item.item)}. {escaped(item.title)}**\n"
        yield f"- Question: {escaped(item.question.text)}"
        yield f"- Answer: {_ANSWERS[item.reported]}"
        yield f"- Justification: {escaped(_answer(item))}{_quoted(item)}\n"


def _fields(items: Sequence[FilledItem], _: QuestionSet) -> Iterator[str]:
    for item in items:
        yield f"**{escaped(item.title)}** ({escaped(item.item)}): {escaped(_answer(item))}{_quoted(item)}\n"


def _answer(item: FilledItem) -> str:
    if item.reported == "yes":
        return item.answer
    if item.reported == "no":
        return _NOT_FOUND
    closest = f" The closest passage is on p. {item.page_list}." if item.pages else ""
    return f"Unclear{f' ({item.reason})' if item.reason else ''}.{closest}"


def _quoted(item: FilledItem) -> str:
    if not item.quote or item.reported != "yes":
        return ""
    return f" “{escaped(item.quote)}”" + (f" (p. {item.page_list})" if item.pages else "")


_LAYOUTS = {FormLayout.TABLE: _table, FormLayout.QUESTIONS: _questions, FormLayout.FIELDS: _fields}
