"""Annotation sheets (CSV or XLSX): cells with their evidence and an empty column for the label; and the labels that come back.

A blind sheet shows passages but no quotes: a reader quotes only what it calls reported, so quotes would reveal its verdict.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, groupby
from pathlib import Path

from msgspec import Struct

from methodlens.errors import LabelsError
from methodlens.evaluation.ground_truth import GroundTruth, disagreements
from methodlens.evaluation.labels import LabelSet
from methodlens.evaluation.raters import PairAgreement, pair_agreement
from methodlens.ledger import run_rows
from methodlens.ledger.overview import CellSummary
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, CellRef, PaperEntry, Row, Status
from methodlens.reports.formats.csv_tables import encode_lines
from methodlens.reports.formats.export_rows import quotes_text
from methodlens.reports.output_files import atomic_path
from methodlens.text.printable import cut, printable

_COLUMNS = ("number", "paper", "title", "question", "question_text", "passages", "label", "note", "paper_sha256")
_NOT_BLIND = ("verdict", "readers", "answer", "quotes")
_WIDTHS = {"number": 7, "question": 9, "label": 10, "paper_sha256": 12, "passages": 80, "answer": 50, "quotes": 50}
_WIDTH = 24
_MOST_CHARACTERS = 4000  # of passages per cell
_LABELS = {True: "reported", False: "not_reported"}


class SheetRow(Struct, frozen=True):
    """What an annotator needs to decide on a cell. A blind sheet leaves out the last four."""

    paper: str
    paper_sha256: str
    title: str
    question: str
    question_text: str
    passages: str
    verdict: str = ""
    readers: str = ""
    answer: str = ""
    quotes: str = ""


def sample_candidates(ledger: Ledger, run: Run) -> Iterator[CellSummary]:
    """The cells that a sample can be drawn from: all of papers that could be read."""
    for rows in _cells(run_rows.rows(ledger, run)):
        *readers, last = rows
        own = readers if last.votes is not None else rows
        yield CellSummary(
            paper=last.paper.name,
            question=last.question.id,
            verdict=last.cell.verdict.status,
            statuses={row.cell.reader: row.cell.verdict.status for row in own},
            p_reported=own[0].cell.answer.p_reported if len(own) == 1 else None,
        )


def sheet_rows(
    ledger: Ledger, run: Run, wanted: Sequence[CellRef], *, notes: Mapping[CellRef, str] | None = None
) -> list[SheetRow]:
    """The rows of a sheet, in the order of `wanted`. `notes` replace the readers' verdicts (for adjudication)."""
    chosen = set(wanted)
    by_cell = {}
    for rows in _cells(run_rows.rows(ledger, run, only={paper for paper, _ in wanted})):
        cell = CellRef(rows[0].paper.name, rows[0].question.id)
        if cell in chosen:
            by_cell[cell] = _sheet_row(rows, (notes or {}).get(cell))
    return [by_cell[cell] for cell in wanted if cell in by_cell]


def keep_labels(ledger: Ledger, labels: LabelSet, papers: Iterable[PaperEntry], annotator: str) -> int:
    """Store each label as an annotation with the current time; return how many were stored."""
    sha256 = {paper.name: paper.sha256 for paper in papers}
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    return ledger.keep_annotations(
        Annotation(sha256[label.paper], label.question, annotator, label.status, now, label.note) for label in labels.labels
    )


class Comparison(Struct, frozen=True):
    """Two annotators on the cells that both labelled. `settled` counts the disagreements that were adjudicated."""

    agreement: PairAgreement
    differing: tuple[CellRef, ...]
    only_first: int
    only_second: int
    settled: int


def compare_annotators(truth: GroundTruth, first: str, second: str, adjudicated: str) -> Comparison:
    for name in (first, second):
        if name not in truth.annotators:
            known = ", ".join(truth.annotators) or "none"
            raise LabelsError(f"there are no labels by {name!r}", f"choose from these annotators: {known}")
    a, b = truth.annotators[first], truth.annotators[second]
    settled = truth.annotators.get(adjudicated, {})
    differing = disagreements(truth, first, second)
    return Comparison(
        pair_agreement(truth.annotators, first, second),
        tuple(differing),
        only_first=len(a.keys() - b.keys()),
        only_second=len(b.keys() - a.keys()),
        settled=sum(cell in settled for cell in differing),
    )


def annotator_labels(truth: GroundTruth, cell: CellRef, names: Iterable[str]) -> str:
    """'ann: reported, bob: not_reported'"""
    labels = ((name, truth.annotators[name].get(cell)) for name in names)
    return ", ".join(f"{name}: {_LABELS[reported]}" for name, reported in labels if reported is not None)


def _cells(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each paper x question, that of the vote last, without papers that could not be read."""
    readable = (row for row in rows if row.cell.verdict.status is not Status.UNREADABLE)
    for _, cell_rows in groupby(readable, key=lambda row: (row.paper.name, row.question.id)):
        yield list(cell_rows)


def _sheet_row(rows: Sequence[Row], note: str | None) -> SheetRow:
    last = rows[-1]
    answer = last.cell.answer
    votes = last.votes if last.votes is not None else {last.cell.reader: last.cell.verdict.status}
    return SheetRow(
        paper=last.paper.name,
        paper_sha256=last.paper.sha256,
        title=last.paper.title,
        question=last.question.id,
        question_text=last.question.text,
        passages=_passages(last),
        verdict=last.cell.verdict.status.value if note is None else "",
        readers=", ".join(f"{reader}: {status.value}" for reader, status in votes.items()) if note is None else note,
        answer=answer.text,
        quotes=quotes_text(answer.evidence),
    )


def _passages(row: Row) -> str:
    passages: list[str] = []
    characters = 0
    for hit in row.cell.hits:
        characters += len(hit.passage.text)
        if characters > _MOST_CHARACTERS and passages:
            break
        passages.append(f"[{f'p. {hit.passage.page}' if hit.passage.page else hit.passage.section}] {hit.passage.text}")
    return "\n\n".join(passages)


def write_csv(rows: Sequence[SheetRow], path: Path, *, blind: bool) -> None:
    lines = (_values(row, number, blind) for number, row in enumerate(rows, 1))
    with atomic_path(path) as draft, draft.open("wb") as out:
        out.writelines(encode_lines(chain([_columns(blind)], lines)))


def write_xlsx(rows: Sequence[SheetRow], path: Path, *, blind: bool, words: Sequence[str] = ()) -> None:
    """`words` are the choices offered for the label; others can be typed."""
    import xlsxwriter

    names = _columns(blind)
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with atomic_path(path) as draft, xlsxwriter.Workbook(str(draft), options) as book:
        head = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
        body = book.add_format({"text_wrap": True, "valign": "top"})
        fill_in = book.add_format({"text_wrap": True, "valign": "top", "bg_color": "#FFF7DB"})
        sheet = book.add_worksheet("annotate")
        for index, name in enumerate(names):
            sheet.set_column(index, index, _WIDTHS.get(name, _WIDTH))
            sheet.write_string(0, index, name, head)
        for number, row in enumerate(rows, 1):
            for index, (name, value) in enumerate(zip(names, _values(row, number, blind), strict=True)):
                sheet.write_string(number, index, cut(printable(value)), fill_in if name in ("label", "note") else body)
        sheet.freeze_panes(1, 2)
        if words and rows:
            label = names.index("label")
            validate = {"validate": "list", "source": list(words), "error_type": "information"}
            sheet.data_validation(1, label, len(rows), label, validate)


def _columns(blind: bool) -> tuple[str, ...]:
    return _COLUMNS if blind else (*_COLUMNS[:6], *_NOT_BLIND, *_COLUMNS[6:])


def _values(row: SheetRow, number: int, blind: bool) -> list[str]:
    others = {"number": str(number), "label": "", "note": ""}
    return [others[name] if name in others else getattr(row, name) for name in _columns(blind)]
