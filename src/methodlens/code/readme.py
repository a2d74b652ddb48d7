"""README files: commands, tables of results, links to weights and data, installation, citation."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import Struct

from methodlens.code.commands import RepositoryNames, command_findings, joined_lines
from methodlens.code.dependencies import DOCUMENTED, framework_findings
from methodlens.code.install_commands import installed
from methodlens.code.licenses import named_license
from methodlens.code.links import RELEASED, URL, hub_model, link_findings
from methodlens.code.packages import Requirement, framework_of
from methodlens.code.sources import Source
from methodlens.facts.gazetteer import mentions
from methodlens.records.code import Finding, Topic

_FENCE = re.compile(r"^\s{0,8}(?:```|~~~)\s*([\w+-]*)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s*(.{1,200}?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^\s*([=\-~^*#])\1{2,}\s*$")
_RST_CODE = re.compile(r"::\s*$|^\s*\.\. (?:code|code-block|sourcecode)::")
_SPAN = re.compile(r"`([^`\n]{3,300})`")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_CELL = re.compile(r"^[^\w]{0,6}\d{1,4}(?:[.,]\d{1,5})?\s*%?(?:\s*(?:±|\+/?-|\(|/|→).{0,20})?[^\w]{0,6}$")
_LINKED = re.compile(r"\s{0,3}\(?\[[^\[\]]{0,80}\]\([^()]{0,300}\)\)?")
_CHECKPOINTS = re.compile(r"check-?points?|pre-?trained|weights", re.I)
_RESULTS = re.compile(
    r"results?\b|performance|benchmark|evaluation|experiment|model\s?zoo|leader-?board|comparison|accurac|"
    r"reproduc|pre-?trained models",
    re.I,
)
_MEASURE = re.compile(
    r"\b(?:acc|accuracy|m?ap(?:50|75|@[\d.:]+)?|m?iou|f1|auc|auroc|bleu|wer|cer|psnr|ssim|top-?[15]|err(?:or)?|score|fid|rmse|mae|mse|dice|precision|recall|ppl|perplexity|r2|kappa|em|rouge|hits@\d+|mrr|loss|reward|nmi|bpc|elpd|eer|si-?sdr|sdr|lpips|spearman|pearson)\b",
    re.I,
)
_IMAGE = re.compile(r"!\[[^\]]{0,200}\]\([^)]{1,300}\)|<img\b|^\.\. (?:image|figure)::")
_BIBTEX = re.compile(
    r"^\s*@(?:article|inproceedings|misc|incollection|techreport|phdthesis|conference|software|book|unpublished|proceedings|preprint)\s*\{",
    re.I,
)
_HUB = re.compile(
    r"(?:from_pretrained|hub\.load|hf_hub_download|create_model|snapshot_download)\(\s*(?:repo_id\s*=\s*)?[\"'](?:hf[-_]hub:)?([\w./-]{3,100})[\"']"
)
_LISTED = re.compile(r"^\s*[-*+]\s+\[?`?([A-Za-z][\w.-]{1,40})`?\]?(?:\([^)]{1,200}\))?\s*(?:[(:=><~v]*\s*(\d[\w.]*))?")
_TOLD = re.compile(r"\b[Ii]nstall(?:ed|ing)?\s+(?:the\s+)?\[?([A-Z][\w.-]{1,40})\]?(?:\s+(?:version\s+)?(\d[\w.]*)\b)?")
_NEEDS = re.compile(r"require|dependenc|prerequisite|environment|installation|install\b|set-?up", re.I)
_NAMED_DATA = re.compile(r"\[[^\[\]]{0,80}\b(?:data-?\s?sets?|corpus|database)\]\((https?://[^()\s]{4,300})\)", re.I)


_README = re.compile(
    r"(?:readme|usage|reproduce|reproducing|getting_started|install|model_zoo|models?zoo|train(?:ing)?|evaluation|results)\b.*",
    re.I,
)


class Line(Struct, frozen=True):
    """A line of a README: where it is, what heading it is under, whether it is code."""

    number: int
    text: str
    heading: str
    code: bool
    language: str = ""


def is_readme(source: Source) -> bool:
    return is_readme_name(source.path.name)


def is_readme_name(name: str) -> bool:
    """
    >>> is_readme_name("README.md"), is_readme_name("Training.md"), is_readme_name("train.py")
    (True, True, False)
    """
    return bool(_README.fullmatch(name)) and PurePosixPath(name).suffix.lower() in (
        ".md",
        ".rst",
        ".txt",
        ".markdown",
        ".mdx",
        ".org",
        ".adoc",
        "",
    )


def readme_findings(source: Source, names: RepositoryNames) -> list[Finding]:
    lines = read_lines(source)
    return [
        *_commands(source, lines, names),
        *_results(source, lines),
        *_links(source, lines),
        *_requirements(source, lines),
        *_cited(source, lines),
    ]


def read_lines(source: Source) -> list[Line]:
    """Markdown and reStructuredText, as far as headings and code go."""
    lines: list[Line] = []
    heading, fence, language = "", "", ""
    literal_after = False
    for number, text in enumerate(source.lines, 1):
        match = _FENCE.match(text)
        if match:
            fence = "" if fence else text.strip()[:3]
            language = match[1].lower() if fence else ""
            continue
        indented = text.startswith(("    ", "\t")) and (
            literal_after or not lines or not lines[-1].text.strip() or lines[-1].code
        )
        if not fence and not indented and text.strip():
            if title := _HEADING.match(text):
                heading = title[1]
            elif _UNDERLINE.match(text) and lines and 0 < len(lines[-1].text.strip()) < 120 and not lines[-1].code:
                heading = lines[-1].text.strip()
            literal_after = bool(_RST_CODE.search(text))
        lines.append(Line(number, text, heading, bool(fence) or indented, language))
    return lines


def _commands(source: Source, lines: list[Line], names: RepositoryNames) -> list[Finding]:
    findings: list[Finding] = []
    block: list[Line] = []
    for line in [*lines, Line(0, "", "", False)]:
        if line.code and line.language not in ("python", "py", "pycon", "json", "yaml", "r", "bibtex", "latex"):
            block.append(line)
            continue
        if block:
            findings += command_findings(source, joined_lines(source, block[0].number, block[-1].number), names)
            block = []
        for span in _SPAN.finditer(line.text[:4000]) if not line.code else ():
            findings += command_findings(source, [(line.number, line.number, span[1])], names)
        if not line.code and re.match(r"\s*(?:[$>]\s+)?(?:python[23]?|bash|sh)\s+[\w./-]+\.(?:py|sh)\b", line.text):
            findings += command_findings(source, [(line.number, line.number, line.text)], names)
    return findings


def _results(source: Source, lines: list[Line]) -> Iterator[Finding]:
    for first, cells, header, heading in _tables(lines):
        numeric = sum(bool(_CELL.match(_LINKED.sub("", cell))) for cell in cells)
        measured = bool(_MEASURE.search(header)) or bool(mentions("metrics", header[:500]))
        offered = _CHECKPOINTS.search(heading) and sum("%" in cell for cell in cells) >= 4
        if numeric >= 2 and (measured or offered or (_RESULTS.search(heading) and numeric >= 4)):
            yield source.finding(Topic.RESULTS, first, kind="table")
    pictured = next(
        (
            line
            for line in lines
            if _RESULTS.match(line.heading.strip("*_ ")) and _IMAGE.search(line.text) and "badge" not in line.text
        ),
        None,
    )
    if pictured:
        yield source.finding(Topic.RESULTS, pictured.number, kind="figure", note="an image under the heading of results")


def _tables(lines: list[Line]) -> Iterator[tuple[int, list[str], str, str]]:
    """Number of the first line, cells, header with what is before it, heading."""
    at = 0
    while at < len(lines):
        text = lines[at].text
        if "|" in text and at + 1 < len(lines) and "-" in lines[at + 1].text and _RULE.match(lines[at + 1].text[:1000]):
            end = at + 2
            while end < len(lines) and "|" in lines[end].text:
                end += 1
            cells = [cell.strip() for line in lines[at + 2 : end] for cell in line.text[:3000].split("|")]
            yield lines[at].number, cells, text[:1000], lines[at].heading
            at = end
        elif "<table" in text.lower():
            end = next((row for row in range(at, min(len(lines), at + 500)) if "</table" in lines[row].text.lower()), at)
            body = " ".join(line.text[:2000] for line in lines[at : end + 1])
            cells = [re.sub(r"<[^<>]{0,300}>", "", cell).strip() for cell in re.split(r"</t[dh]>", body)]
            yield lines[at].number, cells, " ".join(cells[:12])[:1000], lines[at].heading
            at = end + 1
        elif re.match(r"\s*(?:\+[-=+]{4,}|={2,}(?:\s+={2,})+)\s*$", text):
            end = at + 1
            while end < len(lines) and lines[end].text.strip():
                end += 1
            rows = [re.split(r"\||\s{2,}", line.text[:1000]) for line in lines[at + 1 : end]]
            yield (
                lines[at].number,
                [cell.strip() for row in rows for cell in row],
                lines[min(at + 1, len(lines) - 1)].text[:1000],
                lines[at].heading,
            )
            at = end
        else:
            at += 1


def _links(source: Source, lines: list[Line]) -> Iterator[Finding]:
    """Links to weights and data, by their words: those of the line, of a short line before it, and of the heading."""
    for index, line in enumerate(lines):
        text = line.text[:3000]
        for hub in _HUB.finditer(text):
            if hub_model(hub[1]):
                yield source.finding(Topic.WEIGHTS, line.number, note=hub[1], kind=RELEASED)
        if "://" not in text or "badge" in text:
            continue
        before = next((other.text for other in reversed(lines[max(0, index - 3) : index]) if other.text.strip()), "")
        near = before if len(before) < 200 and not before.lstrip().startswith("#") and "://" not in before else ""
        header = _table_header(lines, index) if "|" in text else ""
        for named in _NAMED_DATA.finditer(text):
            yield source.finding(Topic.DATA, line.number, note=named[1][:150], kind="link")
        for match in list(URL.finditer(text))[:20]:
            start = max(0, match.start() - 150)
            yield from link_findings(
                source,
                line.number,
                match[0].rstrip(").,]"),
                context=f"{near} {header} {text[start : match.end() + 60]}",
                heading=line.heading,
            )


def _table_header(lines: list[Line], index: int) -> str:
    """The header of the Markdown table that a line is in."""
    for other in range(index - 1, max(-1, index - 60), -1):
        if "|" not in lines[other].text:
            return ""
        if _RULE.match(lines[other].text[:1000]) and other:
            return lines[other - 1].text[:300]
    return ""


def _requirements(source: Source, lines: list[Line]) -> list[Finding]:
    """Packages that are installed by a command, or listed under a heading such as "Requirements"."""
    packages: list[Requirement] = []
    for line in lines:
        if line.code or "install" in line.text:
            packages += installed(line.text[:2000], line.number)
        listed = _LISTED.match(line.text[:300]) if _NEEDS.search(line.heading) and not line.code else None
        if listed and framework_of(listed[1]):
            packages.append(Requirement(listed[1], line.number, listed[2] or ""))
        elif (told := _TOLD.search(line.text[:300])) and not line.code and framework_of(told[1]):
            packages.append(Requirement(told[1], line.number, told[2] or ""))
    return framework_findings(source, packages, kind=DOCUMENTED)


def _cited(source: Source, lines: list[Line]) -> Iterator[Finding]:
    cited = next((line for line in lines if _BIBTEX.match(line.text)), None)
    if cited:
        yield source.finding(Topic.CITATION, cited.number, kind="bibtex")
    for line in lines:
        if re.search(r"licen[cs]e", line.heading, re.I) and not line.code and (name := named_license(line.text[:500])):
            yield source.finding(Topic.LICENSE, line.number, note=name, kind="mentioned")
            return
