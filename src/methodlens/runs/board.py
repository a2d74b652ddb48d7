"""A run as rows for every report: each cell beside its paper and question, and the vote where several readers answered."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from methodlens.errors import InputError
from methodlens.papers import duplicates
from methodlens.records import Answer, Cell, Evidence, PaperEntry, Question, Row, Status, Verdict
from methodlens.runs.ledger import Ledger, Run
from methodlens.seams import VotingRule
from methodlens.verdicts import majority

VOTE = "vote"


def rows(ledger: Ledger, run: Run, *, rule: VotingRule = majority) -> Iterator[Row]:
    """Paper by paper, question by question, reader by reader; then the vote. Nothing holds more than one paper."""
    for entry, parser in entries(ledger, run):
        cells = ledger.cells(run, entry, parser)
        for question in run.questions:
            yield from _of_question(entry, question, cells, run.readers, rule)


def rows_of(
    ledger: Ledger, run: Run, paper: tuple[PaperEntry, str], question: Question, *, rule: VotingRule = majority
) -> list[Row]:
    """One paper x question: the readers that answered, then the vote. `paper` is one of `entries`."""
    entry, parser = paper
    return list(_of_question(entry, question, ledger.cells(run, entry, parser, question=question.id), run.readers, rule))


def _of_question(
    entry: PaperEntry, question: Question, cells: Sequence[Cell], readers: Sequence[str], rule: VotingRule
) -> Iterator[Row]:
    by_reader = {cell.reader: cell for cell in cells if cell.question == question.id}
    asked = [by_reader[reader] for reader in readers if reader in by_reader]
    for cell in asked:
        yield Row(entry, question, cell)
    if len(readers) > 1 and asked:
        yield _vote(entry, question, asked, readers, rule)


def entries(ledger: Ledger, run: Run) -> Sequence[tuple[PaperEntry, str]]:
    """The papers of a run with their parsers; one that an earlier paper holds already says so."""
    listed = list(ledger.entries(run))
    again = duplicates([(entry.name, entry.doi, entry.text_sha256) for entry, _ in listed])
    return [(replace(entry, duplicate_of=again.get(entry.name, "")), parser) for entry, parser in listed]


def latest(ledger: Ledger, prefix: str = "") -> Run:
    """The newest run, or the one whose id begins with `prefix`."""
    found = [run for run in ledger.runs() if run.id.startswith(prefix)]
    if not found:
        known = ", ".join(run.id[:8] for run in ledger.runs()) or "none"
        raise InputError(f"no run {prefix!r} in {ledger.path}", f"its runs are: {known}")
    return found[0]


def _vote(entry: PaperEntry, question: Question, cells: Sequence[Cell], readers: Sequence[str], rule: VotingRule) -> Row:
    answered = {cell.reader: cell for cell in cells}
    missing = Verdict(Status.FAILED, "not answered yet")
    tally = rule({reader: answered[reader].verdict if reader in answered else missing for reader in readers})
    winners = [cell for cell in cells if cell.verdict.status is tally.status]
    cell = Cell(
        key="",
        paper_sha256=entry.sha256,
        question=question.id,
        reader=VOTE,
        model=tally.rule,
        verdict=Verdict(tally.status, tally.reason),
        answer=Answer(
            text="\n".join(f"{cell.reader}: {cell.answer.text or cell.verdict.reason}" for cell in cells),
            evidence=_shared(cell.answer.evidence for cell in winners) if tally.status is Status.REPORTED else (),
            facts=next((cell.answer.facts for cell in winners if cell.answer.facts), {}),
        ),
        hits=cells[0].hits,
        seconds=sum(cell.seconds for cell in cells),
    )
    return Row(entry, question, cell, votes=tally.votes)


def _shared(quotes: Iterable[Sequence[Evidence]]) -> tuple[Evidence, ...]:
    """The readers' quotes, each place once, in the order in which most of them come."""
    first: dict[tuple[int, int], Evidence] = {}
    count: dict[tuple[int, int], int] = {}
    for evidence in quotes:
        for quote in evidence:
            span = (quote.start, quote.end)
            first.setdefault(span, quote)
            count[span] = count.get(span, 0) + 1
    return tuple(first[span] for span in sorted(count, key=lambda span: -count[span]))[:5]
