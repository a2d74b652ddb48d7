"""How far people agree with each other and with the readers, on the cells of a run."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations

from methodlens.evaluation.raters import Cell as Place
from methodlens.evaluation.raters import PairAgreement, pair_agreement
from methodlens.ledger.overview import CellSummary
from methodlens.records import Status
from methodlens.web.review.annotation_index import Word
from methodlens.web.views import AgreementView, PairView

VERDICT = "verdict"


def agreement(said: Iterable[Word], cells: Mapping[Place, CellSummary | None]) -> AgreementView:
    """`said` are people's standing words, `cells` what readers say of the same places. Who is unsure, and a reader that
    withholds, has decided nothing."""
    people: dict[str, dict[Place, bool]] = {}
    counts: dict[str, Counter[str]] = {}
    for word in said:
        counts.setdefault(word.annotator, Counter())[word.status.value] += 1
        decided = people.setdefault(word.annotator, {})
        if word.status.reported is not None:
            decided[word.place] = word.status.reported
    answered = {place: cell for place, cell in cells.items() if cell}
    verdict = _decided({place: cell.verdict for place, cell in answered.items()})
    names = list(dict.fromkeys(reader for cell in answered.values() for reader in cell.said))
    readers = {
        name: _decided({place: cell.said[name] for place, cell in answered.items() if name in cell.said}) for name in names
    }
    return AgreementView(
        people=tuple(_pair(people[a], people[b], a, b) for a, b in combinations(people, 2)),
        verdict=tuple(_pair(words, verdict, name, VERDICT) for name, words in people.items()),
        readers=tuple(
            _pair(words, readers[reader], name, reader) for name, words in people.items() for reader in names if len(names) > 1
        ),
        counts=counts,
    )


def _decided(statuses: Mapping[Place, Status]) -> dict[Place, bool]:
    return {place: status.reported for place, status in statuses.items() if status.reported is not None}


def _pair(a: Mapping[Place, bool], b: Mapping[Place, bool], first: str, second: str) -> PairView:
    # not by name: a person may be called as a reader is
    found: PairAgreement = pair_agreement({"a": a, "b": b}, "a", "b")
    return PairView(first, second, found.n, found.agreed, _defined(found.agreement), _defined(found.kappa), _defined(found.ac1))


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
