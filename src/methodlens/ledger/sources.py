"""Where the PDFs of a run are now, by the names it lists them under."""

from pathlib import Path

from methodlens.errors import InputError
from methodlens.ledger.ledger import Run
from methodlens.papers import PaperFile, find


def file_of(run: Run, name: str) -> PaperFile | None:
    """One of them, mostly without looking through folders."""
    for source in map(Path, run.sources):
        path = source if source.name == name and source.is_file() else source / name
        if path.is_file():
            return PaperFile(str(path), name)
    return files_of(run).get(name)  # two of a name in two folders go by longer ones


def files_of(run: Run) -> dict[str, PaperFile]:
    """Only those that are still there; folders that were moved away give nothing."""
    there = [Path(source) for source in run.sources if Path(source).exists()]
    try:
        return {file.name: file for file in find(there)} if there else {}
    except InputError:
        return {}
