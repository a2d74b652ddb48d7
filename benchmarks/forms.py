"""Compare the PDF of papers with another form of them: sentences found in both, and verdicts that agree.

    python -m benchmarks.forms PDFS [FORMS]
    python -m benchmarks.forms --pairs FOLDER [--pairs FOLDER ...] [--misses]

FORMS has files with the names of the PDFs, such as paper.xml for paper.pdf; by default and with --pairs, they are beside the
PDFs. Each is read on its own. Measured are

- the share of the body sentences of the marked-up form that the PDF has too, and the other way round: verbatim (apart from
  spaces, hyphens and case); located as quotes are, which allows for 15% of other characters; and located apart from what only one
  of the two can have, the addresses of links and formulas that the form has as images (the parts of such a sentence must be
  located in order);
- the share of cells in which the embedded reader gives both the same status;
- for files beside each other, the share of sentences that have a place on a page when both are read as one paper.

--misses prints what differs.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from methodlens import Lens
from methodlens.papers.files import sha256_of
from methodlens.papers.forms.recognition import why_not_paper
from methodlens.papers.forms.suffixes import HTML, JATS, LATEX, WORD
from methodlens.records import Match, Paper, PaperStatus, SectionKind, Status
from methodlens.settings import ReadingSettings, Settings
from methodlens.text import locate, places, sentences

_NO_BODY = (SectionKind.FRONT, SectionKind.REFERENCES)
_MIN_CHARS = 30
_MIN_PART = 8  # letters and digits of a part that is looked for
_WIDEST = 3000  # characters in which the next part must be
_ADDRESS = re.compile(r" \((?:https?|ftp)://[^\s()]{1,300}\)")
_GAP = re.compile(r"\(?\[…\]\)?(?:\s\(\d{1,3}\))?")


class Found(NamedTuple):
    """The body sentences of one text, and how many of them another has."""

    sentences: int
    verbatim: int
    located: int
    in_parts: int
    """Located, or so without the addresses of links and with gaps for images of formulas."""
    absent: tuple[str, ...]


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
                yield compare(lens, printed, marked_up, name=form.name)._replace(placed=placed)


def compare(lens: Lens, printed: Paper, marked_up: Paper, *, name: str) -> Compared:
    """The sentences of each that the other has too, and the statuses that agree."""
    questions = lens.questions.questions
    statuses = [[answer.status for answer in lens.answers(paper, questions, name=name)] for paper in (printed, marked_up)]
    differ = tuple(
        f"{question.id}: {pdf.value} in the PDF, {form.value} in the form"
        for question, pdf, form in zip(questions, *statuses, strict=True)
        if pdf is not form
    )
    reported = sum(Status.REPORTED in pair for pair in zip(*statuses, strict=True))
    return Compared(name, find(marked_up, printed), find(printed, marked_up), len(questions), reported, differ, 0)


def find(paper: Paper, other: Paper) -> Found:
    """The body sentences of a paper in the text of the other."""
    matches = [(sentence, locate(sentence, other.text).match) for sentence in body_sentences(paper)]
    absent = tuple(sentence for sentence, match in matches if match is Match.ABSENT)
    verbatim = sum(match is Match.EXACT for _, match in matches)
    in_parts = sum(has_parts(sentence, other.text) for sentence in absent)
    located = len(matches) - len(absent)
    return Found(len(matches), verbatim, located, located + in_parts, absent)


def has_parts(sentence: str, text: str) -> bool:
    """Whether the parts of a sentence between its gaps are in the text, one after the other; False if it has no gaps.

    >>> has_parts("The pond (https://example.org/pond) of 12 newts […] is deep.", "Here. The pond of 12 newts, a = 4, is deep.")
    True
    """
    bare = _ADDRESS.sub("", sentence)
    parts = [part for part in _GAP.split(bare) if sum(map(str.isalnum, part)) >= _MIN_PART]
    if bare == sentence and _GAP.search(sentence) is None:
        return False
    at = 0
    for part in parts:
        found = locate(part, text[at : at + _WIDEST] if at else text)
        if found.match is Match.ABSENT:
            return False
        at = (at + found.end) if at else found.end
    return bool(parts) and sum(map(len, parts)) >= _MIN_CHARS / 2


def placed_sentences(paper: Paper) -> int:
    """How many body sentences have a place on a page."""
    starts = ((paper.text.find(sentence), len(sentence)) for sentence in body_sentences(paper))
    return sum(bool(places(paper, start, start + length)) for start, length in starts)


def body_sentences(paper: Paper) -> Iterator[str]:
    """Those of paragraphs, without headings, tables and references."""
    for section in paper.sections:
        if section.kind in _NO_BODY:
            continue
        begin = section.start + len(section.title)
        while begin < section.end:
            stop = paper.text.find("\n", begin, section.end)
            stop = section.end if stop < 0 else stop
            if not any(table.start <= begin < table.end for table in paper.tables):
                yield from (paper.text[a:b] for a, b in sentences(paper.text, begin, stop) if b - a >= _MIN_CHARS)
            begin = stop + 1


def _form_of(pdf: Path, forms: Path) -> Path | None:
    for suffix in (*JATS, *HTML, *LATEX, *WORD):
        path = forms / f"{pdf.stem}{suffix}"
        if path.is_file() and not why_not_paper(str(path)) and sha256_of(path):
            return path
    return None


def _counts(found: Found) -> str:
    return f"{found.verbatim} and {found.located} of {found.sentences} sentences"


def _shares(found: Sequence[Found]) -> str:
    sentences = sum(each.sentences for each in found)
    verbatim, located = sum(each.verbatim for each in found), sum(each.located for each in found)
    in_parts = _share(sum(each.in_parts for each in found), sentences)
    return (
        f"{_share(verbatim, sentences)} verbatim, {_share(located, sentences)} located,"
        f" {in_parts} apart from addresses of links and images of formulas, of {sentences}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


if __name__ == "__main__":
    main()
