"""Evaluate the runs of a ledger against human labels."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from methodlens.errors import InputError, LabelsError
from methodlens.evaluation.ground_truth import ground_truth
from methodlens.evaluation.labels import Label, LabelSet, paper_filter, parse_labels, read_rows
from methodlens.evaluation.paper_catalog import PaperCatalog
from methodlens.evaluation.scoring import Decisions, Evaluation, ReaderDecision, Resampling, Undecided, evaluate
from methodlens.evaluation.vocabulary import LabelWords, load_mapping
from methodlens.ledger import run_rows
from methodlens.ledger.annotations import ADJUDICATED, RESERVED
from methodlens.ledger.final_words import FINAL, is_adjudication, is_reviewed, with_final
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, CellRef, PaperEntry, Question
from methodlens.seams import VotingRule
from methodlens.settings import EvaluationSettings
from methodlens.text.printable import one_line

_MAX_NAME_LENGTH = 100


def annotator_name(written: str) -> str:
    name = one_line(written)
    if not name or len(name) > _MAX_NAME_LENGTH or name.startswith(RESERVED):
        raise InputError(
            f"{written[:_MAX_NAME_LENGTH]!r} cannot be used as the name of an annotator",
            f"use 1 to {_MAX_NAME_LENGTH} characters that do not start with {RESERVED[0]!r}",
        )
    return name


class RunDecisions(Struct, frozen=True):
    """The decisions of one or more runs on the labelled papers, without answers and passages."""

    papers: tuple[PaperEntry, ...]
    questions: tuple[Question, ...]
    readers: tuple[str, ...]
    """Without the vote."""
    decisions: Decisions

    @property
    def catalog(self) -> PaperCatalog:
        return PaperCatalog(self.papers, self.questions)


def collect_decisions(
    ledger: Ledger,
    runs: Sequence[Run],
    *,
    vote: str | VotingRule = "",
    wanted: Callable[[PaperEntry], bool] = lambda _: True,
    final: bool = False,
) -> RunDecisions:
    """If several runs have a reader of the same name, the run's id is appended to it.

    The readers' words are their own, not recalibrated to the very labels that they are compared with. `vote` overrides the voting
    rule of the runs. Only `wanted` papers are loaded: labels cover a small part of a large corpus. With `final`, the final words
    of the runs that people reviewed count as those of a reader.
    """
    papers: dict[str, PaperEntry] = {}
    questions: dict[str, Question] = {}
    readers: list[str] = []
    decisions: dict[str, dict[CellRef, ReaderDecision]] = {}
    for run in runs:
        names = {reader: _unique_name(reader, run, runs) for reader in (*run.readers, run_rows.VOTE, FINAL)}
        readers += [names[reader] for reader in run.readers]
        for reader in run.readers:  # a reader without answers is scored too
            decisions.setdefault(names[reader], {})
        questions |= {question.id: question for question in run.questions if question.id not in questions}
        for entry in (PaperEntry(name, "") for name in ledger.names(run)):
            if wanted(entry):
                papers.setdefault(entry.name, entry)
        processed = {entry.name: entry for entry, _ in ledger.entries(run) if wanted(entry)}
        papers |= processed
        rows = run_rows.rows(ledger, run, vote=vote, only=processed, as_read=True)
        for row in with_final(ledger, rows) if final and is_reviewed(ledger, run) else rows:
            decision = ReaderDecision(row.cell.verdict.status, row.cell.answer.p_reported)
            decisions.setdefault(names[row.cell.reader], {})[CellRef(row.paper.name, row.question.id)] = decision
    ordered = sorted(
        decisions, key=lambda name: (name.partition("@")[0] == FINAL, name in readers)
    )  # the vote, the readers, the final word
    by_reader = {name: decisions[name] for name in ordered}
    return RunDecisions(tuple(papers.values()), tuple(questions.values()), tuple(readers), by_reader)


def load_labelled_runs(
    ledger: Ledger,
    runs: Sequence[Run],
    path: Path | None,
    settings: EvaluationSettings,
    *,
    mapping: str = "",
    vote: str | VotingRule = "",
) -> tuple[RunDecisions, LabelSet]:
    """The labels in a file or folder (by default the annotations in the ledger), and the decisions on the labelled papers.

    `mapping` is the name or path of a CategoryMapping.
    """
    if path is not None:
        categories = load_mapping(mapping) if mapping else None
        rows = read_rows(path)
        decisions = collect_decisions(ledger, runs, vote=vote, wanted=paper_filter(rows, categories), final=True)
        return decisions, parse_labels(rows, decisions.catalog, LabelWords(settings), mapping=categories)
    annotations = ledger.annotations()
    annotated = {annotation.paper_sha256 for annotation in annotations}
    decisions = collect_decisions(ledger, runs, vote=vote, wanted=lambda entry: entry.sha256 in annotated)
    labels = labels_from_annotations(annotations, decisions.papers)
    if not labels.labels:
        raise LabelsError("there are no labels", "use a file with --gold, or import a sheet with 'methodlens annotate import'")
    return decisions, labels


def evaluate_runs(
    run_decisions: RunDecisions,
    label_set: LabelSet,
    *,
    readers: Sequence[str] = (),
    undecided: Undecided = Undecided.NO,
    whole_gold: bool = False,
    resampling: Resampling | None = None,
) -> Evaluation:
    """`readers` restricts the evaluation to these readers; `whole_gold` counts labels of papers outside the run as missing."""
    decisions = run_decisions.decisions
    unknown = set(readers) - set(decisions)
    if unknown:
        raise InputError(f"no reader {', '.join(sorted(unknown))} in this run", f"use one of: {', '.join(decisions)}")
    truth = ground_truth((*label_set.labels, *label_set.outside) if whole_gold else label_set.labels)
    if not truth.reported:
        reason = label_set.problems[0].what if label_set.problems else "all are blank or disputed"
        raise LabelsError(f"no label can be used ({reason})", "select the run that was labelled with --out and --run")
    return evaluate(
        truth,
        {reader: given for reader, given in decisions.items() if not readers or reader in readers},
        questions=[question.id for question in run_decisions.questions],
        undecided=undecided,
        resampling=resampling,
        voters=run_decisions.readers,
    )


def labels_from_annotations(annotations: Iterable[Annotation], papers: Iterable[PaperEntry]) -> LabelSet:
    """The annotations of these papers as labels, without the labels that a study published for its models.

    An adjudication becomes a label of `ADJUDICATED`, whoever gave it.
    """
    names = {paper.sha256: paper.name for paper in papers if paper.sha256}
    labels = (
        Label(names[a.paper_sha256], a.question, _label_annotator(a), a.status, where=f"imported {a.at}", note=a.note)
        for a in annotations
        if a.paper_sha256 in names and not a.annotator.startswith(RESERVED)
    )
    return LabelSet(tuple(labels))


def _label_annotator(annotation: Annotation) -> str:
    return ADJUDICATED if is_adjudication(annotation) else annotation.annotator


def select_runs(ledger: Ledger, prefixes: Sequence[str]) -> list[Run]:
    """The runs whose ids start with these prefixes; by default the latest."""
    return [run_rows.latest(ledger, prefix) for prefix in prefixes] or [run_rows.latest(ledger)]


def _unique_name(reader: str, run: Run, runs: Sequence[Run]) -> str:
    same = sum(
        reader in other.readers or reader == FINAL or (reader == run_rows.VOTE and len(other.readers) > 1) for other in runs
    )
    return f"{reader}@{run.id[:8]}" if same > 1 else reader
