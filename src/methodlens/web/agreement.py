"""How far people agree with each other and with the readers, on the cells of a run."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from methodlens.evaluation.raters import Cell as Place
from methodlens.evaluation.raters import PairAgreement, pair
from methodlens.evaluation.sampling import Candidate
from methodlens.records import Annotation, PaperEntry, Status
from methodlens.web.views import AgreementView, PairView

VERDICT = "verdict"


def agreement(said: Sequence[tuple[PaperEntry, Annotation]], cells: Sequence[Candidate]) -> AgreementView:
    """`said` are people's standing words. Who is unsure, and a reader that withholds, has decided nothing."""
    people: dict[str, dict[Place, bool]] = {}
    counts: dict[str, Counter[str]] = {}
    for paper, word in said:
        counts.setdefault(word.annotator, Counter())[word.status.value] += 1
        decided = people.setdefault(word.annotator, {})
        if word.status.reported is not None:
            decided[(paper.name, word.question)] = word.status.reported
    verdict = _decided({(cell.paper, cell.question): cell.verdict for cell in cells})
    names = list(dict.fromkeys(reader for cell in cells for reader in cell.said))
    readers = {
        name: _decided({(cell.paper, cell.question): cell.said[name] for cell in cells if name in cell.said}) for name in names
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
    found: PairAgreement = pair({"a": a, "b": b}, "a", "b")
    return PairView(first, second, found.n, found.agreed, _defined(found.agreement), _defined(found.kappa), _defined(found.ac1))


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
