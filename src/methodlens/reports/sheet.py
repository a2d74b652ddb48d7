"""Annotation sheets for people, CSV or XLSX: a row a cell, the evidence beside it, an empty column for the label.

A blind sheet shows passages and not quotes: a reader quotes only what it calls reported, so quotes would give it away.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from methodlens.reports.files import replacing
from methodlens.reports.table_csv import harmless
from methodlens.text.printable import cut, printable

_COLUMNS = ("number", "paper", "title", "question", "question_text", "passages", "label", "note", "paper_sha256")
_OPEN = ("verdict", "readers", "answer", "quotes")
_WIDTHS = {"number": 7, "question": 9, "label": 10, "paper_sha256": 12, "passages": 80, "answer": 50, "quotes": 50}
_WIDTH = 24


class SheetRow(Struct, frozen=True):
    """What a person needs to decide on a cell; the last four are left out of a blind sheet."""

    paper: str
    paper_sha256: str
    title: str
    question: str
    question_text: str
    passages: str
    verdict: str = ""
    readers: str = ""
    answer: str = ""
    quotes: str = ""


def columns(*, blind: bool) -> tuple[str, ...]:
    return _COLUMNS if blind else (*_COLUMNS[:6], *_OPEN, *_COLUMNS[6:])


def write_csv(rows: Sequence[SheetRow], path: Path, *, blind: bool) -> None:
    with replacing(path) as draft, draft.open("w", encoding="utf-8-sig", newline="") as out:
        table = csv.writer(out, quoting=csv.QUOTE_ALL)
        table.writerow(columns(blind=blind))
        for number, row in enumerate(rows, 1):
            table.writerow([harmless(value) for value in _values(row, number, blind)])


def write_xlsx(rows: Sequence[SheetRow], path: Path, *, blind: bool, words: Sequence[str] = ()) -> None:
    """`words` are offered for the label in a list; others can be typed."""
    import xlsxwriter

    names = columns(blind=blind)
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with replacing(path) as draft, xlsxwriter.Workbook(str(draft), options) as book:
        head = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
        body = book.add_format({"text_wrap": True, "valign": "top"})
        fill_in = book.add_format({"text_wrap": True, "valign": "top", "bg_color": "#FFF7DB"})
        sheet = book.add_worksheet("annotate")
        for index, name in enumerate(names):
            sheet.set_column(index, index, _WIDTHS.get(name, _WIDTH))
            sheet.write_string(0, index, name, head)
        for number, row in enumerate(rows, 1):
            for index, (name, value) in enumerate(zip(names, _values(row, number, blind), strict=True)):
                sheet.write_string(number, index, cut(printable(value)), fill_in if name in ("label", "note") else body)
        sheet.freeze_panes(1, 2)
        if words and rows:
            label = names.index("label")
            validate = {"validate": "list", "source": list(words), "error_type": "information"}
            sheet.data_validation(1, label, len(rows), label, validate)


def _values(row: SheetRow, number: int, blind: bool) -> list[str]:
    known = {"number": str(number), "label": "", "note": ""}
    return [known[name] if name in known else getattr(row, name) for name in columns(blind=blind)]
