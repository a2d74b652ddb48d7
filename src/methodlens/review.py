"""What came of asking: the answer to one question, and a whole run as tables, figures and HTML.

Everything here reads the ledger only: an old run opens without its PDFs.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from methodlens.engine.execute import entry_of
from methodlens.errors import InputError
from methodlens.ledger import final_words, run_rows
from methodlens.ledger.store import Ledger, Run
from methodlens.questions import is_calibrated
from methodlens.records import Cell, Evidence, Facts, Paper, Question, Row, Status
from methodlens.seams import VotingRule
from methodlens.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

    from methodlens.evaluation.scoring import Evaluation

_NEEDS_FRAMES = "pip install 'methodlens[frames]'"
_MARKS = {
    Status.REPORTED: "●",
    Status.NOT_REPORTED: "○",
    Status.WITHHELD: "?",
    Status.FAILED: "!",
    Status.UNREADABLE: "–",
}


class AnsweredQuestion(Struct, frozen=True):
    """The answer to one question about one paper, with its quotes on their pages. `cells` has each reader's."""

    paper: str
    question: Question
    row: Row
    cells: tuple[Cell, ...]

    @classmethod
    def of(
        cls, name: str, paper: Paper, question: Question, cells: Sequence[Cell], *, rule: str | VotingRule
    ) -> "AnsweredQuestion":
        """With several readers, the answer is their vote by `rule`."""
        readers = tuple(cell.reader for cell in cells)
        row = run_rows.final_row(entry_of(name, paper), question, cells, readers, rule)
        return cls(name, question, row, tuple(cells))

    @property
    def text(self) -> str:
        return self.row.cell.answer.text

    @property
    def status(self) -> Status:
        return self.row.cell.verdict.status

    @property
    def reason(self) -> str:
        return self.row.cell.verdict.reason

    @property
    def quotes(self) -> tuple[Evidence, ...]:
        """Best first; `quote.page` is its first page."""
        return self.row.cell.answer.evidence

    @property
    def facts(self) -> Facts:
        return self.row.cell.answer.facts

    @property
    def calibrated(self) -> bool:
        """Whether how often such answers are right was measured on labelled papers, for this very question."""
        return is_calibrated(self.question)

    @property
    def p_reported(self) -> float | None:
        return self.row.cell.answer.p_reported

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return f"<{self.status.value}: {text!r}, {len(self.quotes)} quotes>"

    def _repr_html_(self) -> str:
        return _html("answer.html", answer=self, mark=_MARKS[self.status])


class Table:
    """Rows of a run, as dicts with the columns of the JSONL export. Iterate over them, or take them as a data frame.

    Nothing is held in memory: each iteration reads the ledger again.
    """

    def __init__(self, name: str, rows: Callable[[], Iterator[dict[str, Any]]]) -> None:
        self._name, self._rows = name, rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._rows()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{self._name}: {len(self)} rows>"

    def to_pandas(self) -> "pd.DataFrame":
        """Needs the extra `frames`."""
        try:
            import pandas as pd
        except ImportError as err:
            raise InputError("data frames need pandas", _NEEDS_FRAMES) from err
        return pd.DataFrame(list(self))

    def to_parquet(self, path: str | Path) -> None:
        """Row by row. Lists and objects are JSON text, since their shape differs from row to row. Needs the extra `frames`."""
        from methodlens.reports.formats.parquet import open_table

        with open_table(self._name, Path(path)) as table:
            table.add(self)

    def _repr_html_(self) -> str:
        html = self.to_pandas().head(20)._repr_html_()  # type: ignore[operator]
        return f"{html}<p>{escape(repr(self))}</p>"


class Review:
    """A run and its results. `cells` and `facts` are tables; the matrix is shown in notebooks."""

    def __init__(self, settings: Settings, run: Run, open_ledger: Callable[[], Ledger], *, vote: str | VotingRule = "") -> None:
        """`vote` overrides the run's voting rule."""
        self.settings, self.run = settings, run
        self._open_ledger, self._vote = open_ledger, vote

    @classmethod
    def open(
        cls, open_ledger: Callable[[], Ledger], settings: Settings, run: str = "", *, vote: str | VotingRule = ""
    ) -> "Review":
        """The run whose id begins with `run`, or the latest."""
        with open_ledger() as ledger:
            return cls(settings, run_rows.latest(ledger, run), open_ledger, vote=vote)

    def __repr__(self) -> str:
        readers = ", ".join(self.run.readers)
        return f"<Review {self.run.id[:8]}: {self.run.papers} papers, {len(self.run.questions)} questions, {readers}>"

    @property
    def rows(self) -> Iterator[Row]:
        """Every cell with its paper and question, then the vote where there are several readers, then the final word where
        there are several readers or people reviewed the run."""
        with self._open_ledger() as ledger:
            yield from final_words.rows_of_export(ledger, self.run, vote=self._vote)

    @property
    def final_rows(self) -> Iterator[Row]:
        """One row per paper and question: a person's decision, else the vote's or the only reader's."""
        with self._open_ledger() as ledger:
            yield from final_words.final_rows(ledger, self.run, vote=self._vote)

    @property
    def cells(self) -> Table:
        """One row per paper, question and reader, with the columns of the JSONL export."""
        return Table("cells", lambda: self._exported(self.rows))

    @property
    def final(self) -> Table:
        """One row per paper and question with the final word, and its `source`: people, the vote or the reader."""
        return Table("final", lambda: self._exported(self.final_rows))

    @property
    def facts(self) -> Table:
        """One row per typed value: paper, question, reader, status, fact, value, `number` and `details`
        such as a GPU's count."""
        return Table("facts", self._facts)

    @property
    def papers(self) -> Table:
        return Table("papers", self._papers)

    def to_parquet(self, path: str | Path) -> None:
        """The cells as a Parquet file; see `Table.to_parquet`."""
        self.cells.to_parquet(path)

    def to_checklist(self, path: str | Path) -> None:
        """A filled-in checklist per paper, as Markdown: a draft to check."""
        from methodlens.reports.checklists.form import ChecklistForm

        ChecklistForm().write(self.rows, Path(path))

    def evaluate(self, labels: str | Path, *, mapping: str = "") -> "Evaluation":
        """Agreement with human labels in a CSV or XLSX file: `.kappa`, `.accuracy`, and every figure per reader and question."""
        from methodlens.evaluation.measure import evaluate_runs, load_labelled_runs
        from methodlens.evaluation.scoring import Resampling

        settings = self.settings.evaluation
        with self._open_ledger() as ledger:
            decisions, gold = load_labelled_runs(ledger, [self.run], Path(labels), settings, mapping=mapping, vote=self._vote)
        return evaluate_runs(decisions, gold, resampling=Resampling(settings.resamples, settings.seed))

    def _exported(self, rows: Iterator[Row]) -> Iterator[dict[str, Any]]:
        from methodlens.reports.formats.export_rows import export_object

        return map(export_object, rows)

    def _facts(self) -> Iterator[dict[str, Any]]:
        from methodlens.reports.formats.export_rows import fact_objects

        for row in self.rows:
            yield from fact_objects(row)

    def _papers(self) -> Iterator[dict[str, Any]]:
        from methodlens.reports.formats.export_rows import paper_object

        with self._open_ledger() as ledger:
            for entry, _ in run_rows.entries(ledger, self.run):
                yield paper_object(entry)

    def _repr_html_(self) -> str:
        """The matrix of papers and questions, with the final verdicts."""
        verdicts: dict[str, dict[str, Status]] = {}
        for row in self.final_rows:
            verdicts.setdefault(row.paper.name, {})[row.question.id] = row.cell.verdict.status
        return _html("matrix.html", review=self, verdicts=verdicts, marks=_MARKS)


def open_review(out: str | Path, run: str = "") -> Review:
    """An earlier run, without its PDFs: the one whose id begins with `run`, or the latest. `methodlens.open` is this."""
    return Review.open(partial(Ledger.at, Path(out)), Settings(out=str(out)), run)


def _html(template: str, **values: object) -> str:
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("methodlens", "notebook"), autoescape=True)
    return environment.get_template(template).render(**values)
