"""From a run to annotation sheets, and from what people wrote back to the ledger."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from methodlens.errors import LabelsError
from methodlens.evaluation.ground_truth import GroundTruth, disagreements
from methodlens.evaluation.labels import LabelSet
from methodlens.evaluation.raters import PairAgreement, pair_agreement
from methodlens.ledger import rows as board
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.overview import CellSummary
from methodlens.records import Annotation, CellRef, PaperEntry, Row, Status
from methodlens.reports.formats.csv_tables import escape_formula
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.output_files import atomic_path
from methodlens.text.printable import cut, printable

_COLUMNS = ("number", "paper", "title", "question", "question_text", "passages", "label", "note", "paper_sha256")
_OPEN = ("verdict", "readers", "answer", "quotes")
_WIDTHS = {"number": 7, "question": 9, "label": 10, "paper_sha256": 12, "passages": 80, "answer": 50, "quotes": 50}
_WIDTH = 24
_SHOWN = 4000  # characters of passages: what a reader was given
_STANCE = {True: "reported", False: "not_reported"}


class SheetRow(Struct, frozen=True):
    """What a person needs to decide on a cell; the last four are left out of a blind sheet."""

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
    for rows in _cells(board.rows(ledger, run)):
        *readers, last = rows
        own = readers if last.votes is not None else rows
        yield CellSummary(
            paper=last.paper.name,
            question=last.question.id,
            verdict=last.cell.verdict.status,
            said={row.cell.reader: row.cell.verdict.status for row in own},
            p_reported=own[0].cell.answer.p_reported if len(own) == 1 else None,
        )


def sheet_rows(
    ledger: Ledger, run: Run, wanted: Sequence[CellRef], *, notes: Mapping[CellRef, str] | None = None
) -> list[SheetRow]:
    """The cells of a sheet in the order wanted. `notes` stand in place of the readers' verdicts (for adjudication)."""
    chosen = set(wanted)
    found = {}
    for rows in _cells(board.rows(ledger, run, only={paper for paper, _ in wanted})):
        place = CellRef(rows[0].paper.name, rows[0].question.id)
        if place in chosen:
            found[place] = _sheet_row(rows, (notes or {}).get(place))
    return [found[place] for place in wanted if place in found]


def keep_labels(ledger: Ledger, gold: LabelSet, papers: Iterable[PaperEntry], annotator: str) -> int:
    """Each label as an annotation, with the time; how many were kept."""
    sha256 = {paper.name: paper.sha256 for paper in papers}
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    return ledger.keep_annotations(
        Annotation(sha256[label.paper], label.question, annotator, label.status, now, label.note) for label in gold.labels
    )


class Comparison(Struct, frozen=True):
    """Two annotators on the cells both decided, and those where they differ; `settled` counts the ones adjudicated."""

    agreement: PairAgreement
    differing: tuple[CellRef, ...]
    only_first: int
    only_second: int
    settled: int


def compare_annotators(truth: GroundTruth, first: str, second: str, adjudicated: str) -> Comparison:
    for name in (first, second):
        if name not in truth.annotators:
            raise LabelsError(f"there are no labels by {name!r}", f"there are some by: {', '.join(truth.annotators) or 'nobody'}")
    a, b = truth.annotators[first], truth.annotators[second]
    settled = truth.annotators.get(adjudicated, {})
    differing = disagreements(truth, first, second)
    return Comparison(
        pair_agreement(truth.annotators, first, second),
        tuple(differing),
        only_first=len(a.keys() - b.keys()),
        only_second=len(b.keys() - a.keys()),
        settled=sum(place in settled for place in differing),
    )


def annotator_labels(truth: GroundTruth, place: CellRef, names: Iterable[str]) -> str:
    """'ann: reported, bob: not_reported'"""
    said = ((name, truth.annotators[name].get(place)) for name in names)
    return ", ".join(f"{name}: {_STANCE[reported]}" for name, reported in said if reported is not None)


def _cells(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each paper x question, the vote's last. Papers that could not be read have nothing to look at."""
    together: list[Row] = []
    for row in rows:
        if row.cell.verdict.status is Status.UNREADABLE:
            continue
        if together and (together[0].paper.name, together[0].question.id) != (row.paper.name, row.question.id):
            yield together
            together = []
        together.append(row)
    if together:
        yield together


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
        quotes=" | ".join(f"“{quote.quote}” ({quote_location(quote)})" for quote in answer.evidence),
    )


def _passages(row: Row) -> str:
    parts: list[str] = []
    used = 0
    for hit in row.cell.hits:
        if used + len(hit.passage.text) > _SHOWN and parts:
            break
        parts.append(f"[p. {hit.passage.page}] {hit.passage.text}")
        used += len(hit.passage.text)
    return "\n\n".join(parts)


def columns(*, blind: bool) -> tuple[str, ...]:
    return _COLUMNS if blind else (*_COLUMNS[:6], *_OPEN, *_COLUMNS[6:])


def write_csv(rows: Sequence[SheetRow], path: Path, *, blind: bool) -> None:
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8-sig", newline="") as out:
        table = csv.writer(out, quoting=csv.QUOTE_ALL)
        table.writerow(columns(blind=blind))
        for number, row in enumerate(rows, 1):
            table.writerow([escape_formula(value) for value in _values(row, number, blind)])


def write_xlsx(rows: Sequence[SheetRow], path: Path, *, blind: bool, words: Sequence[str] = ()) -> None:
    """`words` are offered for the label in a list; others can be typed."""
    import xlsxwriter

    names = columns(blind=blind)
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


def _values(row: SheetRow, number: int, blind: bool) -> list[str]:
    known = {"number": str(number), "label": "", "note": ""}
    return [known[name] if name in known else getattr(row, name) for name in columns(blind=blind)]
