"""The export format `ro-crate`: tables, graph, report and questions of a review in one zip that describes itself."""

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from methodlens.ledger.store import Ledger, Run
from methodlens.records import Row, SourceKind
from methodlens.reports.crate.crate_metadata import METADATA, CrateFile, ReviewInfo, crate_metadata
from methodlens.reports.formats.csv_tables import encode_lines
from methodlens.reports.formats.export_format import Exported
from methodlens.reports.formats.export_rows import COLUMNS, FACT_COLUMNS, export_object, fact_cells, paper_object, table_cells
from methodlens.reports.formats.jsonl import encode_line
from methodlens.reports.graph.graph_formats import Turtle, data_files
from methodlens.reports.html import run_report
from methodlens.reports.html.report_links import REPORT
from methodlens.reports.output_files import atomic_path, scratch_folder
from methodlens.settings import Settings

_PAPER_COLUMNS = ("name", "title", "authors", "year", "doi", "status", "reason", "pages", "flags", "duplicate_of", "sha256")
_DESCRIPTIONS = {
    "cells.jsonl": "Every answer with everything that is known about it, one JSON object per line",
    "cells.csv": "One line per answer, for spreadsheets",
    "facts.csv": "One line per typed value, such as a GPU or a learning rate",
    "papers.csv": "One line per paper",
    "graph.ttl": "The same as a knowledge graph in RDF",
    "questions.json": "The questions that were asked",
    "ontology.ttl": "The terms of the graph that no public vocabulary has",
    "shapes.ttl": "SHACL shapes that the graph conforms to",
    "dlprov-alignment.ttl": "Alignment of the graph's terms with those of dlprov",
    "question.rq": "SPARQL: the answers to one question",
}


class RoCrate:
    """Needs the extra `graph`. Rows that come from no ledger have neither a report nor a list of questions."""

    name = "ro-crate"
    suffix = ".ro-crate.zip"
    description = "the whole review as one zip that describes itself (RO-Crate)"

    def __init__(self, ledger: Ledger | None = None, run: Run | None = None) -> None:
        self._graph: Turtle = Turtle()
        self._ledger, self._run = ledger, run

    def for_run(self, run: Run, ledger: Ledger, settings: Settings) -> "RoCrate":
        bound = RoCrate(ledger, run)
        bound._graph = self._graph.for_run(run, ledger, settings)
        return bound

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        with scratch_folder(path) as folder:
            with _Tables(folder) as tables, (folder / "graph.ttl").open("wb") as graph:
                graph.writelines(self._graph.stream(tables.copy(rows)))
            if self._ledger and self._run:
                (folder / "questions.json").write_bytes(msgspec.json.encode(self._run.questions))
                run_report.write(self._ledger, self._run, folder / "report" / REPORT, options=run_report.ReportOptions())
            for name, content in data_files():
                file = folder / "vocabulary" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            files = list(_files(folder))
            context = self._graph.context
            review = ReviewInfo(tables.papers, sorted(tables.people), self._run, context.started_at, context.ended_at)
            (folder / METADATA).write_bytes(msgspec.json.format(msgspec.json.encode(crate_metadata(review, files)), indent=2))
            _zip(folder, [METADATA, *(file.path for file in files)], path)
        return Exported(tables.cells)


class _Tables:
    """Writes the tables while another reader of the rows takes them, so that the rows are read once."""

    def __init__(self, folder: Path) -> None:
        self.cells = self.papers = 0
        self.people: set[str] = set()
        self._folder, self._files, self._stack = folder, dict[str, BinaryIO](), ExitStack()

    def __enter__(self) -> "_Tables":
        for name, columns in (("cells", COLUMNS), ("facts", FACT_COLUMNS), ("papers", _PAPER_COLUMNS)):
            self._files[name] = self._stack.enter_context((self._folder / f"{name}.csv").open("wb"))
            self._files[name].writelines(encode_lines([columns]))
        self._files["jsonl"] = self._stack.enter_context((self._folder / "cells.jsonl").open("wb"))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def copy(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows; each has been written when the next is asked for."""
        paper: tuple[str, str] | None = None
        for row in rows:
            if paper != (row.paper.name, row.paper.sha256):
                paper = (row.paper.name, row.paper.sha256)
                self._add_paper(row)
            self._files["jsonl"].write(encode_line(export_object(row)))
            self._write("cells", [table_cells(row)])
            self._write("facts", fact_cells(row))
            if row.final and row.final.kind not in (SourceKind.VOTE, SourceKind.READER):
                self.people.update(row.final.by)
            self.cells += 1
            yield row

    def _add_paper(self, row: Row) -> None:
        known = paper_object(row.paper)
        texts = [", ".join(value) if isinstance(value := known[name], list) else str(value or "") for name in _PAPER_COLUMNS]
        self._write("papers", [texts])
        self.papers += 1

    def _write(self, table: str, lines: Iterable[Sequence[str]]) -> None:
        self._files[table].writelines(islice(encode_lines(lines), 1, None))  # the byte order mark is at the start of the file


def _files(folder: Path) -> Iterator[CrateFile]:
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield CrateFile(file.relative_to(folder).as_posix(), _describe(file), file.stat().st_size)


def _describe(file: Path) -> str:
    if file.suffix == ".rq" and file.name not in _DESCRIPTIONS:
        return f"SPARQL: {file.read_text(encoding='utf-8').partition(chr(10))[0].removeprefix('# ')}"
    return _DESCRIPTIONS.get(file.name, "The report for people, without pictures of pages")


def _zip(folder: Path, names: Iterable[str], path: Path) -> None:
    with atomic_path(path) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(folder / name, name)
