"""How far reviewers agree with each other and with the readers on the cells of a run."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations

from msgspec import Struct

from methodlens.evaluation.bootstrap import Figure, figures
from methodlens.evaluation.counts import count
from methodlens.evaluation.raters import pair_agreement
from methodlens.ledger.overview import CellSummary
from methodlens.records import ContentRef, Status
from methodlens.web.review.annotation_index import AnnotationSummary

VERDICT = "verdict"
_RESAMPLES = 1000
_SEED = 7
Interval = tuple[float, float]


class PairView(Struct, frozen=True):
    """Two raters on the cells that both decided. Undefined statistics (both give the same label everywhere) are None."""

    first: str
    second: str
    n: int
    agreed: int
    agreement: float | None
    kappa: float | None
    ac1: float | None
    agreement_interval: Interval | None = None
    """95% intervals, from resampling papers."""
    kappa_interval: Interval | None = None
    ac1_interval: Interval | None = None


class AgreementView(Struct, frozen=True):
    """Reviewers with each other, with the verdict, and with each reader."""

    people: tuple[PairView, ...]
    verdict: tuple[PairView, ...]
    readers: tuple[PairView, ...]
    counts: Mapping[str, Mapping[str, int]]
    """Annotations by reviewer and status."""


def agreement_view(annotations: Iterable[AnnotationSummary], cells: Mapping[ContentRef, CellSummary | None]) -> AgreementView:
    """`cells` has the verdicts on the annotated cells. "Unsure" and "withheld" do not count as decisions."""
    people: dict[str, dict[ContentRef, bool]] = {}
    counts: dict[str, Counter[str]] = {}
    for annotation in annotations:
        counts.setdefault(annotation.annotator, Counter())[annotation.status.value] += 1
        decided = people.setdefault(annotation.annotator, {})
        if annotation.status.reported is not None:
            decided[annotation.ref] = annotation.status.reported
    answered = {ref: cell for ref, cell in cells.items() if cell}
    verdict = _decided({ref: cell.verdict for ref, cell in answered.items()})
    names = list(dict.fromkeys(reader for cell in answered.values() for reader in cell.statuses))
    readers = {
        name: _decided({ref: cell.statuses[name] for ref, cell in answered.items() if name in cell.statuses}) for name in names
    }
    return AgreementView(
        people=tuple(_pair(people[a], people[b], a, b) for a, b in combinations(people, 2)),
        verdict=tuple(_pair(decided, verdict, person, VERDICT) for person, decided in people.items()),
        readers=tuple(
            _pair(decided, readers[reader], person, reader)
            for person, decided in people.items()
            for reader in names
            if len(names) > 1
        ),
        counts=counts,
    )


def _decided(statuses: Mapping[ContentRef, Status]) -> dict[ContentRef, bool]:
    return {ref: status.reported for ref, status in statuses.items() if status.reported is not None}


def _pair(a: Mapping[ContentRef, bool], b: Mapping[ContentRef, bool], first: str, second: str) -> PairView:
    # not keyed by name: a reviewer may have the name of a reader
    both = pair_agreement({"a": a, "b": b}, "a", "b")
    by_paper: dict[str, list[tuple[bool, bool]]] = {}
    for ref in a.keys() & b.keys():
        by_paper.setdefault(ref.paper_sha256, []).append((a[ref], b[ref]))
    measured = figures([count(by_paper[paper]) for paper in sorted(by_paper)], resamples=_RESAMPLES, seed=_SEED)
    return PairView(
        first,
        second,
        both.n,
        both.agreed,
        _defined(both.agreement),
        _defined(both.kappa),
        _defined(both.ac1),
        *(_interval(measured[name]) for name in ("accuracy", "kappa", "ac1")),
    )


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def _interval(figure: Figure) -> Interval | None:
    return None if figure.low is None or figure.high is None else (round(figure.low, 4), round(figure.high, 4))
