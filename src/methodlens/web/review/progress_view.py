"""What each reviewer has done and still has to do. Only counts, so that blind reviewers may see it."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from methodlens.ledger.final_words import settle
from methodlens.records import ContentRef, SourceKind
from methodlens.web.review.annotation_index import AnnotationSummary


class QueueProgress(Struct, frozen=True):
    queue: str
    done: int
    total: int


class ReviewerProgress(Struct, frozen=True):
    """`second_opinions` are cells that others decided and this reviewer did not."""

    reviewer: str
    decided: int
    adjudicated: int
    queues: tuple[QueueProgress, ...]
    second_opinions: int


class ProgressView(Struct, frozen=True):
    """`disputed` cells wait for an adjudicator; `adjudicated` ones are settled."""

    reviewers: tuple[ReviewerProgress, ...]
    disputed: int
    adjudicated: int


def progress_view(
    by_cell: Mapping[ContentRef, Sequence[AnnotationSummary]],
    totals: Mapping[str, int],
    contains: Callable[[str, ContentRef], bool],
    names: Sequence[str] = (),
) -> ProgressView:
    """`by_cell` has the annotated cells of the run, `totals` the number of cells per queue; `contains` says whether a queue has
    a cell. `names` are reviewers to list even if they have not decided anything."""
    everybody = dict.fromkeys((*names, *sorted({each.annotator for opinions in by_cell.values() for each in opinions})))
    settled = [settlement.source.kind for opinions in by_cell.values() if (settlement := settle(opinions))]
    return ProgressView(
        tuple(_reviewer(name, by_cell, totals, contains) for name in everybody),
        disputed=settled.count(SourceKind.DISPUTED),
        adjudicated=settled.count(SourceKind.ADJUDICATED),
    )


def _reviewer(
    name: str,
    by_cell: Mapping[ContentRef, Sequence[AnnotationSummary]],
    totals: Mapping[str, int],
    contains: Callable[[str, ContentRef], bool],
) -> ReviewerProgress:
    own = {ref: each for ref, opinions in by_cell.items() for each in opinions if each.annotator == name}
    by_others = [ref for ref, opinions in by_cell.items() if any(not each.adjudicates for each in opinions)]
    return ReviewerProgress(
        reviewer=name,
        decided=sum(not each.adjudicates for each in own.values()),
        adjudicated=sum(each.adjudicates for each in own.values()),
        queues=tuple(QueueProgress(queue, sum(contains(queue, ref) for ref in own), total) for queue, total in totals.items()),
        second_opinions=sum(ref not in own for ref in by_others),
    )
