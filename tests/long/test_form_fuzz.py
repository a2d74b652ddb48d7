"""Mutated papers in every form: each gets a status, in the worker process, and the worker goes on."""

from pathlib import Path
from random import Random

import pytest

from methodlens.papers import WorkerPool
from methodlens.papers.forms.reading import form_fingerprint
from methodlens.records import PaperStatus
from methodlens.settings import PaperLimits
from tests.papers.test_form_limits import EXAMPLES, mutated

pytestmark = pytest.mark.long
MUTANTS = 150


@pytest.mark.parametrize("suffix", [".xml", ".html", ".tex", ".docx", ".md"])
def test_mutants_of_every_form_get_a_status_and_no_worker_dies(suffix: str, tmp_path: Path) -> None:
    random, data = Random(f"many {suffix}"), (EXAMPLES / f"rented-cpu{suffix}").read_bytes()
    path = tmp_path / f"mutant{suffix}"
    with WorkerPool(1, PaperLimits(timeout_s=20)) as pool:
        for number in range(MUTANTS):
            path.write_bytes(mutated(data, random))
            paper = pool.parse_form(path, form_fingerprint(suffix))
            assert paper.status not in (PaperStatus.CRASHED, PaperStatus.TIMEOUT), f"{number}: {paper.reason}"


def test_a_form_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "slow.tex"
    path.write_text("\\begin{document}" + "{$x_{y}^{z}$ \\textbf{a} and words}" * 300_000 + "\\end{document}")
    with WorkerPool(1, PaperLimits(timeout_s=0.3)) as pool:
        assert pool.parse_form(path, form_fingerprint(".tex")).status is PaperStatus.TIMEOUT
