"""All export formats by name: the built-in ones and those of installed plugins.

To add a format, write a class with `name`, `suffix`, `description` and `write(rows, path)`, as `export_format.Format`
describes, or derive from `StreamFormat` and write `stream(rows)`; `jsonl.py` is a short example. Then add the class to
`BUILT_IN` here, or declare it in the pyproject.toml of another package:

    [project.entry-points."methodlens.formats"]
    odt = "my_package:OpenDocument"

`methodlens export --format odt` then works, and the review room offers it as a download.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress

from methodlens import plugins
from methodlens.errors import InputError
from methodlens.reports.checklists.form import ChecklistForm
from methodlens.reports.checklists.registry_forms import DomeRegistry, NeuripsChecklist, OdmapTables
from methodlens.reports.checklists.word_forms import WordForms
from methodlens.reports.crate.crate_format import RoCrate
from methodlens.reports.formats.csv_tables import Csv
from methodlens.reports.formats.export_format import Format
from methodlens.reports.formats.jsonl import JsonLines
from methodlens.reports.formats.parquet import Parquet
from methodlens.reports.formats.references import Ris
from methodlens.reports.formats.transcript_files import Transcripts
from methodlens.reports.formats.web_annotations import WebAnnotations
from methodlens.reports.formats.xlsx import Xlsx
from methodlens.reports.graph.graph_formats import JsonLd, NQuads, Turtle
from methodlens.reports.pdf.annotated_pdfs import AnnotatedPdfs

OF_A_CHECKLIST = (DomeRegistry, OdmapTables, NeuripsChecklist)
"""Only for runs that ask the questions of one checklist."""
BUILT_IN: Mapping[str, Callable[[], Format]] = {
    factory.name: factory
    for factory in (
        *(JsonLines, Csv, Xlsx, Transcripts, ChecklistForm, WordForms, AnnotatedPdfs, WebAnnotations, Ris),
        *(Turtle, JsonLd, NQuads, Parquet, RoCrate),
        *OF_A_CHECKLIST,
    )
}


def format_names() -> list[str]:
    """
    >>> format_names()[:4]
    ['jsonl', 'csv', 'xlsx', 'transcripts']
    """
    return [*BUILT_IN, *(name for name in plugins.names("formats") if name not in BUILT_IN)]


def file_formats() -> dict[str, Format]:
    """The formats that write a single file, of any run, by name. Plugins that cannot be loaded are skipped.

    >>> list(file_formats())[:3]
    ['jsonl', 'csv', 'xlsx']
    """
    formats: dict[str, Format] = {}
    for name in format_names():
        with suppress(InputError):
            formats[name] = load_format(name)
    for factory in OF_A_CHECKLIST:
        del formats[factory.name]
    return {name: export_format for name, export_format in formats.items() if export_format.suffix}


def load_format(name: str) -> Format:
    if name in BUILT_IN:
        return BUILT_IN[name]()
    export_format: Format | None = plugins.create("formats", name)
    if export_format is None:
        raise InputError(f"there is no export format {name!r}", f"choose one of: {', '.join(format_names())}")
    return export_format
