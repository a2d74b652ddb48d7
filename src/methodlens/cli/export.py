"""methodlens export"""

import os
import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from methodlens.records import Row


class Format(StrEnum):
    JSONL = "jsonl"
    CSV = "csv"
    XLSX = "xlsx"
    TRANSCRIPTS = "transcripts"


def command(
    format: Annotated[
        Format, typer.Option("--format", help="jsonl and csv go to stdout unless --to says otherwise.")
    ] = Format.JSONL,
    table: Annotated[
        str, typer.Option("--table", metavar="NAME", help="With csv: answers (a line a cell), facts (a line a fact) or verdicts.")
    ] = "answers",
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="PATH",
            help="File to write; folder for transcripts. [default: stdout, or cells.xlsx / transcripts in --out]",
        ),
    ] = None,
    reader: Annotated[
        list[str] | None, typer.Option("--reader", metavar="NAME", help="Only these readers ('vote' is one).")
    ] = None,
    run: Annotated[
        str, typer.Option("--run", metavar="ID", help="The run, by the first characters of its id. [default: the latest]")
    ] = "",
    vote: common.Vote = "",
    repeats: Annotated[
        bool, typer.Option("--repeats", help="With what readers said when asked again (run --repeat), as NAME#2, NAME#3, ...")
    ] = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Write the cells of a run: JSON Lines (the contract in docs/reference/export.md), CSV, XLSX, or transcripts one file a cell.

    Example: methodlens export --format jsonl --out review > review.jsonl
    """
    from methodlens.ledger import rows as board
    from methodlens.ledger.repeats import repeats_of

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    folder = Path(settings.out)
    with common.open_ledger(settings) as ledger:
        chosen = board.latest(ledger, run)
        again = {name for one in chosen.readers for name in repeats_of(one, chosen.repeat)} if repeats else set()
        unknown = set(reader or ()) - {*chosen.readers, board.VOTE} - again
        if unknown:
            raise InputError(
                f"no reader {', '.join(sorted(unknown))} in this run", f"its readers are: {', '.join(chosen.readers)}"
            )
        found = board.rows(ledger, chosen, vote=vote, repeats=repeats)
        rows = (row for row in found if not reader or row.cell.reader in reader)
        try:
            _write(format, rows, to, folder, table)
        except BrokenPipeError as err:  # whoever reads has had enough: what Python still holds for stdout goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from err
        except OSError as err:
            raise OutputError(
                f"{err.filename or to or folder} cannot be written ({err.strerror})", "choose another path with --to"
            ) from err


def _write(format: Format, rows: "Iterator[Row]", to: Path | None, folder: Path, table: str) -> None:
    from methodlens.reports.formats import csv_tables, jsonl, transcript_files, xlsx
    from methodlens.reports.html.report_links import REPORT
    from methodlens.reports.html.report_split import file_of_paper
    from methodlens.reports.output_files import atomic_path

    chosen = common.one_of(csv_tables.CsvTable, table, "--table")
    if format in (Format.JSONL, Format.CSV):
        stream = jsonl.write if format is Format.JSONL else partial(csv_tables.write, table=chosen)
        if to is None:
            stream(rows, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        with atomic_path(to) as unfinished, unfinished.open("wb") as file:
            count = stream(rows, file)
        where = to
    elif format is Format.XLSX:
        where = to or folder / "cells.xlsx"
        # links are relative: they hold where a report lies beside the workbook
        count, note = xlsx.write(rows, where, report=file_of_paper(where.parent / REPORT))
        if note:
            typer.echo(f"{where.name}: {note}", err=True)
    else:
        where = to or folder / "transcripts"
        count = transcript_files.write(rows, where)
    typer.echo(f"{count} cells written to {where}", err=True)
