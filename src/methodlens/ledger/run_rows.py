"""A run as rows for reports: each cell with its paper and question, and the vote if there are several readers."""

from collections.abc import Container, Iterator, Sequence

from msgspec.structs import replace

from methodlens.code.comparison import code_cell
from methodlens.errors import InputError
from methodlens.ledger import recalibrations, repositories, supplements
from methodlens.ledger.recalibrations import Recalibrations
from methodlens.ledger.repeats import repeat_names
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.supplements import PaperSupplements
from methodlens.ledger.vote_answer import combine_answers
from methodlens.papers import DuplicateFinder
from methodlens.records import Cell, PaperEntry, Question, Row, Status, Verdict
from methodlens.records.code import Repository
from methodlens.seams import VotingRule
from methodlens.verdicts import voting_rule

VOTE = "vote"


def rows(
    ledger: Ledger,
    run: Run,
    *,
    vote: str | VotingRule = "",
    repeats: bool = False,
    only: Container[str] | None = None,
    as_read: bool = False,
) -> Iterator[Row]:
    """By paper, question and reader, followed by the vote. Only one paper is in memory at a time.

    `vote` replaces the run's voting rule; with `repeats`, the repeats of a reader follow its cell; `only` limits the papers.
    `as_read` gives the readers' own probabilities and verdicts where a question was recalibrated.
    """
    several = len(run.readers) > 1
    rule = voting_rule(vote or run.vote, run.readers if several else ())
    refits = Recalibrations({}) if as_read else recalibrations.current(ledger, run)
    return _rows(ledger, run, rule if several else None, refits, repeats=repeats, only=only)


def _rows(
    ledger: Ledger,
    run: Run,
    rule: VotingRule | None,
    refits: Recalibrations,
    *,
    repeats: bool,
    only: Container[str] | None,
) -> Iterator[Row]:
    shown = [name for reader in run.readers for name in ((reader, *repeat_names(reader, run.repeat)) if repeats else (reader,))]
    with_code = repositories.papers_with_code(ledger, run)
    with_supplements = supplements.papers_with_supplements(ledger, run)
    for entry, parser in entries(ledger, run):
        if only is not None and entry.name not in only:
            continue
        cells = list(map(refits.cell, ledger.cells(run, entry, parser)))
        code = repositories.of_paper(ledger, run, entry.name) if entry.name in with_code else None
        more = supplements.of_paper(ledger, run, entry.name, refits) if entry.name in with_supplements else None
        for question in map(refits.question, run.questions):
            found = _of_question(entry, question, cells, run.readers, rule, shown=shown)
            yield from _with_supplements(_with_code(found, code), more)


def rows_of(ledger: Ledger, run: Run, paper: tuple[PaperEntry, str], question: Question) -> list[Row]:
    """One paper x question: the readers that answered, then the vote. `paper` is one of `entries`."""
    entry, parser = paper
    rule = voting_rule(run.vote, run.readers) if len(run.readers) > 1 else None
    refits = recalibrations.current(ledger, run)
    cells = list(map(refits.cell, ledger.cells(run, entry, parser, question=question.id)))
    found = _of_question(entry, refits.question(question), cells, run.readers, rule, shown=run.readers)
    more = supplements.of_paper(ledger, run, entry.name, refits)
    return list(_with_supplements(_with_code(found, repositories.of_paper(ledger, run, entry.name)), more))


def rows_of_paper(ledger: Ledger, run: Run, paper: tuple[PaperEntry, str]) -> Iterator[Row]:
    """The same for all questions."""
    entry, parser = paper
    rule = voting_rule(run.vote, run.readers) if len(run.readers) > 1 else None
    refits = recalibrations.current(ledger, run)
    cells = list(map(refits.cell, ledger.cells(run, entry, parser)))
    code, more = repositories.of_paper(ledger, run, entry.name), supplements.of_paper(ledger, run, entry.name, refits)
    for question in map(refits.question, run.questions):
        found = _of_question(entry, question, cells, run.readers, rule, shown=run.readers)
        yield from _with_supplements(_with_code(found, code), more)


def final_row(
    entry: PaperEntry, question: Question, cells: Sequence[Cell], readers: Sequence[str], rule: str | VotingRule
) -> Row:
    """The only reader's cell, or the vote by `rule`."""
    if len(cells) == 1:
        return Row(entry, question, cells[0])
    return _vote(entry, question, cells, readers, voting_rule(rule, readers))


def _of_question(
    entry: PaperEntry,
    question: Question,
    cells: Sequence[Cell],
    readers: Sequence[str],
    rule: VotingRule | None,
    *,
    shown: Sequence[str],
) -> Iterator[Row]:
    by_reader = {cell.reader: cell for cell in cells if cell.question == question.id}
    yield from (Row(entry, question, by_reader[name]) for name in shown if name in by_reader)
    asked = [by_reader[reader] for reader in readers if reader in by_reader]
    if rule and asked:
        yield _vote(entry, question, asked, readers, rule)


def _with_code(rows: Iterator[Row], repository: Repository | None) -> Iterator[Row]:
    """Each row with what the paper's repository says on its question, next to the verdict and without any effect on it."""
    if repository is None:
        return rows
    return (replace(row, code=code_cell(repository, row.question, row.cell)) for row in rows)


def _with_supplements(rows: Iterator[Row], more: PaperSupplements | None) -> Iterator[Row]:
    """Each row with what the paper's supplements say on its question, likewise."""
    if more is None or not more.files:
        return rows
    return (replace(row, supplements=more.on(row.question.id)) for row in rows)


def entries(ledger: Ledger, run: Run) -> Iterator[tuple[PaperEntry, str]]:
    """The papers of a run with their parsers; a duplicate names the earlier paper."""
    duplicates = DuplicateFinder()
    for entry, parser in ledger.entries(run):
        yield replace(entry, duplicate_of=duplicates.add(entry.name, entry.doi, entry.text_sha256)), parser


def latest(ledger: Ledger, prefix: str = "") -> Run:
    """The newest run, or the one whose id begins with `prefix`."""
    runs = ledger.runs()
    for run in runs:
        if run.id.startswith(prefix):
            return run
    raise InputError(f"no run {prefix!r} in {ledger.name}", f"its runs are: {', '.join(run.id[:8] for run in runs) or 'none'}")


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
        answer=combine_answers(cells, winners if tally.status is Status.REPORTED else ()),
        hits=cells[0].hits,
        shown=cells[0].shown,
        seconds=sum(cell.seconds for cell in cells),
    )
    return Row(entry, question, cell, votes=tally.votes)
