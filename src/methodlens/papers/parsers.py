"""Parsers for all formats: PDFs and our other forms are parsed by the worker pool or in this process, further ones by plugins."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from methodlens import plugins
from methodlens.papers.files import PDF_SUFFIXES, sha256_of
from methodlens.papers.forms.latex_source import included_digest
from methodlens.papers.forms.pairs import pair_fingerprint, paired
from methodlens.papers.forms.parser import FormParser, form_fingerprints, form_parsers
from methodlens.papers.forms.recognition import companion_of
from methodlens.papers.pool import WorkerPool, check_file, ocr_limits, parser_fingerprint
from methodlens.records import Paper, PaperStatus
from methodlens.seams import Parser
from methodlens.settings import PaperLimits, ReadingSettings


class FileParser(Parser, Protocol):
    """A Parser for files with certain suffixes, such as ".xml"."""

    @property
    def suffixes(self) -> Sequence[str]: ...


class Parsers:
    """Chooses the parser by the suffix of a file. A plugin cannot replace the PDF parser.

    With `pairs`, the text of a PDF is that of the JATS or HTML file of the same name beside it: see `forms.pairs`.

    >>> Parsers(InProcessParser()).suffixes
    ('.pdf',)
    """

    def __init__(self, pdf: FileParser, others: Sequence[FileParser] = (), *, pairs: bool = True) -> None:
        self.fingerprint = pdf.fingerprint
        self._pdf, self._pairs = pdf, pairs
        self._by_suffix = {suffix.lower(): parser for parser in (*others, pdf) for suffix in parser.suffixes}
        self.suffixes = tuple(sorted(self._by_suffix))

    def fingerprint_for(self, path: Path) -> str:
        parser = self._parser_for(path)
        if parser is self._pdf and (companion := self._companion(path)):
            return pair_fingerprint(parser.fingerprint, self._parser_for(companion).fingerprint, sha256_of(companion))
        return f"{parser.fingerprint}{included_digest(path)}"

    def parse(self, path: Path) -> Paper:
        parser = self._parser_for(path)
        if parser is self._pdf:
            paper, companion = parser.parse(path), self._companion(path)
            return replace(paired(paper, self.parse(companion)), parser=self.fingerprint_for(path)) if companion else paper
        try:
            paper = parser.parse(path)
        except Exception as err:  # a plugin may raise anything
            reason = f"the parser for {path.suffix} files failed ({err!r:.200}); report this to its authors"
            paper = Paper(sha256="", parser="", status=PaperStatus.CRASHED, reason=reason)
        return replace(paper, sha256=sha256_of(path), parser=self.fingerprint_for(path))

    def _companion(self, path: Path) -> Path | None:
        """The file beside a PDF that has its text marked up."""
        found = companion_of(str(path)) if self._pairs else ""
        return Path(found) if found and isinstance(self._parser_for(Path(found)), FormParser) else None

    def _parser_for(self, path: Path) -> FileParser:
        return self._by_suffix.get(path.suffix.lower(), self._pdf)


def all_parsers(pool: WorkerPool, reading: ReadingSettings, others: Sequence[FileParser] = ()) -> Parsers:
    """Our forms, then those of plugins, then `others`: the last parser of a suffix counts."""
    return Parsers(pool, (*form_parsers(pool), *plugin_parsers(), *others), pairs=reading.pairs == "auto")


def plugin_parsers() -> tuple[FileParser, ...]:
    """The parsers of installed plugins: entry points of the group `methodlens.parsers`."""
    return tuple(plugins.create("parsers", name) for name in plugins.names("parsers"))


def paper_suffixes(parsers: Sequence[FileParser] = ()) -> tuple[str, ...]:
    """The suffixes of files that are papers whatever they contain: PDFs, and those of `parsers` and installed plugins."""
    others = (suffix.lower() for parser in (*parsers, *plugin_parsers()) for suffix in parser.suffixes)
    return tuple(sorted({*PDF_SUFFIXES, *others}))


def parser_fingerprints(reading: ReadingSettings) -> str:
    """Of our parsers and those of installed plugins: papers that other processes parse must be the same."""
    return ", ".join((parser_fingerprint(reading), form_fingerprints(), *(parser.fingerprint for parser in plugin_parsers())))


class InProcessParser:
    """Parses PDFs in this process: simple, but without timeout or memory limit, and PDFium may crash on a broken file.

    Use `WorkerPool` for files that you do not trust.
    """

    suffixes = PDF_SUFFIXES

    def __init__(self, limits: PaperLimits = PaperLimits(), reading: ReadingSettings = ReadingSettings()) -> None:  # noqa: B008 - frozen
        self.fingerprint = parser_fingerprint(reading)
        self._limits, self._reading = limits, reading

    def parse(self, path: Path) -> Paper:
        from methodlens.papers.pdf.parse import parse_pdf, parse_with_ocr  # imports PDFium

        if failure := check_file(path, self._limits):
            return Paper(sha256="", parser=self.fingerprint, status=failure[0], reason=failure[1])
        paper = parse_pdf(str(path), limits=self._limits, reading=self._reading, parser=self.fingerprint)
        use_ocr = paper.unread and "rapidocr" in self.fingerprint
        return parse_with_ocr(str(path), limits=ocr_limits(self._limits), paper=paper) if use_ocr else paper
