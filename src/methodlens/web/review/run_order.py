"""The order of a run: which page a paper is on, and which cell follows another."""

from collections.abc import Iterator, Sequence

from methodlens.ledger import overview
from methodlens.ledger.listing import PAGE
from methodlens.ledger.store import Ledger, Run
from methodlens.records import ContentRef, Status

_BATCH = 20  # papers read together while looking for the next cell


def page_count(run: Run) -> int:
    return max(1, -(-run.papers // PAGE))


def first_listed(ledger: Ledger, run: Run, names: Sequence[str]) -> str:
    """Of files with the same content, the one that the run lists first."""
    return names[0] if len(names) == 1 else next((name for name in ledger.names(run) if name in names), names[0])


def page_of(ledger: Ledger, run: Run, name: str, *, guess: int = 0) -> int:
    """From 0. Looks at page `guess` first."""
    pages = (guess, *range(page_count(run)))
    return next((page for page in pages if name in ledger.names(run, page=page)), 0)


def next_cell(ledger: Ledger, run: Run, ref: ContentRef, *, page: int) -> ContentRef | None:
    """The next cell with something to review; the first one if `ref` is not in the run. `page` is the page of its paper."""
    names = overview.names_of(ledger, run, [ref.paper_sha256]).get(ref.paper_sha256)
    current = first_listed(ledger, run, names) if names else ""
    questions = [question.id for question in run.questions]
    passed = questions[: questions.index(ref.question) + 1] if ref.question in questions else []
    for batch in _batches_from(ledger, run, current, page):
        contents = overview.content_hashes(ledger, run, batch)
        names_of = overview.names_of(ledger, run, contents.values())
        for cell in overview.summaries_of(ledger, run, batch):
            sha256 = contents.get(cell.paper)
            if sha256 is None or cell.verdict is Status.UNREADABLE or (cell.paper == current and cell.question in passed):
                continue
            if first_listed(ledger, run, names_of[sha256]) == cell.paper:
                return ContentRef(sha256, cell.question)
    return None


def _batches_from(ledger: Ledger, run: Run, name: str, page: int) -> Iterator[Sequence[str]]:
    for number in range(page, page_count(run)):
        names = list(ledger.names(run, page=number))
        begin = names.index(name) if name in names else 0
        for start in range(begin, len(names), _BATCH):
            yield names[start : start + _BATCH]
