"""The final word on a cell: a person's where there is one, adjudicated where people differ, else the vote's or the reader's."""

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from methodlens.code.comparison import code_cell
from methodlens.ledger import annotations as annotation_rows
from methodlens.ledger import run_rows
from methodlens.ledger.annotations import ADJUDICATED, RESERVED
from methodlens.ledger.listing import PAGE
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, Answer, Cell, Facts, Row, Source, SourceKind, Status, Verdict
from methodlens.seams import VotingRule

FINAL = "final"
"""The reader of a final row."""
_NOT_REPORTED = "The paper does not report this."


class Opinion(Protocol):
    """What counts of a person's annotation."""

    @property
    def annotator(self) -> str: ...
    @property
    def status(self) -> Status: ...
    @property
    def at(self) -> str: ...
    @property
    def facts(self) -> Facts | None: ...
    @property
    def adjudicates(self) -> bool: ...


class Settlement(Struct, frozen=True):
    """What people decided on a cell. Of a disputed one, `by` are all who decided."""

    status: Status
    source: Source


def settle(opinions: Iterable[Opinion]) -> Settlement | None:
    """None if nobody has annotated the cell.

    Someone who is unsure does not dispute another person's decision. Two who call the cell reported, and corrected its facts
    differently, do differ.

    >>> yes = Annotation("ab", "CQ1", "ann", Status.REPORTED, "1")
    >>> no = Annotation("ab", "CQ1", "bob", Status.NOT_REPORTED, "2")
    >>> settle([yes, no]).source.kind.value
    'disputed'
    >>> settle([yes, no, Annotation("ab", "CQ1", "eve", Status.REPORTED, "3", adjudicates=True)]).source.by
    ('eve',)
    """
    given = sorted(opinions, key=lambda opinion: opinion.at)
    if not given:
        return None
    if adjudications := [opinion for opinion in given if is_adjudication(opinion)]:
        return _settlement(SourceKind.ADJUDICATED, adjudications[-1:])
    decided = [opinion for opinion in given if opinion.status.reported is not None]
    if _differ(decided):
        return replace(_settlement(SourceKind.DISPUTED, decided), status=Status.WITHHELD)
    return _settlement(SourceKind.PERSON, decided or given)


def is_adjudication(opinion: Opinion) -> bool:
    return opinion.adjudicates or opinion.annotator == ADJUDICATED


def _settlement(kind: SourceKind, opinions: Sequence[Opinion]) -> Settlement:
    by = tuple(sorted({opinion.annotator for opinion in opinions}))
    return Settlement(opinions[-1].status, Source(kind, by, opinions[-1].at))


def _differ(decided: Sequence[Opinion]) -> bool:
    corrected = [opinion.facts for opinion in decided if opinion.facts is not None]
    return len({opinion.status for opinion in decided}) > 1 or any(facts != corrected[0] for facts in corrected)


def final_row(rows: Sequence[Row], annotations: Iterable[Annotation]) -> Row:
    """`rows` are those of one paper x question, as `run_rows` gives them; `annotations` are the current ones of people on it."""
    base = next((row for row in rows if row.votes is not None), rows[0])
    given = list(annotations)
    settlement = settle(given)
    if settlement is None:
        kind = SourceKind.READER if base.votes is None else SourceKind.VOTE
        source = Source(kind, (base.cell.reader,) if base.votes is None else tuple(base.votes))
        return _row(base, base.cell.verdict, _machine_answer(base, rows), source)
    deciding = [annotation for annotation in given if annotation.annotator in settlement.source.by]
    answer = _people_answer(_machine_answer(base, rows), base.cell.verdict.status, settlement, deciding)
    own_answer = settlement.source.kind is not SourceKind.DISPUTED and any(annotation.answer for annotation in deciding)
    source = replace(settlement.source, own_answer=own_answer)
    return _row(base, Verdict(settlement.status, _reason(settlement, deciding)), answer, source)


def _row(base: Row, verdict: Verdict, answer: Answer, source: Source) -> Row:
    by_machine = source.kind in (SourceKind.VOTE, SourceKind.READER)
    cell = Cell(
        key="",
        paper_sha256=base.paper.sha256,
        question=base.question.id,
        reader=FINAL,
        model=base.cell.model if by_machine else "",
        verdict=verdict,
        answer=answer,
        hits=base.cell.hits,
        shown=base.cell.shown,
    )
    code = code_cell(base.code.repository, base.question, cell) if base.code else None  # people may have corrected the facts
    return Row(base.paper, base.question, cell, final=source, code=code, supplements=base.supplements)


def _machine_answer(base: Row, rows: Sequence[Row]) -> Answer:
    """A vote lists what each reader answered: the final word is the answer of the first reader on the winning side."""
    answer = replace(base.cell.answer, tokens=None, usage=None)  # spent once, on the reader's own row
    if base.votes is None:
        return answer
    voters = (row for row in rows if row.cell.reader in base.votes)  # repeats have no vote
    winners = (row for row in voters if row.cell.verdict.status is base.cell.verdict.status)
    winner = next((row for row in winners if row.cell.answer.text), None)
    return replace(answer, text=winner.cell.answer.text, p_reported=winner.cell.answer.p_reported) if winner else answer


def _people_answer(machine: Answer, machine_status: Status, settlement: Settlement, deciding: Sequence[Annotation]) -> Answer:
    """The words, facts and quotes that people gave; where they gave none, the machine's if these fit their decision."""
    if settlement.source.kind is SourceKind.DISPUTED:
        return replace(machine, p_reported=None)
    says_nothing = Status.NOT_REPORTED
    if (machine_status is says_nothing) != (settlement.status is says_nothing):
        machine = Answer(_NOT_REPORTED if settlement.status is says_nothing else "")
    newest_first = sorted(deciding, key=lambda annotation: annotation.at, reverse=True)
    text = next((annotation.answer for annotation in newest_first if annotation.answer), machine.text)
    evidence = next((annotation.evidence for annotation in newest_first if annotation.evidence), machine.evidence)
    facts = next((annotation.facts for annotation in newest_first if annotation.facts is not None), None)
    if facts is None:
        return Answer(text, evidence, machine.facts, fact_confidence=machine.fact_confidence)
    return Answer(text, evidence, facts)


def _reason(settlement: Settlement, deciding: Sequence[Annotation]) -> str:
    who = " and ".join(settlement.source.by)
    if settlement.source.kind is SourceKind.DISPUTED:
        words = ", ".join(f"{each.annotator}: {each.status.value.replace('_', ' ')}" for each in deciding)
        return f"people differ ({words}): adjudicate the cell"
    if settlement.status is Status.WITHHELD:
        words = f"{who} {'is' if len(settlement.source.by) == 1 else 'are'} unsure"
    else:
        words = f"{'adjudicated' if settlement.source.kind is SourceKind.ADJUDICATED else 'decided'} by {who}"
    notes = "; ".join(annotation.note for annotation in deciding if annotation.note)
    return f"{words}: {notes}" if notes else words


# --- of a run -------------------------------------------------------------------------------------------------------


def with_final(ledger: Ledger, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of a run, with the final row after those of each paper x question. Only one paper is in memory at a time."""
    annotated = annotated_papers(ledger)
    for (_, sha256), paper_rows in groupby(rows, key=lambda row: (row.paper.name, row.paper.sha256)):
        people = human_annotations(ledger, sha256) if sha256 in annotated else []
        for question, grouped in groupby(paper_rows, key=lambda row: row.question.id):
            cell_rows = list(grouped)
            yield from cell_rows
            yield final_row(cell_rows, (annotation for annotation in people if annotation.question == question))


def final_rows(ledger: Ledger, run: Run, *, vote: str | VotingRule = "", only: Container[str] | None = None) -> Iterator[Row]:
    """One row per paper x question. `vote` replaces the run's voting rule; `only` limits the papers."""
    return (row for row in with_final(ledger, run_rows.rows(ledger, run, vote=vote, only=only)) if row.final)


def rows_of_export(ledger: Ledger, run: Run, *, vote: str | VotingRule = "", repeats: bool = False) -> Iterator[Row]:
    """The rows of readers and vote, and the final ones where these say more than the only reader's rows."""
    rows = run_rows.rows(ledger, run, vote=vote, repeats=repeats)
    return with_final(ledger, rows) if len(run.readers) > 1 or is_reviewed(ledger, run) else rows


def is_reviewed(ledger: Ledger, run: Run) -> bool:
    """Whether people annotated any paper of the run."""
    papers = list(annotated_papers(ledger))
    return any(ledger.entries_of(run, papers[start : start + PAGE]) for start in range(0, len(papers), PAGE))


def annotated_papers(ledger: Ledger) -> frozenset[str]:
    """The SHA-256 of each paper that people annotated."""
    return frozenset(row["paper_sha256"] for row in ledger.fetch(annotation_rows.papers_query(excluding=RESERVED)))


def human_annotations(ledger: Ledger, sha256: str) -> list[Annotation]:
    """The current annotations of people on a paper, oldest first."""
    return [annotation for annotation in ledger.annotations(sha256) if not annotation.annotator.startswith(RESERVED)]
