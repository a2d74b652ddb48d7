"""Formulas as plain text."""

import re
from functools import cache
from typing import Any

_MAX_FORMULA = 2_000
_PREAMBLE = re.compile(r"\\documentclass.*?\\begin\{document\}|\\end\{document\}", re.DOTALL)
_POWER = re.compile(r"\s?[-−–+]?\s?\d{1,3}$")


def formula_text(latex: str) -> str:
    r"""
    >>> formula_text(r"$10^{-4} \times \alpha$")
    '10^-4×α'
    """
    latex = _PREAMBLE.sub("", latex).strip()[:_MAX_FORMULA]
    try:
        return " ".join(str(_converter().latex_to_text(latex)).split())
    except (ValueError, IndexError, RecursionError, AttributeError, TypeError):  # pylatexenc raises these on broken formulas
        return " ".join(re.sub(r"[\\{}$]", " ", latex).split())


def power(before: str, text: str) -> str:
    """A superscript: 10 and -4 are 10^-4; the 2 of m2 and the marks of citations stay as printed.

    >>> power("0", "-4"), power("m", "2"), power("g", "12,13")
    ('^-4', '2', '12,13')
    """
    return f"^{text.strip()}" if before.isdigit() and _POWER.fullmatch(text) else text


@cache
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", strict_latex_spaces=False)
