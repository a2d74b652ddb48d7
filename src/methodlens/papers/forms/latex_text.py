"""LaTeX markup as plain text, paragraph by paragraph, with pylatexenc. A paragraph that it cannot parse loses its commands."""

import re
from collections import Counter
from functools import cache
from typing import Any

from methodlens.papers.forms.links import with_address

_MAX_PARAGRAPH = 50_000
_MAX_ARGUMENT = 100_000
_MAX_ABBREVIATIONS = 300
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_ABBREVIATION = re.compile(
    r"\\(?:(?:re)?newcommand\*?|providecommand\*?|def)\s*\{?\s*\\([a-zA-Z]{2,40})\s*\}?\s*\{([^\\{}#\n]{1,200}(?:\\xspace\s*)?)\}"
)
_LINK = re.compile(r"\\(?:url|nolinkurl|path)\s*(?=\{)|\\href\s*(?=\{)")
_CITE = re.compile(
    r"\\(?:cite|citep|citet|citealp|citealt|citeauthor|citeyear|parencite|textcite|autocite|footcite)\*?\s*(?:\[[^\]]{0,200}\]\s*){0,2}\{([^{}]{1,1000})\}"
)
_REFERENCE = re.compile(r"\\(?:ref|eqref|autoref|cref|Cref|pageref|label)\s*\{[^{}]{0,200}\}")
_FOOTNOTE = re.compile(r"\\footnote(?:text)?\s*(?:\[[^\]]{0,20}\])?\s*(?=\{)")
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\s*\{(?!(?:equation|align|gather|multline|eqnarray|math|displaymath)\*?\})[^{}]{1,60}\}(?:\s*\[[^\]]{0,100}\])?"
)
_DROPPED = re.compile(
    r"\\(?:includegraphics|vspace|hspace|bibliographystyle|bibliography|setlength|thispagestyle|pagestyle|centering|maketitle|newpage"
    r"|clearpage|noindent|raggedright|small|footnotesize|scriptsize|large|Large|tableofcontents|resizebox|scalebox)\*?\s*(?:\[[^\]]{0,200}\])?\s*(?:\{[^{}]{0,200}\}){0,2}"
)
_TITLE_PART = re.compile(
    r"\\(?:title|author|date|icmltitle|icmlauthor|affil|email|keywords|thanks|newcommand|renewcommand|def)\b\s*(?:\[[^\]]{0,300}\])?\s*(?=\{)"
)
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|[{}$~]|\\.")
_KEPT = "\ue000{}\ue001"  # private characters: a link that is put back after the conversion


def argument(text: str, at: int) -> tuple[str, int]:
    """What is between the braces (or brackets) that open at or after `at`, and where they end; ("", at) if there are none.

    >>> argument("{a{b}c} d", 0)
    ('a{b}c', 7)
    """
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text) or text[at] not in "{[":
        return "", at
    opening, closing = text[at], "}" if text[at] == "{" else "]"
    depth = 0
    for index in range(at, min(len(text), at + _MAX_ARGUMENT)):
        char = text[index]
        if char in "{}[]" and text[index - 1] != "\\":
            depth += (char == opening) - (char == closing)
            if depth == 0:
                return text[at + 1 : index], index + 1
    return "", at + 1


class LatexText:
    """Converts pieces of one document, whose citations are numbered and whose abbreviations are known."""

    def __init__(self, source: str) -> None:
        self._abbreviations = {
            match[1]: match[2].replace(r"\xspace", "") for match in list(_ABBREVIATION.finditer(source))[:_MAX_ABBREVIATIONS]
        }
        names = sorted(self._abbreviations, key=len, reverse=True)
        self._abbreviated = re.compile(rf"\\({'|'.join(names)})(?![a-zA-Z])(?:\{{\}})?") if names else None
        self._cited: dict[str, int] = {}
        self._numbers: Counter[str] = Counter()

    def next_number(self, label: str) -> int:
        self._numbers[label] += 1
        return self._numbers[label]

    def __call__(self, latex: str) -> str:
        links: list[str] = []
        latex = _CONTROL.sub(" ", latex[:_MAX_PARAGRAPH])
        if self._abbreviated:
            latex = self._abbreviated.sub(lambda match: self._abbreviations[match[1]], latex)
        latex = _without_arguments(_TITLE_PART, latex)
        latex = self._with_links(latex, links)
        latex = _CITE.sub(self._citation, latex)
        latex = _DROPPED.sub(" ", _ENVIRONMENT.sub(" ", _REFERENCE.sub("", latex)))
        text = _converted(_with_footnotes(latex))
        for number, link in enumerate(links):
            text = text.replace(_KEPT.format(number), link)
        return " ".join(re.sub("[\ue000\ue001]", " ", text).split())

    def _citation(self, match: re.Match[str]) -> str:
        keys = [key.strip() for key in match[1].split(",") if key.strip()]
        return f"[{', '.join(str(self._cited.setdefault(key, len(self._cited) + 1)) for key in keys)}]"

    def _with_links(self, latex: str, links: list[str]) -> str:
        parts: list[str] = []
        at = 0
        for match in _LINK.finditer(latex):
            if match.start() < at:
                continue
            address, end = argument(latex, match.end())
            address = address.replace("\\", "").strip()
            shown = address
            if match[0].startswith(r"\href"):
                text, end = argument(latex, end)
                shown = with_address(_converted(text), address)
            parts += [latex[at : match.start()], _KEPT.format(len(links))]
            links.append(shown)
            at = end
        return "".join([*parts, latex[at:]])


def _without_arguments(pattern: re.Pattern[str], latex: str) -> str:
    parts: list[str] = []
    at = 0
    for match in pattern.finditer(latex):
        if match.start() >= at:
            parts.append(latex[at : match.start()])
            at = argument(latex, match.end())[1]
            while latex[at : at + 1] == "{":  # the body of a definition
                at = argument(latex, at)[1]
    return " ".join([*parts, latex[at:]])


def _with_footnotes(latex: str) -> str:
    """A footnote follows its sentence in brackets."""
    parts: list[str] = []
    at = 0
    for match in _FOOTNOTE.finditer(latex):
        if match.start() >= at:
            text, end = argument(latex, match.end())
            parts += [latex[at : match.start()], f" ({text.strip()})"]
            at = end
    return "".join([*parts, latex[at:]])


def _converted(latex: str) -> str:
    if "\\" not in latex and "$" not in latex and not re.search(r"[{}~]|--|``|''", latex):
        return latex
    try:
        return str(_converter().latex_to_text(latex))
    except Exception:  # pylatexenc raises many kinds on broken markup
        return _COMMAND.sub(" ", latex)


@cache
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", strict_latex_spaces=False, keep_comments=False)
