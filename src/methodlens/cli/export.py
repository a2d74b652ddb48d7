"""methodlens export"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError, OutputError
from methodlens.system_errors import fix_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from methodlens.records import Row
    from methodlens.reports.formats.export_format import Format


def command(
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="jsonl, csv, xlsx, ris, transcripts (one file per cell), checklist (a form per paper), docx (the same as Word"
            " documents), dome, odmap or neurips (the form of that checklist), annotations (W3C JSON-LD), pdf (annotated copies),"
            " ttl, jsonld or nq (the knowledge graph), parquet (data frames), ro-crate (the review as a zip), or a plugin's.",
        ),
    ] = "jsonl",
    table: Annotated[
        str,
        typer.Option(
            "--table",
            metavar="NAME",
            help="With csv: answers (one line per cell), wide (one line per paper, short answers and facts in columns), facts,"
            " verdicts, checklist (one line per item), papers (one line per paper, with its verdicts as tags) or code (one line"
            " per repository, with its completeness checklist).",
        ),
    ] = "answers",
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="PATH",
            help="Output file; a folder for formats that write several files. [default: stdout for jsonl, csv and checklist,"
            " else a file or folder in --out]",
        ),
    ] = None,
    reader: common.OnlyReaders = None,
    run: common.RunId = "",
    vote: common.OtherVote = "",
    repeats: Annotated[
        bool, typer.Option("--repeats", help="Include the repeated answers of 'run --repeat', as readers NAME#2, NAME#3, ...")
    ] = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Export the cells of a run.

    Writes JSON Lines, CSV, XLSX, transcripts, or a plugin's format. docs/reference/export.md describes the columns. With
    '--reader final' there is one row per paper and question: people's decisions, else the vote's or the reader's.

    Example: methodlens export --format jsonl --out review > review.jsonl
    """
    from methodlens.ledger import final_words, run_rows
    from methodlens.ledger.repeats import repeat_names
    from methodlens.reports.formats.export_format import RunFormat

    chosen_format = _format(format, table)
    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    folder = Path(settings.out)
    with common.open_ledger(settings) as ledger:
        chosen = run_rows.latest(ledger, run)
        repeated = {name for known in chosen.readers for name in repeat_names(known, chosen.repeat)} if repeats else set()
        unknown = set(reader or ()) - {*chosen.readers, run_rows.VOTE, final_words.FINAL} - repeated
        if unknown:
            known = ", ".join((*chosen.readers, final_words.FINAL))
            raise InputError(f"no reader {', '.join(sorted(unknown))} in this run", f"use one of: {known}")
        if isinstance(chosen_format, RunFormat):
            chosen_format = chosen_format.for_run(chosen, ledger, settings)
        if reader == [final_words.FINAL]:
            rows = final_words.final_rows(ledger, chosen, vote=vote)
        else:
            rows = final_words.rows_of_export(ledger, chosen, vote=vote, repeats=repeats)
        try:
            _write(chosen_format, (row for row in rows if not reader or row.cell.reader in reader), to, folder)
        except BrokenPipeError as err:  # such as `| head`: discard what is still buffered for stdout
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from err
        except OSError as err:
            fix = fix_for(err, "choose another path with --to")
            raise OutputError(f"{err.filename or to or folder} cannot be written ({err.strerror})", fix) from err


def _format(name: str, table: str) -> "Format":
    from methodlens.reports.formats.csv_tables import Csv, CsvTable
    from methodlens.reports.formats.format_registry import load_format

    csv_table = common.one_of(CsvTable, table, "--table")
    return Csv(csv_table) if name == Csv.name else load_format(name)


def _write(format: "Format", rows: "Iterator[Row]", to: Path | None, folder: Path) -> None:
    from methodlens.reports.formats.export_format import StreamFormat

    if to is None and isinstance(format, StreamFormat):
        sys.stdout.buffer.writelines(format.stream(rows))
        sys.stdout.buffer.flush()
        return
    path = to or folder / (f"cells{format.suffix}" if format.suffix else format.name)
    exported = format.write(rows, path)
    if exported.note:
        typer.echo(f"{path.name}: {exported.note}", err=True)
    typer.echo(f"{exported.lines or common.number(exported.cells, 'cell')} written to {path}", err=True)
