"""All export formats by name: the built-in ones and those of installed plugins.

To add a format, write a class with `name`, `suffix`, `description` and `write(rows, path)`, as `export_format.Format`
describes, or derive from `StreamFormat` and write `stream(rows)`; `jsonl.py` is a short example. Then add the class to
`BUILT_IN` here, or declare it in the pyproject.toml of another package:

    [project.entry-points."methodlens.formats"]
    parquet = "my_package:Parquet"

`methodlens export --format parquet` then works, and the review room offers it as a download.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress

from methodlens import plugins
from methodlens.errors import InputError
from methodlens.reports.checklists.form import ChecklistForm
from methodlens.reports.formats.csv_tables import Csv
from methodlens.reports.formats.export_format import Format
from methodlens.reports.formats.jsonl import JsonLines
from methodlens.reports.formats.transcript_files import Transcripts
from methodlens.reports.formats.xlsx import Xlsx

BUILT_IN: Mapping[str, Callable[[], Format]] = {
    factory.name: factory for factory in (JsonLines, Csv, Xlsx, Transcripts, ChecklistForm)
}


def format_names() -> list[str]:
    """
    >>> format_names()[:4]
    ['jsonl', 'csv', 'xlsx', 'transcripts']
    """
    return [*BUILT_IN, *(name for name in plugins.names("formats") if name not in BUILT_IN)]


def file_formats() -> dict[str, Format]:
    """The formats that write a single file, by name. Plugins that cannot be loaded are skipped.

    >>> list(file_formats())[:3]
    ['jsonl', 'csv', 'xlsx']
    """
    formats: dict[str, Format] = {}
    for name in format_names():
        with suppress(InputError):
            formats[name] = load_format(name)
    return {name: export_format for name, export_format in formats.items() if export_format.suffix}


def load_format(name: str) -> Format:
    if name in BUILT_IN:
        return BUILT_IN[name]()
    export_format: Format | None = plugins.create("formats", name)
    if export_format is None:
        raise InputError(f"there is no export format {name!r}", f"choose one of: {', '.join(format_names())}")
    return export_format
