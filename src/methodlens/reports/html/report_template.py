"""Renders the report: HTML that opens from disk and loads nothing.

Text from papers is JSON in the page, encoded so that it cannot end its element, and the script shows it as text nodes only.
The page's content security policy allows exactly one script and one stylesheet.
"""

from html import escape

import msgspec
from msgspec import Struct

from methodlens.evaluation.raters import GroupAgreement, PairAgreement
from methodlens.reports.html.assets import render, script, stylesheet
from methodlens.reports.html.report_figure import ReportFigures
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit
from methodlens.reports.html.run_summary import ReviewCounts, RunTotals, summarise, summarise_part
from methodlens.text.printable import encodable, one_line

_STYLES = ("base", "matrix", "report", "figures", "wide", "code")
_SCRIPTS = (
    "elements",
    "dom",
    "wide_filter",
    "wide_copy",
    "wide_table",
    "matrix",
    "figures",
    "plots",
    "code",
    "supplement",
    "paper",
    "question",
    "app",
)
_UNSAFE = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


class ReportDetails(Struct, frozen=True):
    """What the report says apart from the rows. `notes` are about the report itself."""

    title: str
    version: str
    question_set: str = ""
    parsers: tuple[str, ...] = ()
    agreement: GroupAgreement | None = None
    """Of the readers, if there are several."""
    pairs: tuple[PairAgreement, ...] = ()
    stability: tuple[str, ...] = ()
    accounts: tuple[tuple[str, ...], ...] = ()
    """A table of the calls, tokens and costs of each reader, with its header."""
    notes: tuple[str, ...] = ()
    review: ReviewCounts | None = None
    """What people have reviewed; None if that was not counted."""
    figures: ReportFigures = ReportFigures()


def render_part(
    part: ReportPart,
    totals: RunTotals,
    details: ReportDetails,
    *,
    split: ReportSplit | None = None,
    image_files: bool = False,
) -> tuple[str, str]:
    """The HTML of a part before and after the data of its papers. `image_files`: some page images are separate files."""
    summary = summarise(totals)
    html = render(
        "report.html.j2",
        report=details,
        summary=summary,
        part=summarise_part(part, totals),
        keys=part.keys,
        split=split,
        readers=totals.readers,
        style=stylesheet(*_STYLES),
        script=script(*_SCRIPTS),
        image_files=image_files,
        methods=methods_text(details, totals),
    )
    before, _, after = html.partition("<!--data-->")
    return before, after


def methods_text(details: ReportDetails, totals: RunTotals) -> str:
    """Text for the methods section of a review, with the versions and figures of this run."""
    text = render("methods.txt.j2", report=details, summary=summarise(totals), readers=totals.readers)
    return "\n\n".join(one_line(paragraph) for paragraph in text.split("\n\n") if paragraph.strip())


def data_block(id: str, value: object) -> bytes:
    """A script element that holds JSON."""
    return b'<script type="application/json" id="%s">%s</script>\n' % (escape(id).encode(), safe_json(value))


def safe_json(value: object) -> bytes:
    """JSON for a script element: without '<', nothing in it can end the element or start another.

    >>> safe_json("</script>")
    b'"\\\\u003c/script\\\\u003e"'
    """
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate
        encoded = msgspec.json.encode(encodable(msgspec.to_builtins(value, str_keys=True)))
    for raw, escaped in _UNSAFE:
        encoded = encoded.replace(raw, escaped)
    return encoded
