"""CSV, one line a cell, for spreadsheets and for people. Programs are better served by `jsonl`, which leaves nothing out.

(Not named csv.py, so that nobody has to wonder which csv an import means.)
"""

import csv
import io
import re
from collections.abc import Iterable
from typing import BinaryIO

from methodlens.records import Row
from methodlens.reports.plain import cut, one_line
from methodlens.reports.rows import COLUMNS, table_cells

# What makes Excel or LibreOffice take a text for a formula, the full-width forms for East Asian locales included
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Where the semicolon separates (most of Europe), text after one is a cell of its own, quotes or not
_AFTER_SEMICOLON = re.compile(r'(;"*)(?=[=+\-@＝＋－＠])')


def write(rows: Iterable[Row], out: BinaryIO) -> int:
    """Writes a header and each row as it comes; returns how many rows there were."""
    # With a byte order mark: without one Excel reads the file in the local code page and mangles µ, é and 山.
    # pandas and R skip the mark; Python's csv module wants encoding="utf-8-sig".
    text = io.TextIOWrapper(out, encoding="utf-8-sig", newline="", write_through=True)
    try:
        table = csv.writer(text, quoting=csv.QUOTE_ALL)
        table.writerow(COLUMNS)
        count = 0
        for row in rows:
            table.writerow([harmless(value) for value in table_cells(row)])
            count += 1
        return count
    finally:
        text.detach()  # `out` is the caller's to close


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula: the apostrophe says "this is text", as if typed by hand.

    >>> harmless("=1+1")
    "'=1+1"
    """
    plain = _AFTER_SEMICOLON.sub(r"\1'", one_line(text))
    starts_a_formula = text.startswith(_STARTS) or plain.startswith(_STARTS)
    # Cut here too: what exceeds a cell spills into a new one when Excel opens the file, and could start a formula there
    return cut(f"'{plain}" if starts_a_formula else plain)
