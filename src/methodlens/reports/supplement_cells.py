"""What the supplements of a paper say, as report and review room show it. Their text is as untrusted as that of a paper."""

from msgspec import Struct

from methodlens.records import PaperStatus, Status, SupplementCell
from methodlens.reports.formats.export_rows import quote_location
from methodlens.text.printable import one_line, printable


class ShownQuote(Struct, frozen=True):
    text: str
    where: str


class ShownSupplement(Struct, frozen=True):
    """A supplement's part of a cell, as plain text. `status` is None if the question was not asked of it."""

    file: str
    problem: str
    """Why it could not be read; empty if it was."""
    status: Status | None = None
    reason: str = ""
    answer: str = ""
    quotes: tuple[ShownQuote, ...] = ()


def shown_supplement(supplement: SupplementCell) -> ShownSupplement:
    file, cell = one_line(supplement.file), supplement.cell
    if supplement.status is not PaperStatus.OK:
        return ShownSupplement(file, one_line(f"{supplement.status.value.replace('_', ' ')}: {supplement.reason}"))
    if cell is None:
        return ShownSupplement(file, "")
    quotes = tuple(ShownQuote(one_line(quote.quote), one_line(quote_location(quote))) for quote in cell.answer.evidence)
    return ShownSupplement(
        file, "", cell.verdict.status, one_line(cell.verdict.reason), printable(cell.answer.text).strip(), quotes
    )
