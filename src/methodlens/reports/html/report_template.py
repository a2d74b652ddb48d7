"""The report: HTML that opens from disk and fetches nothing. From the matrix to the sentence on its page.

What a paper says is data in the page (JSON that cannot end its own element) and becomes text nodes when it is looked at, so
nothing a paper says can act. The page's policy names the one script and the one style that may.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from methodlens.records import Status
from methodlens.reports.html.assets import asset, csp_hash, stylesheet
from methodlens.reports.html.report_links import question_address
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit
from methodlens.reports.html.run_summary import RunSummary, summarise, summarise_part
from methodlens.reports.html.run_totals import RunTotals
from methodlens.reports.statistics.sections import format_number
from methodlens.reports.verdict_matrix import MARKS, NOT_ASKED, status_label
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
    part: ReportPart, figures: RunTotals, report: ReportDetails, *, split: ReportSplit | None = None, beside: bool = False
) -> tuple[str, str]:
    """The page of one part, before and after the data of its papers. `beside`: some pictures are files of their own."""
    style, script = stylesheet(*_STYLES), "\n".join(['"use strict";', *(asset(f"{name}.js") for name in _SCRIPTS)])
    summary = summarise(figures)
    before, _, after = (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            summary=summary,
            part=summarise_part(part, figures),
            keys=part.keys,
            split=split,
            readers=figures.readers,
            style=style,
            script=script,
            policy=policy(style, script, beside=beside),
            methods=methods(report, summary, figures),
        )
        .partition("<!--data-->")
    )
    return before, after


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


def methods(report: ReportDetails, summary: RunSummary, figures: RunTotals) -> str:
    """A paragraph for the methods section of a review, with the versions and the figures of this run."""
    text = _environment().get_template("methods.txt.j2").render(report=report, summary=summary, readers=figures.readers)
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
        "words": status_label,
        "number": format_number,
        "percent": _percent,
        "grouped": "{:,}".format,
        "mark": MARKS.__getitem__,
    }
    made.globals |= {"statuses": tuple(Status), "not_asked": NOT_ASKED}
    return made


@cache
def _environment() -> Any:
    """One for all parts of a report: each would leave its compiled templates to the garbage collector."""
    return environment()


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}%"
