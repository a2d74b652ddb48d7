"""Parse human labels from wide or long tables, with a list of everything in them that cannot be used."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from methodlens.errors import LabelsError
from methodlens.evaluation.paper_catalog import PaperCatalog, paper_aliases, possible_aliases
from methodlens.evaluation.table_files import SUFFIXES, TableRow, read_table
from methodlens.evaluation.vocabulary import CategoryMapping, LabelWords, normalise
from methodlens.records import PaperEntry, Status

DEFAULT_ANNOTATOR = "gold"
"""The default annotator, for files that do not name one."""

UNMAPPED_COLUMN = "unmapped column"
"""The only kind of problem that is expected: a category that the mapping does not use."""

_PAPER_COLUMNS = ("paper_sha256", "paper", "uid", "publication", "file", "filename", "no", "id", "doi")
_QUESTION_COLUMNS = ("question", "cq", "category")
_LABEL_COLUMNS = ("label", "reported", "status", "verdict", "value")
_ANNOTATOR_COLUMNS = ("annotator", "rater", "coder", "reviewer")
_PARTIAL_COLUMNS = ("partial", "borderline")


class Label(Struct, frozen=True):
    """One person's label for one cell. `firm` is False if the person marked it as borderline."""

    paper: str
    question: str
    annotator: str
    status: Status
    firm: bool = True
    where: str = ""
    note: str = ""


class Problem(Struct, frozen=True):
    """An entry that cannot be used. `kind` is its category: unknown paper, odd label, duplicate, ..."""

    kind: str
    what: str
    where: str = ""


class LabelSet(Struct, frozen=True):
    """`outside` holds labels of papers that are not in the run; `blank` is the number of empty labels."""

    labels: tuple[Label, ...]
    outside: tuple[Label, ...] = ()
    problems: tuple[Problem, ...] = ()
    blank: int = 0


class _RawLabel(NamedTuple):
    row: TableRow
    paper: str
    question: str
    word: Any
    partial: bool = False


def read_rows(path: Path) -> list[TableRow]:
    """The rows of a file, or of all files in a folder: its .jsonl files if it has any, else its other tables."""
    return [row for file in _label_files(path) for row in _with_paper_column(read_table(file), file)]


def paper_filter(rows: Sequence[TableRow], mapping: CategoryMapping | None = None) -> Callable[[PaperEntry], bool]:
    """A predicate that is true for the papers these labels may refer to, to skip the rest of a large corpus."""
    column = _paper_column(rows, mapping or CategoryMapping())
    aliases = {alias for row in rows for alias in possible_aliases(_text(row, column))}
    return lambda entry: not aliases.isdisjoint(paper_aliases(entry))


def parse_labels(
    rows: Sequence[TableRow],
    catalog: PaperCatalog,
    words: LabelWords,
    *,
    mapping: CategoryMapping | None = None,
    annotator: str = DEFAULT_ANNOTATOR,
) -> LabelSet:
    """`annotator` is used for rows that do not name one."""
    return _Parser(catalog, words, mapping or CategoryMapping(), annotator).parse(rows)


def _label_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    for suffixes in ((".jsonl",), SUFFIXES):
        if files := sorted(file for file in path.iterdir() if file.suffix.lower() in suffixes):
            return files
    raise LabelsError(f"{path} has no label files", f"add files that end in {', '.join(SUFFIXES)}")


def _with_paper_column(rows: list[TableRow], file: Path) -> Iterator[TableRow]:
    """With one JSON Lines file per paper, the file name may stand for the paper."""
    for row in rows:
        named = file.suffix.lower() != ".jsonl" or _column(row, _PAPER_COLUMNS)
        yield row if named else row._replace(values={"paper": file.stem, **row.values})


class _Parser:
    def __init__(self, catalog: PaperCatalog, words: LabelWords, mapping: CategoryMapping, annotator: str) -> None:
        self._catalog, self._words, self._mapping, self._default_annotator = catalog, words, mapping, annotator
        self._problems: list[Problem] = []

    def parse(self, rows: Sequence[TableRow]) -> LabelSet:
        inside: list[Label] = []
        outside: list[Label] = []
        blank = 0
        for raw in self._raw_labels(rows):
            try:
                status = self._words.status(raw.word)
            except ValueError:
                word = f"{str(raw.word)[:40]!r} for {raw.question} of {raw.paper}"
                self._report("odd label", f"{word}: {self._words.hint}", raw.row)
                continue
            if status is None:
                blank += 1
            elif question := self._label_question(raw):
                try:
                    paper = self._catalog.paper(raw.paper)
                except ValueError as err:
                    self._report("ambiguous paper", str(err), raw.row)
                    continue
                label = Label(
                    paper=paper or raw.paper or "(no name)",
                    question=question,
                    annotator=self._annotator(raw.row),
                    status=status,
                    firm=not raw.partial,
                    where=raw.row.where,
                    note=str(raw.row.values.get("note") or ""),
                )
                (inside if paper else outside).append(label)
        self._report_unknown_papers(outside)
        return LabelSet(self._deduplicate(inside), self._deduplicate(outside), tuple(self._problems), blank)

    def _raw_labels(self, rows: Sequence[TableRow]) -> Iterator[_RawLabel]:
        """Long tables have the columns question and label, wide ones a column per question."""
        paper = _paper_column(rows, self._mapping)
        question, label = _column(rows[0], _QUESTION_COLUMNS), _column(rows[0], _LABEL_COLUMNS)
        if question and label:
            for row in rows:
                yield _RawLabel(row, _text(row, paper), _text(row, question), row.values.get(label), _is_partial(row))
            return
        columns = self._question_columns(rows, paper)
        if not columns:
            raise LabelsError(
                f"{rows[0].source} has neither the columns 'question' and 'label' nor a column named after a question",
                "name columns CQ1, CQ2, ..., or map categories to questions with --mapping",
            )
        for row in rows:
            for name in columns:
                yield _RawLabel(row, _text(row, paper), name, row.values.get(name))

    def _question_columns(self, rows: Sequence[TableRow], paper: str) -> list[str]:
        """Columns that contain only labels but match no question are reported."""
        columns = []
        for name in rows[0].values:
            if not name or name == paper or normalise(name) in _ANNOTATOR_COLUMNS:
                continue
            if self._mapping.question(name) or self._question(name):
                columns.append(name)
            elif all(self._words.knows(row.values.get(name)) for row in rows):
                kind = UNMAPPED_COLUMN if self._mapping.categories else "unknown question"
                self._problems.append(Problem(kind, f"the column {name!r} is not a question of this run", rows[0].source))
        return columns

    def _label_question(self, raw: _RawLabel) -> str | None:
        question = self._question(self._mapping.question(raw.question) or raw.question)
        if question is None:
            self._report("unknown question", f"{raw.question!r} is not a question of this run", raw.row)
        return question

    def _question(self, written: str) -> str | None:
        try:
            return self._catalog.question(written)
        except ValueError:
            return None

    def _annotator(self, row: TableRow) -> str:
        column = _column(row, _ANNOTATOR_COLUMNS)
        return (_text(row, column) if column else "") or self._default_annotator

    def _report(self, kind: str, message: str, row: TableRow) -> None:
        self._problems.append(Problem(kind, message, row.where))

    def _report_unknown_papers(self, outside: Sequence[Label]) -> None:
        """One problem per paper, not per label."""
        by_paper: dict[str, list[Label]] = {}
        for label in outside:
            by_paper.setdefault(label.paper, []).append(label)
        for paper, labels in by_paper.items():
            message = f"{paper!r} is not in this run ({len(labels)} labels)"
            self._problems.append(Problem("unknown paper", message, labels[0].where))

    def _deduplicate(self, labels: Iterable[Label]) -> tuple[Label, ...]:
        """Repeated labels count once; contradictory labels of one annotator for one cell are dropped. Both are reported."""
        groups: dict[tuple[str, str, str], list[Label]] = {}
        for label in labels:
            groups.setdefault((label.paper, label.question, label.annotator), []).append(label)
        kept = []
        for (paper, question, annotator), group in groups.items():
            statuses = dict.fromkeys(label.status.value for label in group)
            if len(group) > 1:
                kind = "duplicate" if len(statuses) == 1 else "contradiction"
                outcome = "counted once" if len(statuses) == 1 else f"{' and '.join(statuses)}: not used"
                message = f"{question} of {paper} by {annotator} is labelled {len(group)} times, {outcome}"
                self._problems.append(Problem(kind, message, "; ".join(label.where for label in group)))
            if len(statuses) == 1:
                kept.append(group[0])
        return tuple(kept)


def _paper_column(rows: Sequence[TableRow], mapping: CategoryMapping) -> str:
    column = _column(rows[0], (mapping.paper, *_PAPER_COLUMNS) if mapping.paper else _PAPER_COLUMNS)
    if column is None:
        raise LabelsError(
            f"{rows[0].source} has no column that names the paper", f"name one of its columns {_PAPER_COLUMNS[1]!r}"
        )
    return column


def _column(row: TableRow, names: Sequence[str]) -> str | None:
    by_name = {normalise(name): name for name in row.values}
    return next((by_name[normalise(name)] for name in names if normalise(name) in by_name), None)


def _text(row: TableRow, column: str) -> str:
    value = row.values.get(column)
    return "" if value is None else str(value).strip()


def _is_partial(row: TableRow) -> bool:
    column = _column(row, _PARTIAL_COLUMNS)
    return bool(column) and normalise(_text(row, column or "")) in ("true", "1", "yes", "y")
