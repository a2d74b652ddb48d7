"""From a PDF to a Paper: read in a killable child process, clean text, sections, passages, metadata."""

from methodlens.papers.elsewhere import NotFetched, on_disk
from methodlens.papers.files import PaperFile, find, listed, sha256_of
from methodlens.papers.metadata.duplicates import DuplicateFinder, text_digest
from methodlens.papers.metadata.records import Metadata
from methodlens.papers.metadata.sidecars import Sidecars, read_sidecars
from methodlens.papers.passages import split
from methodlens.papers.plain import from_text
from methodlens.papers.pool import WorkerPool, parser_fingerprint

__all__ = [
    "DuplicateFinder",
    "Metadata",
    "NotFetched",
    "PaperFile",
    "Sidecars",
    "WorkerPool",
    "find",
    "from_text",
    "listed",
    "on_disk",
    "parser_fingerprint",
    "read_sidecars",
    "sha256_of",
    "split",
    "text_digest",
]
