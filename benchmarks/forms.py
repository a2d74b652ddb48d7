"""Compare the PDF of papers with another form of them: sentences found in both, and verdicts that agree.

    python -m benchmarks.forms PDFS [FORMS]
    python -m benchmarks.forms --pairs FOLDER [--pairs FOLDER ...] [--misses]

FORMS has files with the names of the PDFs, such as paper.xml for paper.pdf; by default and with --pairs, they are beside the
PDFs. Each is read on its own. Measured are

- the share of the body sentences of the marked-up form that the PDF has too, and the other way round, as `form_sentences` defines
  them: verbatim, located, located in parts, and the last of the sentences that the other file has at all;
- the share of cells in which the embedded reader gives both the same status;
- for files beside each other, the share of sentences that have a place on a page when both are read as one paper.

--misses prints what differs.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.form_sentences import Found, find, placed_sentences, raw_text
from methodlens import Lens
from methodlens.papers.files import sha256_of
from methodlens.papers.forms.recognition import why_not_paper
from methodlens.papers.forms.suffixes import HTML, JATS, LATEX, WORD
from methodlens.records import Paper, PaperStatus, Status
from methodlens.settings import ReadingSettings, Settings


class Compared(NamedTuple):
    paper: str
    written: Found
    """Sentences of the marked-up form in the PDF."""
    printed: Found
    """Sentences of the PDF in the marked-up form."""
    cells: int
    reported: int
    """Cells that are reported in one of the two at least."""
    differ: tuple[str, ...]
    placed: int
    """Sentences of the form with a place on a page, if both are read as one paper; 0 if they are not beside each other."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdfs", type=Path, nargs="?")
    parser.add_argument("forms", type=Path, nargs="?")
    parser.add_argument("--pairs", type=Path, action="append", default=[])
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    if not given.pdfs and not given.pairs:
        parser.error("name PDFS, or a folder with --pairs")
    folders = [(given.pdfs, given.forms or given.pdfs)] if given.pdfs else []
    for pdfs, forms in (*folders, *((pairs, pairs) for pairs in given.pairs)):
        print_folder(pdfs, forms, misses=given.misses)


def print_folder(pdfs: Path, forms: Path, *, misses: bool) -> None:
    results = list(compare_all(pdfs, forms))
    for result in results:
        print(
            f"{result.paper}: {_counts(result.written)} in the PDF, {_counts(result.printed)} in the form,"
            f" {result.cells - len(result.differ)}/{result.cells} cells"
        )
        if misses:
            for sentence in result.written.absent:
                print(f"  not in the PDF: {sentence}")
            for sentence in result.printed.absent:
                print(f"  not in the form: {sentence}")
            for cell in result.differ:
                print(f"  {cell}")
    print(f"{pdfs}: {len(results)} papers")
    print(f"body sentences of the form in the PDF: {_shares([result.written for result in results])}")
    print(f"body sentences of the PDF in the form: {_shares([result.printed for result in results])}")
    if placed := sum(result.placed for result in results):
        sentences_of_forms = sum(result.written.sentences for result in results)
        print(f"body sentences of the pair with a place in the PDF: {_share(placed, sentences_of_forms)}")
    cells = sum(result.cells for result in results)
    agree, reported = cells - sum(len(result.differ) for result in results), sum(result.reported for result in results)
    print(f"cells that agree: {_share(agree, cells)} of {cells}, of which {reported} are reported in one at least")


def compare_all(pdfs: Path, forms: Path) -> Iterator[Compared]:
    with Lens(settings=Settings(reading=ReadingSettings(pairs="off"))) as lens, Lens() as pairing:
        for pdf in sorted(pdfs.glob("*.pdf")):
            form = _form_of(pdf, forms)
            printed = lens.read(pdf)
            if form and printed.status is PaperStatus.OK:
                marked_up, pair = lens.read(form), pairing.read(pdf)
                placed = placed_sentences(pair) if forms == pdfs and pair.text == marked_up.text else 0
                raw = raw_text(pdf), raw_text(form)
                yield compare(lens, printed, marked_up, name=form.name, raw=raw)._replace(placed=placed)


def compare(lens: Lens, printed: Paper, marked_up: Paper, *, name: str, raw: tuple[str, str]) -> Compared:
    """The sentences of each that the other has too, and the statuses that agree. `raw` is the raw text of both files."""
    questions = lens.questions.questions
    statuses = [[answer.status for answer in lens.answers(paper, questions, name=name)] for paper in (printed, marked_up)]
    differ = tuple(
        f"{question.id}: {pdf.value} in the PDF, {form.value} in the form"
        for question, pdf, form in zip(questions, *statuses, strict=True)
        if pdf is not form
    )
    reported = sum(Status.REPORTED in pair for pair in zip(*statuses, strict=True))
    written, in_form = find(marked_up, printed, raw=raw[0]), find(printed, marked_up, raw=raw[1])
    return Compared(name, written, in_form, len(questions), reported, differ, 0)


def _form_of(pdf: Path, forms: Path) -> Path | None:
    for suffix in (*JATS, *HTML, *LATEX, *WORD):
        path = forms / f"{pdf.stem}{suffix}"
        if path.is_file() and not why_not_paper(str(path)) and sha256_of(path):
            return path
    return None


def _counts(found: Found) -> str:
    return f"{found.verbatim} and {found.located} of {found.sentences} sentences"


def _shares(found: Sequence[Found]) -> str:
    every = sum(each.sentences for each in found)
    verbatim, located = sum(each.verbatim for each in found), sum(each.located for each in found)
    in_parts, held = sum(each.in_parts for each in found), sum(each.held for each in found)
    return (
        f"{_share(verbatim, every)} verbatim, {_share(located, every)} located, {_share(in_parts, every)} in parts, of {every};"
        f" {_share(in_parts, held)} of the {held} that it has at all"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


if __name__ == "__main__":
    main()
