"""From runs and human labels to an evaluation: the one place where the ledger meets the statistics."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from methodlens.errors import InputError, LabelsError
from methodlens.evaluation.gold import Gold, Label
from methodlens.evaluation.known import Known
from methodlens.evaluation.raters import Cell
from methodlens.evaluation.scoring import Decision, Decisions, Evaluation, Resampling, Undecided, evaluate
from methodlens.evaluation.truth import truth
from methodlens.ledger import rows as board
from methodlens.ledger.annotations import RESERVED
from methodlens.ledger.ledger import Ledger, Run
from methodlens.records import Annotation, PaperEntry, Question
from methodlens.text.printable import one_line

_LONGEST_NAME = 100


def annotator_name(written: str) -> str:
    name = one_line(written)
    if not name or len(name) > _LONGEST_NAME or name.startswith(RESERVED):
        raise InputError(
            f"the annotator {written[:_LONGEST_NAME]!r} cannot be a name",
            f"use 1 to {_LONGEST_NAME} characters, not {RESERVED[0]}...",
        )
    return name


class Judged(Struct, frozen=True):
    """What runs decided of the papers that labels are about, without the weight of answers and passages."""

    papers: tuple[PaperEntry, ...]
    questions: tuple[Question, ...]
    readers: tuple[str, ...]
    """Those that answered, without the vote."""
    decisions: Decisions

    @property
    def known(self) -> Known:
        return Known(self.papers, self.questions)


def judged(
    ledger: Ledger, runs: Sequence[Run], *, vote: str = "", wanted: Callable[[PaperEntry], bool] = lambda _: True
) -> Judged:
    """Several runs stand side by side; where two have a reader of the same name, the run's id tells them apart.

    `vote` is another rule than the runs' own. Only papers that are `wanted` are held: people label hundreds, of however many.
    """
    papers: dict[str, PaperEntry] = {}
    questions: dict[str, Question] = {}
    readers: list[str] = []
    decisions: dict[str, dict[Cell, Decision]] = {}
    for run in runs:
        names = {reader: _own_name(reader, run, runs) for reader in (*run.readers, board.VOTE)}
        readers += [names[reader] for reader in run.readers]
        for reader in run.readers:  # a reader that was asked and never answered is there, with nothing said
            decisions.setdefault(names[reader], {})
        questions |= {question.id: question for question in run.questions if question.id not in questions}
        for listed in (PaperEntry(name, "") for name in ledger.names(run)):
            if wanted(listed):
                papers.setdefault(listed.name, listed)
        reached = {entry.name: entry for entry, _ in ledger.entries(run) if wanted(entry)}
        papers |= reached
        for row in board.rows(ledger, run, vote=vote, only=reached):
            said = Decision(row.cell.verdict.status, row.cell.answer.p_reported)
            decisions.setdefault(names[row.cell.reader], {})[(row.paper.name, row.question.id)] = said
    ordered = {name: decisions[name] for name in sorted(decisions, key=lambda name: name in readers)}  # the vote leads
    return Judged(tuple(papers.values()), tuple(questions.values()), tuple(readers), ordered)


def measured(
    found: Judged,
    gold: Gold,
    *,
    readers: Sequence[str] = (),
    undecided: Undecided = Undecided.NO,
    whole_gold: bool = False,
    resampling: Resampling | None = None,
) -> Evaluation:
    """`whole_gold` counts the labels of papers outside the run as asked and missing."""
    unknown = set(readers) - set(found.decisions)
    if unknown:
        raise InputError(f"no reader {', '.join(sorted(unknown))} in this run", f"there are: {', '.join(found.decisions)}")
    labels = (*gold.labels, *gold.outside) if whole_gold else gold.labels
    settled = truth(labels)
    if not settled.reported:
        why = gold.problems[0].what if gold.problems else "they are blank, or people disagree on each of them"
        raise LabelsError(f"no label can be used ({why})", "name the run the labels are about with --out and --run")
    return evaluate(
        settled,
        {reader: said for reader, said in found.decisions.items() if not readers or reader in readers},
        questions=[question.id for question in found.questions],
        undecided=undecided,
        resampling=resampling,
        voters=found.readers,
    )


def labels_of(annotations: Iterable[Annotation], papers: Iterable[PaperEntry]) -> Gold:
    """What people said in this ledger, as labels of the papers of a run. What a study counted is no person's word."""
    names = {paper.sha256: paper.name for paper in papers if paper.sha256}
    inside = [
        Label(names[one.paper_sha256], one.question, one.annotator, one.status, where=f"imported {one.at}", note=one.note)
        for one in annotations
        if one.paper_sha256 in names and not one.annotator.startswith(RESERVED)
    ]
    return Gold(tuple(inside))


def chosen(ledger: Ledger, prefixes: Sequence[str]) -> list[Run]:
    """The runs whose ids begin so, or the latest."""
    return [board.latest(ledger, prefix) for prefix in prefixes] or [board.latest(ledger)]


def _own_name(reader: str, run: Run, runs: Sequence[Run]) -> str:
    several = sum(reader in (*other.readers, board.VOTE) for other in runs if reader != board.VOTE or len(other.readers) > 1)
    return f"{reader}@{run.id[:8]}" if several > 1 else reader
