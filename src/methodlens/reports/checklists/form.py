"""A checklist filled in for each paper, in the shape that its publishers use: a draft for the authors to check."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from methodlens.questions import QuestionSet
from methodlens.questions.question_set import FormLayout
from methodlens.records import PaperEntry, Row
from methodlens.reports.checklists.filled_item import (
    NOT_CALIBRATED,
    OWN_QUESTIONS,
    UNCLEAR,
    FilledItem,
    checklist_of,
    filled_item,
    full_answer,
)
from methodlens.reports.checklists.form_head import FormHead, form_head
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
    checklist, items = checklist_of(rows) or OWN_QUESTIONS, [filled_item(row) for row in rows]
    yield from _head(form_head(paper, checklist, items))
    for group, members in groupby(items, key=lambda item: item.question.group):
        yield ""
        if group:
            yield f"## {escaped(group)}\n"
        yield from _LAYOUTS[checklist.layout](list(members), checklist)


def _head(head: FormHead) -> Iterator[str]:
    yield f"# {escaped(head.title)}\n"
    yield "  \n".join(map(escaped, head.lines))
    if not head.calibrated:
        yield NOT_CALIBRATED


def _table(items: Sequence[FilledItem], checklist: QuestionSet) -> Iterator[str]:
    yield from table_head(("Item", "Topic", checklist.location, "Reported", "Answer", "Quote"))
    for item in items:
        where = item.page_list if item.reported == "yes" else ""
        yield table_row((item.item, item.title, where, item.reported, full_answer(item), item.quote))


def _questions(items: Sequence[FilledItem], _: QuestionSet) -> Iterator[str]:
    for item in items:
        yield f"**{escaped(item.item)}. {escaped(item.title)}**\n"
        yield f"- Question: {escaped(item.question.text)}"
        yield f"- Answer: {_ANSWERS[item.reported]}"
        yield f"- Justification: {escaped(full_answer(item))}{_quoted(item)}\n"


def _fields(items: Sequence[FilledItem], _: QuestionSet) -> Iterator[str]:
    for item in items:
        yield f"**{escaped(item.title)}** ({escaped(item.item)}): {escaped(full_answer(item))}{_quoted(item)}\n"


def _quoted(item: FilledItem) -> str:
    if not item.quote or item.reported != "yes":
        return ""
    return f" “{escaped(item.quote)}”" + (f" (p. {item.page_list})" if item.pages else "")


_LAYOUTS = {FormLayout.TABLE: _table, FormLayout.QUESTIONS: _questions, FormLayout.FIELDS: _fields}
