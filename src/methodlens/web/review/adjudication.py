"""Cells on which reviewers differ, and who may settle them."""

from collections.abc import Iterable, Mapping, Sequence

from methodlens.errors import InputError
from methodlens.ledger.final_words import Opinion, is_adjudication, settle
from methodlens.records import ContentRef, SourceKind
from methodlens.web.review.annotation_index import AnnotationSummary


def is_disputed(opinions: Iterable[Opinion]) -> bool:
    settlement = settle(opinions)
    return settlement is not None and settlement.source.kind is SourceKind.DISPUTED


def disputes(by_cell: Mapping[ContentRef, Sequence[AnnotationSummary]], reviewer: str) -> list[ContentRef]:
    """The disputed cells that this reviewer may settle, the oldest first: those without a decision by the reviewer."""
    return [
        ref
        for ref, opinions in by_cell.items()
        if is_disputed(opinions) and all(opinion.annotator != reviewer for opinion in opinions)
    ]


def next_dispute(cells: Sequence[ContentRef], after: ContentRef) -> ContentRef | None:
    """The one after this cell; after the last, the first."""
    begin = cells.index(after) + 1 if after in cells else 0
    return next((cell for cell in (*cells[begin:], *cells[:begin]) if cell != after), None)


def may_settle(opinions: Sequence[Opinion], reviewer: str) -> bool:
    return not _why_not(opinions, reviewer)


def check_adjudication(opinions: Sequence[Opinion], reviewer: str) -> None:
    """Raises InputError if this reviewer cannot settle the cell. A reviewer may change their own adjudication."""
    if reason := _why_not(opinions, reviewer):
        raise InputError(*reason)


def _why_not(opinions: Sequence[Opinion], reviewer: str) -> tuple[str, str] | None:
    others = [opinion for opinion in opinions if opinion.annotator != reviewer]
    own_decision = any(opinion.annotator == reviewer and not is_adjudication(opinion) for opinion in opinions)
    if own_decision:
        return "you have decided this cell yourself", "ask somebody else to adjudicate it, or withdraw your decision"
    if not is_disputed(others):
        return "reviewers do not differ on this cell", "decide it without adjudicating"
    return None
