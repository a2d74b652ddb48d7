"""One text a cell, in the layout of the published transcripts: context, question, answer."""

from collections.abc import Iterable
from pathlib import Path

from methodlens.records import Row, Status
from methodlens.reports.output_files import atomic_path, slug, with_hash
from methodlens.transcripts import render


def write(rows: Iterable[Row], folder: Path) -> int:
    """How many were written, to `folder/<reader>/Publication_<paper>_<question>.txt`. Votes and unreadable papers have none."""
    taken: dict[str, tuple[str, str, str]] = {}
    for row in rows:
        if row.votes is not None or row.cell.verdict.status is Status.UNREADABLE:
            continue
        path = _path(row, folder, taken)
        passages = [hit.passage.text for hit in row.cell.context]
        with atomic_path(path) as draft:
            # a lone surrogate, as broken fonts yield them, must not stop an export
            draft.write_bytes(render(row.question.text, passages, row.cell.answer.text).encode("utf-8", "replace"))
    return len(taken)


def _path(row: Row, folder: Path, taken: dict[str, tuple[str, str, str]]) -> Path:
    """Two papers of one name, or of names that differ only in what a file name cannot hold, get a piece of their hash."""
    cell = (row.cell.reader, row.paper.sha256, row.question.id)
    paper = row.paper.name[:-4] if row.paper.name.lower().endswith(".pdf") else row.paper.name
    named = f"Publication_{slug(paper)}_{slug(row.question.id)}"
    reader = slug(row.cell.reader)
    if taken.setdefault(f"{reader}/{named}".lower(), cell) != cell:
        named = with_hash(named, "\0".join([row.paper.name, *cell]))
        taken[f"{reader}/{named}".lower()] = cell
    return folder / reader / f"{named}.txt"
