"""Transcripts: one text file per cell, in the layout of the published ones (context, question, answer)."""

from collections.abc import Iterable
from pathlib import Path

from methodlens.records import Row, Status
from methodlens.reports.formats.export_format import Exported
from methodlens.reports.output_files import atomic_path, slug, with_hash
from methodlens.transcripts import render


class Transcripts:
    """Files named `<reader>/Publication_<paper>_<question>.txt`. Votes and unreadable papers have no transcript."""

    name = "transcripts"
    suffix = ""
    description = "a folder with one text file per cell: context, question, answer"

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        taken: dict[str, tuple[str, str, str]] = {}
        for row in rows:
            if row.votes is not None or row.final or row.cell.verdict.status is Status.UNREADABLE:
                continue
            passages = [hit.passage.text for hit in row.cell.context]
            with atomic_path(_file(row, path, taken)) as draft:
                # "replace": a lone surrogate, as in text from broken fonts, cannot be encoded
                draft.write_bytes(render(row.question.text, passages, row.cell.answer.text).encode("utf-8", "replace"))
        return Exported(len(taken))


def _file(row: Row, folder: Path, taken: dict[str, tuple[str, str, str]]) -> Path:
    """Papers whose names are equal, or differ only in characters that file names cannot have, get part of their hash."""
    cell = (row.cell.reader, row.paper.sha256, row.question.id)
    paper = row.paper.name[:-4] if row.paper.name.lower().endswith(".pdf") else row.paper.name
    name = f"Publication_{slug(paper)}_{slug(row.question.id)}"
    reader = slug(row.cell.reader)
    if taken.setdefault(f"{reader}/{name}".lower(), cell) != cell:
        name = with_hash(name, "\0".join([row.paper.name, *cell]))
        taken[f"{reader}/{name}".lower()] = cell
    return folder / reader / f"{name}.txt"
