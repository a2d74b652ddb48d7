"""Filled-in checklists as Word documents, one per paper, as journals take them. Needs the extra `docx`.

A table per section of the checklist: item, what it asks, whether it is reported, where, and the answer with its quote. Every
item has a row; authors edit the draft in Word, so nothing is hidden in fields or macros.
"""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

from methodlens.errors import InputError
from methodlens.questions import QuestionSet
from methodlens.records import PaperEntry, Row
from methodlens.reports.checklists.filled_item import (
    NOT_CALIBRATED,
    OWN_QUESTIONS,
    FilledItem,
    checklist_of,
    filled_item,
    full_answer,
)
from methodlens.reports.checklists.form_head import form_head
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.formats.export_format import Exported
from methodlens.reports.output_files import PaperFileNames, atomic_path
from methodlens.text.printable import one_line

_SUFFIX = ".docx"
_WIDTHS = (1.4, 6.4, 2.0, 2.4, 12.5)  # cm of the columns, on a sheet of A4 in landscape
_LONGEST_TITLE = 255  # characters that the properties of a document take
_SHEET, _MARGIN = (29.7, 21.0), 2.5  # cm


class WordForms:
    name = "docx"
    suffix = ""
    description = "a folder with a filled-in checklist per paper, as Word documents"

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        """`path` is a folder, or a .docx file if the run has one paper."""
        if find_spec("docx") is None:
            raise InputError("Word forms need the extra 'docx'", "pip install 'methodlens[docx]'")
        into_file, names = path.suffix.lower() == _SUFFIX, PaperFileNames("checklist")
        cells = papers = 0
        for paper, paper_rows in deciding_rows(rows):
            if into_file and papers:
                raise InputError(f"{path.name} takes one form, and the run has more papers", "give a folder with --to")
            with atomic_path(path if into_file else path / f"{names.of(paper.name)}{_SUFFIX}") as draft:
                _document(paper, paper_rows).save(str(draft))
            cells, papers = cells + len(paper_rows), papers + 1
        return Exported(cells, lines=f"{papers} Word form{'' if papers == 1 else 's'}")


def _document(paper: PaperEntry, rows: Sequence[Row]) -> Any:
    """The form of one paper."""
    from docx import Document
    from docx.enum.section import WD_ORIENT
    from docx.shared import Cm

    checklist, items = checklist_of(rows) or OWN_QUESTIONS, [filled_item(row) for row in rows]
    head = form_head(paper, checklist, items)
    document = Document()
    document.core_properties.author = "methodlens"
    document.core_properties.title = head.title[:_LONGEST_TITLE]
    document.core_properties.comments = ""  # the template's names the library
    (sheet,) = document.sections
    sheet.orientation = WD_ORIENT.LANDSCAPE
    sheet.page_width, sheet.page_height = map(Cm, _SHEET)
    sheet.left_margin = sheet.right_margin = Cm(_MARGIN)
    document.add_heading(head.title, 1)
    for line in head.lines:
        document.add_paragraph(line)
    if not head.calibrated:
        document.add_paragraph().add_run(NOT_CALIBRATED.replace("*", "")).bold = True
    for group, members in groupby(items, key=lambda item: item.question.group):
        if group:
            document.add_heading(one_line(group), 2)
        _add_table(document, checklist, list(members))
    return document


def _add_table(document: Any, checklist: QuestionSet, items: Sequence[FilledItem]) -> None:
    from docx.shared import Cm

    table = document.add_table(rows=1 + len(items), cols=len(_WIDTHS), style="Table Grid")
    table.autofit = False
    for column, width in zip(table.columns, _WIDTHS, strict=True):
        column.width = Cm(width)
    heading, *lines = table.rows
    _repeat_on_each_page(heading)
    for line, texts in zip((heading, *lines), (_headings(checklist), *map(_texts, items)), strict=True):
        for cell, text, width in zip(line.cells, texts, _WIDTHS, strict=True):
            cell.width = Cm(width)
            cell.text = text
            cell.paragraphs[0].runs[0].bold = line is heading
    document.add_paragraph()


def _headings(checklist: QuestionSet) -> tuple[str, ...]:
    return "Item", "What it asks", "Reported", checklist.location, "Answer and quote"


def _texts(item: FilledItem) -> tuple[str, ...]:
    reported = item.reported == "yes"
    asked = item.title if item.title == one_line(item.question.text) else f"{item.title}: {one_line(item.question.text)}"
    quote = f"\n“{item.quote}”" if reported and item.quote else ""
    return item.item, asked, item.reported, item.page_list if reported else "", f"{full_answer(item)}{quote}"


def _repeat_on_each_page(row: Any) -> None:
    """python-docx has no property for it."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
