"""The report: HTML that opens from disk and fetches nothing. From the matrix to the sentence on its page.

What a paper says is data in the page (JSON that cannot end its own element) and becomes text nodes when it is looked at, so
nothing a paper says can act. The page's policy names the one script and the one style that may.
"""

import msgspec
from msgspec import Struct

from methodlens.reports.html.assets import asset, render, stylesheet
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit
from methodlens.reports.html.run_summary import RunSummary, summarise, summarise_part
from methodlens.reports.html.run_totals import RunTotals
from methodlens.text.printable import encodable, one_line

_STYLES = ("base", "matrix", "report")
_SCRIPTS = ("dom", "matrix", "plots", "paper", "question", "app")
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


class ReportDetails(Struct, frozen=True):
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


def render_part(
    part: ReportPart, figures: RunTotals, report: ReportDetails, *, split: ReportSplit | None = None, image_files: bool = False
) -> tuple[str, str]:
    """The page of one part, before and after the data of its papers. `beside`: some pictures are files of their own."""
    style, script = stylesheet(*_STYLES), "\n".join(['"use strict";', *(asset(f"{name}.js") for name in _SCRIPTS)])
    summary = summarise(figures)
    html = render(
        "report.html.j2",
        report=report,
        summary=summary,
        part=summarise_part(part, figures),
        keys=part.keys,
        split=split,
        readers=figures.readers,
        style=style,
        script=script,
        image_files=image_files,
        methods=methods(report, summary, figures),
    )
    before, _, after = html.partition("<!--data-->")
    return before, after


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


def methods(report: ReportDetails, summary: RunSummary, figures: RunTotals) -> str:
    """A paragraph for the methods section of a review, with the versions and the figures of this run."""
    text = render("methods.txt.j2", report=report, summary=summary, readers=figures.readers)
    return "\n\n".join(one_line(part) for part in text.split("\n\n") if part.strip())
