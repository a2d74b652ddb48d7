"""The rows of a run paper by paper, with people's annotations."""

from collections.abc import Iterable, Iterator, Sequence

from methodlens.ledger import final_words
from methodlens.ledger.store import Ledger
from methodlens.records import Annotation, Row
from methodlens.reports.verdict_matrix import rows_by_paper


def rows_with_annotations(ledger: Ledger, rows: Iterable[Row]) -> Iterator[tuple[Sequence[Row], list[Annotation]]]:
    """All rows of each paper, which must be consecutive, and the annotations of people on it."""
    annotated = final_words.annotated_papers(ledger)
    for paper_rows in rows_by_paper(rows):
        sha256 = paper_rows[0].paper.sha256
        yield paper_rows, final_words.human_annotations(ledger, sha256) if sha256 in annotated else []
