"""What a run took: seconds, tokens, cost and energy, per reader, per paper and reader, or per call (`Ledger.calls`)."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from methodlens.ledger.calls import Call, Outcome
from methodlens.ledger.store import Ledger, Run

_JOULES_PER_WATT_HOUR = 3600
_HEAD = ("reader", "calls", "failed", "unknown", "requests", "tokens in", "tokens out", "seconds", "cost", "Wh")


class Account(Struct, frozen=True):
    """The calls of one reader, on one paper or on all papers (`paper` is empty).

    Each call is `answered`, `failed` or `unknown` (in progress, abandoned, lost to a kill, or damaged in the ledger: its cost
    is unknown). `cost` and `watt_hours` are None without a price or power; `estimated`: some token counts are estimates.
    """

    reader: str
    paper: str = ""
    calls: int = 0
    answered: int = 0
    failed: int = 0
    unknown: int = 0
    requests: int = 0
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    watt_hours: float | None = None
    estimated: bool = False


def by_reader(ledger: Ledger, run: Run) -> Sequence[Account]:
    """In the order of the run's readers."""
    accounts = _add_up(ledger.calls(run.id), lambda call: (call.reader, ""))
    return sorted(accounts, key=lambda account: run.readers.index(account.reader) if account.reader in run.readers else -1)


def by_paper(ledger: Ledger, run: Run) -> Sequence[Account]:
    """Per paper and reader, in the order of their first calls."""
    return _add_up(ledger.calls(run.id), lambda call: (call.reader, call.paper))


def table(accounts: Sequence[Account]) -> list[tuple[str, ...]]:
    """As text, headings first."""
    return [_HEAD, *map(_row, accounts)]


def _add_up(calls: Iterable[Call], of: Callable[[Call], tuple[str, str]]) -> Sequence[Account]:
    accounts: dict[tuple[str, str], Account] = {}
    for call in calls:
        key = of(call)
        accounts[key] = _plus(accounts.get(key) or Account(*key), call)
    return list(accounts.values())


def _plus(account: Account, call: Call) -> Account:
    answered, failed = call.outcome is Outcome.ANSWERED, call.outcome is Outcome.FAILED
    return replace(
        account,
        calls=account.calls + 1,
        answered=account.answered + answered,
        failed=account.failed + failed,
        unknown=account.unknown + (not answered and not failed),
        requests=account.requests + call.requests,
        seconds=account.seconds + call.seconds,
        tokens_in=account.tokens_in + call.tokens_in,
        tokens_out=account.tokens_out + call.tokens_out,
        cost=account.cost if call.cost is None else (account.cost or 0.0) + call.cost,
        watt_hours=account.watt_hours
        if call.joules is None
        else (account.watt_hours or 0.0) + call.joules / _JOULES_PER_WATT_HOUR,
        estimated=account.estimated or call.estimated,
    )


def _row(account: Account) -> tuple[str, ...]:
    approx = "~" if account.estimated else ""
    return (
        account.reader,
        str(account.calls),
        str(account.failed),
        str(account.unknown),
        str(account.requests),
        f"{approx}{account.tokens_in:,}",
        f"{approx}{account.tokens_out:,}",
        f"{account.seconds:.1f}",
        "-" if account.cost is None else f"{approx}{account.cost:.4f}",
        "-" if account.watt_hours is None else f"~{account.watt_hours:.2f}",
    )
