"""Time and energy of a run's calls as CodeCarbon logs them: one row per paper and model, with CodeCarbon's column names.

Energy is the power in the settings (`watts` of a reader) times the duration of its calls; nothing is measured. Emissions are
energy times the grid factor in the settings.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from methodlens.ledger.calls import Call
from methodlens.ledger.store import Ledger, Run
from methodlens.settings import EnergySettings

FILE = "emissions.csv"
_PROJECT = "methodlens"
_JOULES_PER_KWH = 3.6e6
_GRAMS_PER_KG = 1000
_HEAD = (
    *("timestamp", "project_name", "run_id", "experiment_id", "paper", "calls", "duration", "emissions", "emissions_rate"),
    *("energy_consumed", "country_iso_code", "grid_g_per_kwh"),
)


class Consumption(Struct):
    """Seconds and joules of the calls of one model, on one paper or on all (`paper` is empty). `until` is when the last ended.

    `joules` is None if no call has a power.
    """

    model: str
    paper: str = ""
    until: str = ""
    calls: int = 0
    seconds: float = 0.0
    joules: float | None = None

    @property
    def kwh(self) -> float | None:
        return None if self.joules is None else self.joules / _JOULES_PER_KWH

    def kg(self, energy: EnergySettings) -> float | None:
        """Kilograms of CO2 equivalent; None without power or grid factor."""
        if self.kwh is None or energy.grid_g_per_kwh is None:
            return None
        return self.kwh * energy.grid_g_per_kwh / _GRAMS_PER_KG

    def add(self, call: Call) -> None:
        self.calls += 1
        self.seconds += call.seconds
        self.until = max(self.until, call.ended_at or call.started_at)
        if call.joules is not None:
            self.joules = (self.joules or 0.0) + call.joules


def by_paper(ledger: Ledger, run: Run) -> Sequence[Consumption]:
    return _add_up(ledger, run, papers=True)


def by_model(ledger: Ledger, run: Run) -> Sequence[Consumption]:
    return _add_up(ledger, run, papers=False)


def _add_up(ledger: Ledger, run: Run, *, papers: bool) -> Sequence[Consumption]:
    rows: dict[tuple[str, str], Consumption] = {}
    for call in ledger.calls(run.id):
        key = (call.reader, call.paper if papers else "")
        rows.setdefault(key, Consumption(*key)).add(call)
    return list(rows.values())


def log_lines(rows: Sequence[Consumption], run: Run, energy: EnergySettings) -> Iterator[Sequence[str | float | None]]:
    """The lines of emissions.csv, headings first: seconds, kWh, kg, kg per second."""
    yield _HEAD
    for row in rows:
        kg = row.kg(energy)
        rate = kg / row.seconds if kg is not None and row.seconds else None
        yield (
            *(row.until, _PROJECT, run.id, row.model, row.paper, row.calls, round(row.seconds, 3), kg, rate),
            *(row.kwh, energy.country, energy.grid_g_per_kwh),
        )
