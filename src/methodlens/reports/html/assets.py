"""Stylesheets, scripts and templates of all HTML pages: the files in data/, and the Jinja environment that fills them.

The review room serves the same stylesheets: `stylesheet("base", "matrix")`.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from methodlens.questions import calibration_mark, is_calibrated
from methodlens.records import Status
from methodlens.reports.html.report_links import question_address
from methodlens.reports.statistics.sections import format_number
from methodlens.reports.verdict_matrix import MARKS, NOT_ASKED, status_label
from methodlens.text.printable import one_line


@cache
def asset(name: str) -> str:
    return files("methodlens.reports.html").joinpath("data", name).read_text(encoding="utf-8")


def stylesheet(*names: str) -> str:
    """
    >>> "--reported_ink" in stylesheet("base", "matrix")
    True
    """
    return "\n".join(asset(f"{name}.css") for name in names)


def script(*names: str) -> str:
    """Several scripts as one."""
    return "\n".join(['"use strict";', *(asset(f"{name}.js") for name in names)])


def csp_hash(content: str) -> str:
    """The source expression that allows exactly this inline script or style: "'sha256-...'"."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def render(template: str, **context: Any) -> str:
    """A template of data/, filled in. Everything in HTML is escaped; an undefined name is an error."""
    return str(_environment().get_template(template).render(**context))


@cache
def _environment() -> Any:
    # imported here to keep `methodlens --help` fast
    from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=select_autoescape(enabled_extensions=("html.j2",), default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "csp_hash": csp_hash,
        "question_address": question_address,
        "line": one_line,
        "words": status_label,
        "number": format_number,
        "percent": lambda share: "–" if share is None else f"{100 * share:.0f}%",
        "grouped": "{:,}".format,
        "mark": MARKS.__getitem__,
    }
    environment.tests["calibrated"] = is_calibrated
    environment.filters["calibration_mark"] = calibration_mark
    environment.globals |= {"statuses": tuple(Status), "not_asked": NOT_ASKED}
    return environment
