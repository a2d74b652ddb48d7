"""Prints the results of a run."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum, auto
from typing import TYPE_CHECKING

import typer

from methodlens.cli import common

if TYPE_CHECKING:
    from methodlens.engine.plan import Plan
    from methodlens.engine.totals import Summary
    from methodlens.evaluation.stability import Stability
    from methodlens.ledger.accounts import Account
    from methodlens.ledger.store import Ledger
    from methodlens.records import PaperEntry
    from methodlens.reports.html.run_report import WrittenReport

_MAX_REASONS = 3
_MAX_NAMED = 10
"""Papers named for each kind of warning."""
_MAX_VERDICTS = 50
"""Papers whose verdicts are printed."""


def print_results(
    plan: "Plan",
    summary: "Summary",
    ledger: "Ledger",
    written: "WrittenReport",
    *,
    started: float,
    as_json: bool,
    verdicts: bool = True,
) -> int:
    """Print the verdicts, the totals and the path of the report; return how many cells failed.

    `started` is when the command began, by `time.monotonic`: the seconds that are printed include planning and the report.
    """
    from methodlens.evaluation.stability import stability_lines
    from methodlens.ledger import accounts
    from methodlens.records import Status

    failed = summary.cells.get(Status.FAILED, 0)
    stability = _stability(plan, ledger)
    spent = accounts.by_reader(ledger, plan.run)
    if as_json:
        where = {"out": str(written.path.parent), "html": str(written.path)} | ({"stability": stability} if stability else {})
        common.print_json({"run": plan.run.id, "summary": summary, "accounts": spent, "seconds": _since(started), **where})
        return failed
    if verdicts:
        _print_verdicts(plan, ledger, written)
    most_frequent = sorted(summary.failures.items(), key=lambda item: -item[1])[:_MAX_REASONS]
    reasons = [f"{common.number(count, 'cell')} failed: {reason}" for reason, count in most_frequent]
    common.echo_lines((*written.notes, *_warnings(plan, ledger), *reasons), err=True)
    repeats = stability_lines(stability, plan.run.repeat) if stability else []
    common.echo_lines((*_totals(summary, started), *repeats, *spending_lines(spent)))
    typer.echo(f"see {written.path}")
    return failed


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)


def _totals(summary: "Summary", started: float) -> "Iterator[str]":
    yield f"papers: {common.counts(summary.papers)}"
    yield f"{common.number(sum(summary.cells.values()), 'cell')}: {common.counts(summary.cells)}"
    yield f"{summary.asked} asked, {summary.kept} kept from before, {_since(started):.1f} s"
    if summary.code:
        unchanged = f", {summary.code_kept} unchanged" if summary.code_kept else ""
        count = common.number(sum(summary.code.values()), "repository", "repositories")
        yield f"{count}: {common.counts(summary.code)}{unchanged}"
    if summary.supplements:
        yield f"{common.number(sum(summary.supplements.values()), 'supplement')}: {common.counts(summary.supplements)}"
    if summary.lost:
        yield f"calls interrupted in an earlier run and made again: {summary.lost}"
    if summary.elsewhere:
        yield f"papers processed by other runs on this ledger: {summary.elsewhere}"
    if summary.pending:
        yield f"pending in batches: {common.number(summary.pending, 'cell')}. Rerun to fetch them; see 'methodlens batches'."
    if summary.left:
        yield f"stopped: {summary.stopped}; {common.number(summary.left, 'cell')} left. Rerun to resume."


def _stability(plan: "Plan", ledger: "Ledger") -> "list[Stability]":
    from methodlens.evaluation.stability import stability

    once = {reader.info.name for reader in plan.readers if reader.info.deterministic}
    return stability(ledger, plan.run, deterministic=once) if plan.run.repeat > 1 else []


def _print_verdicts(plan: "Plan", ledger: "Ledger", written: "WrittenReport") -> None:
    """Only those of the first papers."""
    from rich.console import Console

    from methodlens.ledger.final_words import rows_of_export
    from methodlens.reports import terminal

    screen, rows = Console(highlight=False), rows_of_export(ledger, plan.run)
    if screen.is_terminal:
        ascii_only = not screen.encoding.startswith("utf")
        screen.print(terminal.verdict_table(rows, ascii_only=ascii_only, most=_MAX_VERDICTS))
    else:
        common.echo_lines(terminal.plain_lines(rows, most=_MAX_VERDICTS))
    if written.papers > _MAX_VERDICTS:
        typer.echo(f"... and {written.papers - _MAX_VERDICTS:,} more papers, in the report and in 'methodlens export'")


def spending_lines(accounts: "Sequence[Account]") -> list[str]:
    """A table; nothing if no language model was called."""
    from methodlens.ledger.accounts import table

    if not any(account.requests or account.unknown for account in accounts):
        return []
    rows = table(accounts)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]


class _Warning(IntEnum):
    """Kinds of warnings about papers, in the order in which they are printed."""

    UNREADABLE = auto()
    DUPLICATE = auto()
    HIDDEN = auto()
    NO_DL = auto()


def _warnings(plan: "Plan", ledger: "Ledger") -> "Iterator[str]":
    """At most a few lines of each kind."""
    from methodlens.ledger import recalibrations, run_rows
    from methodlens.papers import Metadata
    from methodlens.questions import is_calibrated

    refits = recalibrations.current(ledger, plan.run)
    uncalibrated = sum(not is_calibrated(refits.question(question)) for question in plan.run.questions)
    if uncalibrated:
        which = common.number(uncalibrated, "question is", "questions are")
        yield f"{which} not calibrated: how often the answers are right was not measured; check them"
    yield from (f"skipped {line}" for line in plan.skipped[:_MAX_NAMED])
    if len(plan.skipped) > _MAX_NAMED:
        yield f"... and {len(plan.skipped) - _MAX_NAMED:,} more skipped"
    lines: dict[_Warning, list[str]] = {}
    counts: Counter[_Warning] = Counter()
    for entry, _ in run_rows.entries(ledger, plan.run):
        for kind, line in _paper_warnings(entry):
            counts[kind] += 1
            if counts[kind] <= _MAX_NAMED:
                lines.setdefault(kind, []).append(line)
    yield from _code_warnings(plan, ledger)
    yield from _supplement_warnings(plan, ledger)
    for kind in sorted(lines):
        yield from lines[kind]
        if counts[kind] > _MAX_NAMED:
            yield f"... and {counts[kind] - _MAX_NAMED:,} more like this"
    for sidecar in plan.sidecars:
        entries = (entry for entry, _ in ledger.entries(plan.run))
        papers = ((entry.name, Metadata(entry.title, entry.authors, entry.year, entry.doi)) for entry in entries)
        files = ((each.file.name, Metadata()) for supplements in (plan.supplements or {}).values() for each in supplements)
        unused = sidecar.unused((*papers, *files) if plan.supplements else papers)
        if unused:
            first = f"{', '.join(unused[:3])}{', ...' if len(unused) > 3 else ''}"
            yield f"bibliography entries without a paper: {len(unused)} ({first})"


def _code_warnings(plan: "Plan", ledger: "Ledger") -> "Iterator[str]":
    from methodlens.ledger import repositories
    from methodlens.records.code import RepositoryStatus

    bad = [
        f"{paper}: its code in {repository.location} is {repository.status.value.replace('_', ' ')}: {repository.reason}"
        for paper, repository in repositories.of_run(ledger, plan.run)
        if repository.status is not RepositoryStatus.OK
    ]
    yield from bad[:_MAX_NAMED]
    if len(bad) > _MAX_NAMED:
        yield f"... and {len(bad) - _MAX_NAMED:,} more like this"


def _supplement_warnings(plan: "Plan", ledger: "Ledger") -> "Iterator[str]":
    from methodlens.ledger import supplements
    from methodlens.records import PaperStatus

    bad = [
        f"{paper}: its supplement {file} is {stored.status.value.replace('_', ' ')}: {stored.reason}"
        for (paper, file), stored in supplements.of_run(ledger, plan.run)
        if stored.status is not PaperStatus.OK
    ]
    yield from bad[:_MAX_NAMED]
    if len(bad) > _MAX_NAMED:
        yield f"... and {len(bad) - _MAX_NAMED:,} more like this"


def _paper_warnings(entry: "PaperEntry") -> "Iterator[tuple[_Warning, str]]":
    from methodlens.records import PaperStatus
    from methodlens.verdicts import NO_DL

    if entry.status is not PaperStatus.OK:
        yield _Warning.UNREADABLE, f"{entry.name}: {entry.status.value}: {entry.reason}"
    if entry.duplicate_of:
        yield _Warning.DUPLICATE, f"{entry.name}: same paper as {entry.duplicate_of}"
    if entry.hidden:
        first = f"first on p. {entry.hidden[0].page} ({entry.hidden[0].why})"
        count = common.number(len(entry.hidden), "piece")
        yield _Warning.HIDDEN, f"{entry.name}: {count} of hidden text, {first}; see 'methodlens show'"
    if NO_DL in entry.flags:
        yield _Warning.NO_DL, f"{entry.name}: does not seem to use deep learning itself; its cells are flagged"
