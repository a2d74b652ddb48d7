"""Filled-in checklists as the files that their registries and tools read: drafts for the authors to check.

What the paper does not report, and what the reader is not sure of, is left empty: these files have no place for a doubt.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from methodlens.errors import InputError
from methodlens.questions import load
from methodlens.records import PaperEntry, Row
from methodlens.reports.checklists.filled_item import UNCLEAR, FilledItem, filled_item
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.formats.csv_tables import encode_lines
from methodlens.reports.formats.export_format import Exported, StreamFormat
from methodlens.reports.output_files import PaperFileNames, atomic_path
from methodlens.text.printable import encodable, one_line

_ODMAP_COLUMNS = ("section", "subsection", "element", "Value")
_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "“": "``",
        "”": "''",
    }
)
_NO_JUSTIFICATION = r"\justificationTODO{}"
_ANSWER_MACROS = {"yes": r"\answerYes{}", "no": r"\answerNo{}", UNCLEAR: r"\answerTODO{}"}


class DomeRegistry(StreamFormat):
    """A JSON list with one entry per paper, in the sections and fields of the DOME registry."""

    name = "dome"
    suffix = ".json"
    description = "entries of the DOME registry, for runs with --questions dome"

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        yield b"[\n"
        between = b""
        for paper, items in _filled(rows, "dome"):
            yield between + msgspec.json.encode(encodable(_dome_entry(paper, items)))
            between = b",\n"
        yield b"\n]\n"


class OdmapTables:
    """A folder with a CSV file per paper, as the ODMAP application reads and writes it."""

    name = "odmap"
    suffix = ""
    description = "a folder with an ODMAP table per paper, for runs with --questions odmap"

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        names = PaperFileNames("ODMAP")
        cells = 0
        for paper, items in _filled(rows, "odmap"):
            with atomic_path(path / f"{names.of(paper.name)}.csv") as draft:
                draft.write_bytes(b"".join(encode_lines(_odmap_lines(paper, items))))
            cells += len(items)
        return Exported(cells, lines=f"{len(names)} ODMAP tables")


class NeuripsChecklist(StreamFormat):
    """The NeurIPS paper checklist in LaTeX, with the macros of its style file, for each paper."""

    name = "neurips"
    suffix = ".tex"
    description = "the NeurIPS checklist in LaTeX, for runs with --questions neurips"

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        for paper, items in _filled(rows, "neurips"):
            yield "\n".join(_neurips_lines(paper, items)).encode("utf-8", "replace") + b"\n\n"


def _filled(rows: Iterable[Row], checklist: str) -> Iterator[tuple[PaperEntry, list[FilledItem]]]:
    """Each paper with its items in the order of the checklist."""
    ids = [question.id for question in load(checklist).questions]
    for paper, paper_rows in deciding_rows(rows):
        by_id = {row.question.id: filled_item(row) for row in paper_rows}
        if not set(ids) & set(by_id):
            raise InputError(
                f"this run does not ask the questions of the checklist {checklist}",
                f"run 'methodlens run PAPERS --questions {checklist}', or use --format checklist",
            )
        yield paper, [by_id[one] for one in ids if one in by_id]


@cache
def _fields(checklist: str) -> Mapping[str, Sequence[str]]:
    text = (resources.files(__package__) / "data" / "registry-fields.toml").read_text(encoding="utf-8")
    fields: Mapping[str, Sequence[str]] = tomllib.loads(text)[checklist]
    return fields


def _dome_entry(paper: PaperEntry, items: Sequence[FilledItem]) -> dict[str, Any]:
    entry: dict[str, dict[str, str]] = {
        "publication": {
            "title": one_line(paper.title),
            "authors": ", ".join(map(one_line, paper.authors)),
            "year": str(paper.year or ""),
            "doi": one_line(paper.doi),
        }
    }
    answers = {item.item: _found(item) for item in items}
    for number, (section, field) in _fields("dome").items():
        entry.setdefault(section, {})[field] = answers.get(number, "")
    return entry


def _odmap_lines(paper: PaperEntry, items: Sequence[FilledItem]) -> Iterator[Sequence[str]]:
    yield _ODMAP_COLUMNS
    answers = {item.item: _found(item) for item in items}
    known = {"O1": paper.title, "O2": ", ".join(paper.authors), "O4": f"https://doi.org/{paper.doi}" if paper.doi else ""}
    for number, names in _fields("odmap").items():
        yield *names, one_line(known.get(number, "")) or answers.get(number, "")


def _neurips_lines(paper: PaperEntry, items: Sequence[FilledItem]) -> Iterator[str]:
    yield f"% {one_line(paper.name)}: a draft by methodlens from the text of the paper. Check every answer before you submit it."
    yield r"\section*{NeurIPS Paper Checklist}"
    yield r"\begin{enumerate}"
    for item in items:
        yield rf"\item {{\bf {_latex(item.title)}}}"
        yield rf"    \item[] Question: {_latex(item.question.text)}"
        yield rf"    \item[] Answer: {_ANSWER_MACROS[item.reported]}"
        yield rf"    \item[] Justification: {_latex(_found(item)) or _NO_JUSTIFICATION}"
    yield r"\end{enumerate}"


def _found(item: FilledItem) -> str:
    """The answer, only if the paper reports it."""
    return item.answer if item.reported == "yes" else ""


def _latex(text: str) -> str:
    """
    >>> _latex("50% of C_1")
    '50\\\\% of C\\\\_1'
    """
    return text.translate(_LATEX)
