"""Whether the text under our highlights is the quote, and whether the pages are otherwise unchanged.

    python -m benchmarks.highlights PAPERS [--out DIR]

Asks the built-in questions of every PDF in PAPERS, exports annotated PDFs, and reads them again. Prints totals only. A quote
counts as equal if its letters and digits are: line ends, hyphens and ligatures differ between a page and its text.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from benchmarks.highlighted_text import Highlighted, highlighted
from methodlens.ledger.run_rows import entries, latest, rows
from methodlens.lens import Lens
from methodlens.papers import locate_all
from methodlens.papers.metadata.title_page import letters
from methodlens.records import Match, Paper, Row
from methodlens.reports.output_files import slug
from methodlens.reports.pdf.annotated_pdfs import AnnotatedPdfs
from methodlens.reports.pdf.marks import Colour, group_colours, highlights_of
from methodlens.settings import Settings


class Quoted(NamedTuple):
    """A located quote. `restated`: it gives the cells of a table with their headings, so the page has other words."""

    match: Match
    restated: bool
    equal: bool


def quotes_under_highlights(
    paper: Paper, paper_rows: Iterable[Row], colours: Mapping[str, Colour], marks: Sequence[Highlighted]
) -> Iterator[Quoted]:
    """Each located quote of a paper, and whether the text under its highlights equals it, or the rows of the table."""
    found = {mark.id: mark.text for mark in marks}
    for row in paper_rows:
        for evidence in row.cell.answer.evidence:
            if evidence.match is not Match.ABSENT and evidence.places:
                under = " ".join(found.get(mark.id, "") for mark in highlights_of(row, evidence, colours[row.question.id]))
                printed = paper.text[evidence.start : evidence.end]
                restated = letters(printed) != letters(evidence.quote)
                yield Quoted(evidence.match, restated, letters(under) == letters(printed))


def pages_compared(before: bytes, after: bytes, marks: Sequence[Highlighted]) -> Iterator[tuple[bool, bool]]:
    """Each page: whether it is equal without annotations, and with them equal outside the highlights."""
    old, new = pdfium.PdfDocument(before), pdfium.PdfDocument(after)
    covers = len(new) - len(old)
    for number in range(len(old)):
        plain, same = _pixels(old, number, annotations=False), _pixels(new, number + covers, annotations=False)
        differs = (_pixels(old, number, annotations=True) != _pixels(new, number + covers, annotations=True)).any(axis=2)
        for left, top, right, bottom in (box for mark in marks if mark.page == number + covers + 1 for box in mark.boxes):
            rows, columns = slice(max(0, int(top) - 1), int(bottom) + 3), slice(max(0, int(left) - 1), int(right) + 3)
            differs[rows, columns] = False
        yield np.array_equal(plain, same), not differs.any()


def _pixels(document: pdfium.PdfDocument, number: int, *, annotations: bool) -> NDArray[np.uint8]:
    pixels: NDArray[np.uint8] = document[number].render(scale=1, draw_annots=annotations).to_numpy().copy()
    return pixels


def measure(papers: Path, out: Path) -> Counter[str]:
    totals: Counter[str] = Counter()
    settings = Settings(out=str(out))
    lens = Lens(settings=settings)
    lens.run(papers, progress=False)
    with lens.open_ledger() as ledger:
        run = latest(ledger)
        exported = AnnotatedPdfs().for_run(run, ledger, settings).write(rows(ledger, run), out / "pdf")
        print(exported.lines, "annotated", file=sys.stderr)
        files, colours = locate_all(run.sources), group_colours(run.questions)
        for entry, parser in entries(ledger, run):
            copy = out / "pdf" / f"{slug(entry.name[:-4])}.pdf"
            paper = ledger.paper(entry.sha256, parser)
            if not copy.is_file() or not paper:
                totals["papers without a copy"] += 1
                continue
            annotated = copy.read_bytes()
            marks = highlighted(annotated)
            totals["papers"] += 1
            for quoted in quotes_under_highlights(paper, rows(ledger, run, only=[entry.name]), colours, marks):
                kind = "table rows" if quoted.restated else f"{quoted.match} quotes"
                totals[kind] += 1
                totals[f"{kind} equal"] += quoted.equal
            for equal, unchanged in pages_compared(files[entry.name].path.read_bytes(), annotated, marks):
                totals["pages"] += 1
                totals["pages equal without annotations"] += equal
                totals["pages unchanged outside the highlights"] += unchanged
    return totals


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("papers", type=Path)
    parser.add_argument("--out", type=Path, help="keep the run and the annotated PDFs here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        totals = measure(options.papers, options.out or Path(scratch))
    for name, count in totals.items():
        print(f"{count:>7}  {name}")
    if totals["exact quotes"]:
        print(f"{100 * totals['exact quotes equal'] / totals['exact quotes']:.2f}% of exact quotes equal the text under them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
