"""Which verdicts each reviewer was shown: a decision after that is not blind."""

from methodlens.records import ContentRef
from methodlens.web.review.annotation_index import AnnotationIndex
from methodlens.web.review.reviewer import Reviewer


class SeenVerdicts:
    """A decision reveals the verdict, even if it is withdrawn. Other looks are remembered until the room closes."""

    def __init__(self, annotations: AnnotationIndex) -> None:
        self._annotations = annotations
        self._cells: set[tuple[str, ContentRef]] = set()  # with the reviewer's name
        self._everything: set[str] = set()  # names of reviewers

    def add(self, reviewer: Reviewer, ref: ContentRef) -> None:
        """The verdict of this cell is being shown."""
        self._cells.add((reviewer.name, ref))

    def add_many(self, reviewer: Reviewer) -> None:
        """Verdicts or decisions on many cells are being shown, unless the reviewer is blind: which cells is not remembered."""
        if not reviewer.blind:
            self._everything.add(reviewer.name)

    def has_seen(self, reviewer: Reviewer, ref: ContentRef) -> bool:
        shown = reviewer.name in self._everything or (reviewer.name, ref) in self._cells
        return shown or self._annotations.has_annotated(reviewer.name, ref)
