"""From a PDF to a Paper: read in a killable child process, clean text, sections, passages."""

from methodlens.papers.files import PaperFile, find, sha256_of
from methodlens.papers.passages import split
from methodlens.papers.plain import from_text
from methodlens.papers.pool import WorkerPool, parser_fingerprint

__all__ = ["PaperFile", "WorkerPool", "find", "from_text", "parser_fingerprint", "sha256_of", "split"]
