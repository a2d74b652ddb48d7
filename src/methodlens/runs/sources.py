"""Where the PDFs of a run are now, by the names it lists them under."""

from pathlib import Path

from methodlens.errors import InputError
from methodlens.papers import PaperFile, find
from methodlens.runs.ledger import Run


def files_of(run: Run) -> dict[str, PaperFile]:
    """Only those that are still there; folders that were moved away give nothing."""
    there = [Path(source) for source in run.sources if Path(source).exists()]
    try:
        return {file.name: file for file in find(there)} if there else {}
    except InputError:
        return {}
