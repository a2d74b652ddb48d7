"""The style, script and templates that the pages are made of: files in data/, read when a page is written.

The review room takes the same: `stylesheet("base", "matrix")`.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    return files("methodlens.reports.html").joinpath("data", name).read_text(encoding="utf-8")


def stylesheet(*names: str) -> str:
    """
    >>> "--reported_ink" in stylesheet("base", "matrix")
    True
    """
    return "\n".join(asset(f"{name}.css") for name in names)


def csp_hash(content: str) -> str:
    """How a page's policy names the one script or style that may act in it: "'sha256-...'"."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
