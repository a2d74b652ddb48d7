"""From a file of any form to a Paper. Every problem becomes its status. Runs inside the worker process."""

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path, PurePath

from msgspec.structs import replace

from methodlens.papers.forms.assemble import assemble
from methodlens.papers.forms.decoding import decoded
from methodlens.papers.forms.document import Document, NotReadable
from methodlens.papers.forms.limits import MAX_TEXT_BYTES
from methodlens.papers.forms.suffixes import HTML, JATS, LATEX, MARKDOWN, TEXT, WORD, ZIPPED
from methodlens.records import Paper, PaperStatus
from methodlens.settings import PaperLimits

REVISION = 4
"""Increased whenever the same file may give another text: see `pool.REVISION`."""


@cache
def form_fingerprint(suffix: str) -> str:
    """Identifies what the text of a file with this suffix depends on, apart from its bytes."""
    library = "selectolax" if suffix in HTML else "pylatexenc"
    return f"{suffix.lstrip('.')}-r{REVISION}+{library}-{version(library)}"


def parse_form(path: str, *, limits: PaperLimits, parser: str) -> Paper:
    paper = Paper(sha256="", parser=parser)
    try:
        data = Path(path).read_bytes()
        paper = replace(paper, sha256=hashlib.sha256(data).hexdigest())
        suffix = PurePath(path).suffix.lower()
        if len(data) > MAX_TEXT_BYTES and suffix not in WORD + ZIPPED:
            raise NotReadable(
                PaperStatus.TOO_BIG, f"it has {len(data) >> 20} MB, the limit for {suffix} is {MAX_TEXT_BYTES >> 20}"
            )
        if suffix in TEXT:
            return _plain_text(decoded(data), paper)
        return assemble(_reader(suffix)(data, Path(path)), paper)
    except NotReadable as err:
        return replace(paper, status=err.status, reason=err.reason)
    except OSError as err:
        reason = f"it cannot be read ({err.strerror}); check its permissions"
        return replace(paper, status=PaperStatus.MALFORMED, reason=reason)
    except MemoryError:
        reason = f"it needs more than {limits.memory_mb} MB; raise papers.memory_mb"
        return replace(paper, status=PaperStatus.TOO_BIG, reason=reason)
    except RecursionError:
        return replace(paper, status=PaperStatus.TOO_BIG, reason="it is nested too deep for a paper; it is not read")
    except Exception as err:  # costs only this paper
        reason = f"parsing failed ({type(err).__name__}); save it again with another program, and report this"
        return replace(paper, status=PaperStatus.CRASHED, reason=reason)


def _reader(suffix: str) -> Callable[[bytes, Path], Document]:
    from methodlens.papers.forms.docx import read_docx
    from methodlens.papers.forms.html_page import read_html
    from methodlens.papers.forms.jats import read_jats
    from methodlens.papers.forms.latex import read_latex
    from methodlens.papers.forms.latex_source import below_folder, in_archive, latex_source
    from methodlens.papers.forms.markdown import read_markdown

    readers: dict[tuple[str, ...], Callable[[bytes, Path], Document]] = {
        JATS: lambda data, _: read_jats(data),
        HTML: lambda data, _: read_html(data),
        WORD: lambda data, _: read_docx(data),
        MARKDOWN: lambda data, _: read_markdown(decoded(data)),
        LATEX: lambda _, path: read_latex(latex_source(path.name, below_folder(path))),
        ZIPPED: lambda data, _: read_latex(latex_source(*in_archive(data))),
    }
    return next(reader for suffixes, reader in readers.items() if suffix in suffixes)


def _plain_text(text: str, paper: Paper) -> Paper:
    """Lines and hyphenated words are joined as for a PDF, and headings found by their words."""
    from methodlens.papers.layout.headings import sections
    from methodlens.papers.metadata.authors import split_names
    from methodlens.papers.metadata.entries import find_doi
    from methodlens.papers.pdf.text_quality import has_text, is_garbled
    from methodlens.papers.plain_text import flow_of

    if not has_text(text, pages=1):
        raise NotReadable(PaperStatus.NO_TEXT, "it contains no text; check that it is the whole paper")
    if is_garbled(text):
        raise NotReadable(PaperStatus.GARBLED, "its text is not readable characters; save it as UTF-8")
    clean = flow_of(text.replace("\f", "\n\n").split("\n\n"))
    head = clean.text.split("\n", 3)
    title = head[0] if len(head[0]) < 300 else ""
    authors = (split_names(head[1]) if len(head) > 1 and len(head[1]) < 1000 else None) or ()
    found = sections(clean.text, clean.headings)
    return replace(paper, title=title, authors=authors, doi=find_doi(clean.text[:3000]), text=clean.text, sections=found)
