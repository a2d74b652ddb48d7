"""Human labels in, from a file or a folder, wide or long; and a list of everything in them that cannot be used."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from methodlens.errors import LabelsError
from methodlens.evaluation.known import Known, aliases, spellings
from methodlens.evaluation.labels import LabelWords, normal
from methodlens.evaluation.mapping import CategoryMapping
from methodlens.evaluation.tables import SUFFIXES, TableRow, read_table
from methodlens.records import PaperEntry, Status

ANNOTATOR = "gold"
"""Who labelled, where a file does not say."""

LEFT_OUT = "column left out"
"""The kind of problem that a mapping means to have: a category that is none of its questions."""

_PAPER = ("paper_sha256", "paper", "uid", "publication", "file", "filename", "no", "id", "doi")
_QUESTION = ("question", "cq", "category")
_LABEL = ("label", "reported", "status", "verdict", "value")
_ANNOTATOR = ("annotator", "rater", "coder", "reviewer")
_PARTIAL = ("partial", "borderline")


class Label(Struct, frozen=True):
    """One person's word on one cell. `firm` is False where the person marked it as borderline."""

    paper: str
    question: str
    annotator: str
    status: Status
    firm: bool = True
    where: str = ""
    note: str = ""


class Problem(Struct, frozen=True):
    """Something that cannot be used, as it stands in the file. `kind` groups: unknown paper, odd label, duplicate, ..."""

    kind: str
    what: str
    where: str = ""


class Gold(Struct, frozen=True):
    """`outside` are the labels of papers that the run does not hold; `blank` counts those left empty."""

    labels: tuple[Label, ...]
    outside: tuple[Label, ...] = ()
    problems: tuple[Problem, ...] = ()
    blank: int = 0


class _Cell(NamedTuple):
    row: TableRow
    paper: str
    question: str
    label: Any
    annotator: str
    partial: bool


def read_gold(
    path: Path, known: Known, words: LabelWords, *, mapping: CategoryMapping | None = None, annotator: str = ANNOTATOR
) -> Gold:
    return gold_from(read_rows(path), known, words, mapping=mapping, annotator=annotator)


def read_rows(path: Path) -> list[TableRow]:
    """A file, or a folder of them: its .jsonl files if there are any, else its tables."""
    return [row for file in _files(path) for row in _with_paper(read_table(file), file)]


def mentioned(rows: Sequence[TableRow], mapping: CategoryMapping | None = None) -> Callable[[PaperEntry], bool]:
    """Whether a paper may be one that the labels are about: of a large corpus, the others need not be looked at."""
    column = _paper_column(rows, mapping or CategoryMapping())
    named = {spelling for row in rows for spelling in spellings(_str(row, column))}
    return lambda entry: not named.isdisjoint(aliases(entry))


def gold_from(
    rows: Sequence[TableRow],
    known: Known,
    words: LabelWords,
    *,
    mapping: CategoryMapping | None = None,
    annotator: str = ANNOTATOR,
) -> Gold:
    mapping = mapping or CategoryMapping()
    problems: list[Problem] = []
    labels: list[Label] = []
    outside: list[Label] = []
    blank = 0
    for cell in _cells(rows, known, words, mapping, annotator, problems):
        try:
            status = words.status(cell.label)
        except ValueError:
            what = f"{str(cell.label)[:40]!r} for {cell.question} of {cell.paper}: {words.hint}"
            problems.append(Problem("odd label", what, cell.row.where))
            continue
        if status is None:
            blank += 1
        elif found := _label(cell, status, known, mapping, problems):
            label, inside = found
            (labels if inside else outside).append(label)
    problems += _unknown_papers(outside)
    return Gold(_without_duplicates(labels, problems), _without_duplicates(outside, problems), tuple(problems), blank)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    for suffixes in ((".jsonl",), SUFFIXES):
        if found := sorted(file for file in path.iterdir() if file.suffix.lower() in suffixes):
            return found
    raise LabelsError(f"{path} holds no labels", f"it needs files that end in {', '.join(SUFFIXES)}")


def _with_paper(rows: list[TableRow], file: Path) -> Iterator[TableRow]:
    """A JSON Lines file for each paper may leave the name to the file."""
    for row in rows:
        named = file.suffix.lower() != ".jsonl" or _column(row, _PAPER)
        yield row if named else row._replace(values={"paper": file.stem, **row.values})


def _cells(
    rows: Sequence[TableRow],
    known: Known,
    words: LabelWords,
    mapping: CategoryMapping,
    annotator: str,
    problems: list[Problem],
) -> Iterator[_Cell]:
    """One for each label of each row, whatever the layout."""
    columns = [name for name in rows[0].values if name]
    paper = _paper_column(rows, mapping)
    question, label = _column(rows[0], _QUESTION), _column(rows[0], _LABEL)
    if question and label:
        for row in rows:
            yield _Cell(
                row, _str(row, paper), _str(row, question), row.values.get(label), _annotator(row, annotator), _partial(row)
            )
        return
    asked = _question_columns(columns, rows, known, words, mapping, problems, besides=paper)
    if not asked:
        raise LabelsError(
            f"{rows[0].source} has neither the columns 'question' and 'label' nor a column named after a question",
            "name columns CQ1, CQ2, ..., or say with --mapping which category is which question",
        )
    for row in rows:
        for name in asked:
            yield _Cell(row, _str(row, paper), name, row.values.get(name), _annotator(row, annotator), partial=False)


def _paper_column(rows: Sequence[TableRow], mapping: CategoryMapping) -> str:
    column = _column(rows[0], (mapping.paper, *_PAPER) if mapping.paper else _PAPER)
    if column is None:
        raise LabelsError(f"{rows[0].source} has no column that names the paper", f"call one of them {_PAPER[1]!r}")
    return column


def _question_columns(
    columns: Sequence[str],
    rows: Sequence[TableRow],
    known: Known,
    words: LabelWords,
    mapping: CategoryMapping,
    problems: list[Problem],
    *,
    besides: str,
) -> list[str]:
    """Those that name a question; one that holds nothing but labels and names none is said to be left out."""
    asked = []
    for name in columns:
        if name == besides or normal(name) in _ANNOTATOR:
            continue
        if mapping.question(name) or _question(name, known):
            asked.append(name)
        elif all(words.knows(row.values.get(name)) for row in rows):
            kind = LEFT_OUT if mapping.categories else "unknown question"
            problems.append(Problem(kind, f"the column {name!r} is no question of this run", rows[0].source))
    return asked


def _label(
    cell: _Cell, status: Status, known: Known, mapping: CategoryMapping, problems: list[Problem]
) -> tuple[Label, bool] | None:
    """The label, and whether its paper is one of the run's."""
    question = _question(mapping.question(cell.question) or cell.question, known)
    if question is None:
        problems.append(Problem("unknown question", f"{cell.question!r} is no question of this run", cell.row.where))
        return None
    try:
        paper = known.paper(cell.paper)
    except ValueError as err:
        problems.append(Problem("ambiguous paper", str(err), cell.row.where))
        return None
    note = str(cell.row.values.get("note") or "")
    name = paper or cell.paper or "(no name)"
    return Label(name, question, cell.annotator, status, not cell.partial, cell.row.where, note), paper is not None


def _unknown_papers(outside: Sequence[Label]) -> Iterator[Problem]:
    """One for each paper, not for each of its labels."""
    first: dict[str, Label] = {}
    for label in outside:
        first.setdefault(label.paper, label)
    many = Counter(label.paper for label in outside)
    for paper, label in first.items():
        yield Problem("unknown paper", f"{paper!r} is not in this run ({many[paper]} labels)", label.where)


def _question(written: str, known: Known) -> str | None:
    try:
        return known.question(written)
    except ValueError:
        return None


def _without_duplicates(labels: Iterable[Label], problems: list[Problem]) -> tuple[Label, ...]:
    """The same word twice counts once; two words of one person on one cell cancel each other, and both are listed."""
    groups: dict[tuple[str, str, str], list[Label]] = {}
    for label in labels:
        groups.setdefault((label.paper, label.question, label.annotator), []).append(label)
    kept = []
    for (paper, question, annotator), group in groups.items():
        if len(group) > 1:
            said = Counter(label.status.value for label in group)
            places = "; ".join(label.where for label in group)
            kind = "duplicate" if len(said) == 1 else "contradiction"
            outcome = "counted once" if len(said) == 1 else f"{' and '.join(said)}: not used"
            problems.append(Problem(kind, f"{question} of {paper} by {annotator} stands {len(group)} times, {outcome}", places))
            if len(said) > 1:
                continue
        kept.append(group[0])
    return tuple(kept)


def _column(row: TableRow, names: Sequence[str]) -> str | None:
    by_name = {normal(name): name for name in row.values}
    return next((by_name[normal(name)] for name in names if normal(name) in by_name), None)


def _str(row: TableRow, column: str) -> str:
    value = row.values.get(column)
    return "" if value is None else str(value).strip()


def _annotator(row: TableRow, default: str) -> str:
    column = _column(row, _ANNOTATOR)
    return (_str(row, column) if column else "") or default


def _partial(row: TableRow) -> bool:
    column = _column(row, _PARTIAL)
    return bool(column) and normal(_str(row, column or "")) in ("true", "1", "yes", "y")
