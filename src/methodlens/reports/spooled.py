"""The lines of a matrix on disk: what its columns are is known only when all papers have gone by, and those may be many."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

import msgspec

from methodlens.records import PaperEntry, Question, Row
from methodlens.reports.jsonl import encoded_line
from methodlens.reports.matrix import MatrixLine, coded, decoded, paper_lines

_IN_MEMORY = 4 << 20


class SpooledMatrix:
    """Filled paper by paper, then read once: its papers then have a name and a hash, and nothing else."""

    def __init__(self, spool: IO[bytes]) -> None:
        self._spool = spool
        self.questions: dict[str, Question] = {}
        self.count = 0

    def add(self, rows: Sequence[Row]) -> None:
        """All rows of one paper."""
        paper = rows[0].paper
        for row in rows:
            self.questions.setdefault(row.question.id, row.question)
        for reader, statuses in paper_lines(rows).items():
            self._spool.write(encoded_line((paper.name, paper.sha256, reader, coded(statuses, self.questions))))
            self.count += 1

    def __iter__(self) -> Iterator[MatrixLine]:
        self._spool.seek(0)
        for line in self._spool:
            name, sha256, reader, codes = msgspec.json.decode(line, type=tuple[str, str, str, str])
            yield MatrixLine(PaperEntry(name, sha256), reader, decoded(codes, len(self.questions)))


@contextmanager
def spooled_matrix() -> Iterator[SpooledMatrix]:
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        yield SpooledMatrix(spool)
