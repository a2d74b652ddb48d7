"""A table in an Excel workbook: a frozen, filtered header, filled row by row, on one sheet or, if it is full, on several."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from methodlens.text.printable import cut, printable

MOST_ROWS = 1_048_576
_MOST_LINKS = 65_000  # Excel drops all of a sheet's links when there are more than 65,530
_LONGEST_LINK = 2_000
_WIDTH = 13  # wide enough for a status
_WIDTHS = {
    **dict.fromkeys(("paper", "reader", "model", "fact", "flags", "sha256", "type", "unit"), 20),
    **dict.fromkeys(("title", "authors", "question_title", "facts", "reason", "value", "details", "source", "column"), 40),
    **dict.fromkeys(("answer", "quotes", "meaning", "in_code", "in_supplement"), 60),
}

Value = str | int | float | None


class WorkbookTable:
    """Call `begin`, then `append` for each row, then `finish`. Strings stay strings, so there are no formulas."""

    def __init__(self, book: Any, name: str, most_rows: int) -> None:
        self._book, self._name, self._most = book, name, most_rows
        self._head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self._body = book.add_format({"text_wrap": True, "valign": "top"})
        self._columns: Sequence[str] = ()
        self._widths: Sequence[int] = ()
        self._fixed = self._top = self._next = self._links = 0
        self.names = [name]
        self._sheet = book.add_worksheet(name)

    def begin(self, columns: Sequence[str], *, note: str = "", fixed: int = 1, widths: Sequence[int] = ()) -> None:
        """Write the header. `note` goes above it; without `widths`, columns are as wide as their names suggest."""
        self._columns, self._fixed = columns, fixed
        self._widths = widths or [_WIDTHS.get(name, _WIDTH) for name in columns]
        if note:
            self._sheet.write_string(0, 0, note)
        self._lay_out(top=1 if note else 0)

    def sheets_for(self, rows: int, *, noted: bool) -> list[str]:
        """The names of the sheets for a number of rows. The first has a note if `noted`, or if there is a second."""
        each = self._most - 1  # one row is the header
        first = each - (noted or rows > each)
        sheets = 1 + math.ceil(max(0, rows - first) / each)
        return [self._sheet_name(number) for number in range(1, sheets + 1)]

    def append(self, values: Sequence[Value], formats: Sequence[Any] = (), *, links: Mapping[int, str] | None = None) -> None:
        if self._next >= self._most:
            self.finish()
            self.names.append(self._sheet_name(len(self.names) + 1))
            self._sheet = self._book.add_worksheet(self.names[-1])
            self._lay_out(top=0)
        for index, value in enumerate(values):
            layout = (formats[index] if formats else None) or self._body
            if isinstance(value, int | float) and math.isfinite(value):
                self._sheet.write_number(self._next, index, value, layout)
                continue
            text, link = cut(printable("" if value is None else str(value))), (links or {}).get(index, "")
            if text and link and len(link) <= _LONGEST_LINK and self._links < _MOST_LINKS:
                self._sheet.write_url(self._next, index, link, layout, string=text)
                self._links += 1
            else:
                self._sheet.write_string(self._next, index, text, layout)
        self._next += 1

    def finish(self) -> None:
        from xlsxwriter.utility import xl_range

        last_row, last_column = max(self._next - 1, self._top + 1), len(self._columns) - 1
        self._sheet.autofilter(self._top, 0, last_row, last_column)
        # a title such as "2048" is a string too; without this, Excel marks it with a green corner
        self._sheet.ignore_errors({"number_stored_as_text": xl_range(0, 0, last_row, last_column)})

    def _lay_out(self, *, top: int) -> None:
        self._top = self._next = top
        self._links = 0
        for index, width in enumerate(self._widths):
            self._sheet.set_column(index, index, width)
        self._sheet.freeze_panes(top + 1, self._fixed)
        self.append(self._columns, [self._head] * len(self._columns))

    def _sheet_name(self, number: int) -> str:
        return self._name if number == 1 else f"{self._name} {number}"
