"""From a PDF or another form to a Paper: parsed in a child process, with clean text, sections and metadata; then to passages."""

from methodlens.papers.checklist_pages import checklist_pages
from methodlens.papers.files import PaperFile, find, list_files, locate, locate_all, sha256_of
from methodlens.papers.metadata.duplicates import DuplicateFinder, text_digest
from methodlens.papers.metadata.entries import Metadata
from methodlens.papers.metadata.sidecars import Sidecars, read_sidecars
from methodlens.papers.parsers import (
    FileParser,
    InProcessParser,
    Parsers,
    all_parsers,
    paper_suffixes,
    parser_fingerprints,
    plugin_parsers,
)
from methodlens.papers.passages import cut, split
from methodlens.papers.plain_text import from_text
from methodlens.papers.pool import WorkerPool, parser_fingerprint
from methodlens.papers.remote_files import FetchError, local_copy

__all__ = [
    "DuplicateFinder",
    "FetchError",
    "FileParser",
    "InProcessParser",
    "Metadata",
    "PaperFile",
    "Parsers",
    "Sidecars",
    "WorkerPool",
    "all_parsers",
    "checklist_pages",
    "cut",
    "find",
    "from_text",
    "list_files",
    "local_copy",
    "locate",
    "locate_all",
    "paper_suffixes",
    "parser_fingerprint",
    "parser_fingerprints",
    "plugin_parsers",
    "read_sidecars",
    "sha256_of",
    "split",
    "text_digest",
]
