"""The accounts of a run as lines of text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from methodlens.ledger.accounts import Account


def lines(accounts: "Sequence[Account]") -> list[str]:
    """A table where a language model was asked; nothing where all the work was our own."""
    from methodlens.ledger.accounts import table

    if not any(account.requests or account.unknown for account in accounts):
        return []
    rows = table(accounts)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]
