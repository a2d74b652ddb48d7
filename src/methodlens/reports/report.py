"""The report: one HTML file that opens from disk and fetches nothing. From the matrix to the sentence on its page.

What a paper says is data in the page (JSON that cannot end its own element) and becomes text nodes when it is looked at, so
nothing a paper says can act. The page's policy names the one script and the one style that may.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from methodlens.records import Status
from methodlens.reports.assets import asset, csp_hash, stylesheet
from methodlens.reports.corpus import CorpusBuilder
from methodlens.reports.files import replacing
from methodlens.reports.links import question_address
from methodlens.reports.matrix import MARKS, NOT_ASKED, in_words
from methodlens.reports.page import number
from methodlens.reports.plain import encodable, one_line
from methodlens.reports.summary import Summary, summarised

_STYLES = ("base", "matrix", "report")
_SCRIPTS = ("dom", "matrix", "plots", "paper", "question", "app")
_IN_MEMORY = 32 << 20
_UNSAFE = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


class PairFigures(Struct, frozen=True):
    first: str
    second: str
    n: int
    agreement: float
    kappa: float
    ac1: float


class Agreement(Struct, frozen=True):
    """Of the readers among each other, on the cells that they decided."""

    readers: tuple[str, ...]
    pairs: tuple[PairFigures, ...]
    fleiss_kappa: float
    complete: int
    alpha: float


class Report(Struct, frozen=True):
    """What the rows do not say. `notes` are what the user should know about the report itself."""

    title: str
    version: str
    question_set: str = ""
    parsers: tuple[str, ...] = ()
    agreement: Agreement | None = None
    steadiness: tuple[str, ...] = ()
    accounts: tuple[tuple[str, ...], ...] = ()
    """What each reader took, the headings first."""
    notes: tuple[str, ...] = ()


class ReportPage(Struct, frozen=True):
    """The picture of a page: where it is (a data: address, or a file beside the report), or why there is none."""

    paper_key: str
    page: int
    size: tuple[float, float]
    source: str
    reason: str = ""


class _Writing:
    """Papers and pages are spooled to disk as they come; the page is put together when all of them are known."""

    def __init__(self, path: Path, spool: IO[bytes]) -> None:
        self._path, self._spool = path, spool
        self._pages: dict[str, dict[int, Any]] = {}
        self._beside = False

    def keep_paper(self, key: str, cells: dict[str, Any]) -> None:
        self._block(f"paper-{key}", cells)

    def keep_page(self, page: ReportPage) -> None:
        """Pages of one paper come one after the other."""
        if page.paper_key not in self._pages:
            self._flush_pages()
        self._beside |= bool(page.source) and not page.source.startswith("data:")
        known = {"size": page.size, "source": page.source, "reason": one_line(page.reason)}
        self._pages.setdefault(page.paper_key, {})[page.page] = known

    def _flush_pages(self) -> None:
        for key, pages in self._pages.items():
            self._block(f"pages-{key}", {str(page): about for page, about in pages.items()})
        self._pages = {}

    def _block(self, id: str, value: object) -> None:
        # ids are ours: hexadecimal digits of a hash
        self._spool.write(f'<script type="application/json" id="{id}">'.encode() + safe_json(value) + b"</script>\n")

    def finish(self, report: Report, corpus: CorpusBuilder) -> None:
        self._flush_pages()
        self._block("overview", corpus.overview())
        self._spool.seek(0)
        style, script = stylesheet(*_STYLES), "\n".join(['"use strict";', *(asset(f"{name}.js") for name in _SCRIPTS)])
        figures = summarised(corpus)
        shell = environment().get_template("report.html.j2")
        before, _, after = shell.render(
            report=report,
            summary=figures,
            corpus=corpus,
            style=style,
            script=script,
            policy=policy(style, script, beside=self._beside),
            methods=methods(report, figures, corpus),
        ).partition("<!--data-->")
        with replacing(self._path) as draft, draft.open("wb") as out:
            out.write(before.encode("utf-8", "replace"))
            while piece := self._spool.read(1 << 20):
                out.write(piece)
            out.write(after.encode("utf-8", "replace"))


@contextmanager
def writing(path: Path) -> Iterator[_Writing]:
    """Nothing is written to `path` until `finish`."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        yield _Writing(path, spool)


def policy(style: str, script: str, *, beside: bool = False) -> str:
    """Nothing is loaded but the page's own style and script; pictures from the page itself, or from beside it."""
    pictures = "img-src data: 'self' file:" if beside else "img-src data:"
    return (
        f"default-src 'none'; script-src {csp_hash(script)}; style-src {csp_hash(style)}; {pictures}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def safe_json(value: object) -> bytes:
    """JSON that can stand in a script element: no '<', so nothing in it ends the element or starts another.

    >>> safe_json("</script>")
    b'"\\\\u003c/script\\\\u003e"'
    """
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a character, in a key of a fact
        encoded = msgspec.json.encode(encodable(msgspec.to_builtins(value, str_keys=True)))
    for raw, escaped in _UNSAFE:
        encoded = encoded.replace(raw, escaped)
    return encoded


def methods(report: Report, summary: Summary, corpus: CorpusBuilder) -> str:
    """A paragraph for the methods section of a review, with the versions and the figures of this run."""
    text = environment().get_template("methods.txt.j2").render(report=report, summary=summary, corpus=corpus)
    return "\n\n".join(one_line(part) for part in text.split("\n\n") if part.strip())


def environment() -> Any:
    """Jinja with everything escaped, and nothing undefined let through. Imported here: `--help` must not wait for it."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=FunctionLoader(asset),
        autoescape=select_autoescape(enabled_extensions=("html.j2",), default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "question_address": question_address,
        "line": one_line,
        "words": in_words,
        "number": number,
        "percent": _percent,
        "mark": MARKS.__getitem__,
    }
    made.globals |= {"statuses": tuple(Status), "not_asked": NOT_ASKED}
    return made


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}%"
