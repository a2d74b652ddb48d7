"""What the ledger knows, for `methodlens plan`. There may be no ledger yet."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from methodlens.cli import common
from methodlens.errors import LabelsError
from methodlens.evaluation.comparison import Stored, stored_cells
from methodlens.evaluation.forecast import EMBEDDED, Model
from methodlens.evaluation.ground_truth import ground_truth
from methodlens.evaluation.measure import load_labelled_runs
from methodlens.evaluation.reader_statistics import LEAST_CELLS, Doubt, embedded_doubt, figures, table_doubt
from methodlens.ledger.calls import Call
from methodlens.ledger.database import FILE
from methodlens.records import CellRef, Question
from methodlens.settings import CascadeSettings, Settings


class Known(NamedTuple):
    stored: Stored
    calls: Sequence[Call]
    truth: Mapping[CellRef, bool]

    def improve(self, name: str, model: Model, settings: CascadeSettings) -> Model:
        """With what was measured instead of assumed."""
        measured = figures(name, model.figures, stored=self.stored, calls=self.calls, truth=self.truth, settings=settings)
        return replace(model, figures=measured)

    def embedded(self, questions: Sequence[str], settings: CascadeSettings) -> tuple[Doubt, str]:
        """The embedded reader's shares, and where they come from."""
        cells = [cells[EMBEDDED] for ref, cells in self.stored.items() if EMBEDDED in cells and ref.question in questions]
        if len(cells) >= LEAST_CELLS:
            return embedded_doubt(cells, settings), f"embedded, measured: probabilities of {len(cells)} cells in the ledger"
        shares, missing = table_doubt(questions, settings)
        note = "embedded, from labelled papers: a table of its probabilities"
        return shares, f"{note}; of your own questions ({len(missing)}) the same is assumed" if missing else note


def load_known(settings: Settings, questions: Sequence[Question], gold: Path | None) -> Known:
    if not settings.ledger and not (Path(settings.out) / FILE).is_file():
        return Known({}, (), {})
    asked = {question.id: question.text for question in questions}
    with common.open_ledger(settings) as ledger:
        runs = [run for run in ledger.runs() if any(asked.get(one.id) == one.text for one in run.questions)]
        if not runs:
            return Known({}, (), {})
        try:
            _, labels = load_labelled_runs(ledger, runs[:1], gold, settings.evaluation)
            truth: Mapping[CellRef, bool] = ground_truth(labels.labels).reported
        except LabelsError:
            if gold is not None:
                raise
            truth = {}  # nobody has reviewed a cell
        return Known(stored_cells(ledger, runs), list(ledger.calls()), truth)
