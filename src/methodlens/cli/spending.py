"""The accounts of a run as lines of text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from methodlens.runs.accounts import Account

_HEAD = ("reader", "calls", "failed", "unknown", "requests", "tokens in", "tokens out", "seconds", "cost", "Wh")


def lines(accounts: "Sequence[Account]") -> list[str]:
    """A table where a language model was asked; nothing where all the work was our own."""
    if not any(account.requests or account.unknown for account in accounts):
        return []
    table = [_HEAD, *map(_row, accounts)]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEAD))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))])
        for row in table
    ]


def _row(account: "Account") -> tuple[str, ...]:
    about = "~" if account.estimated else ""
    return (
        account.reader,
        str(account.calls),
        str(account.failed),
        str(account.unknown),
        str(account.requests),
        f"{about}{account.tokens_in:,}",
        f"{about}{account.tokens_out:,}",
        f"{account.seconds:.1f}",
        "-" if account.cost is None else f"{about}{account.cost:.4f}",
        "-" if account.watt_hours is None else f"~{account.watt_hours:.2f}",
    )
