"""Thousands of broken PDFs: each gets a status, and none affects the parent process.

METHODLENS_MUTANTS and METHODLENS_SEED set the number of mutants and the seed.
"""

import contextlib
import io
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from methodlens.papers import WorkerPool
from methodlens.records import Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.long
MUTANTS = int(os.environ.get("METHODLENS_MUTANTS", "3000"))
SEED = int(os.environ.get("METHODLENS_SEED", "1"))
LIMITS = PaperLimits(timeout_s=30, memory_mb=1024)
NASTY = b"0 -1 1 65535 65536 2147483647 2147483648 -2147483648 99999999999 1e38 0.0000001".split()
WORDS = re.compile(rb"/[A-Z][A-Za-z0-9]+|\b(?:Tj|TJ|Tf|Td|Tm|cm|BT|ET|Do|re|obj|endobj|stream|endstream|R)\b")
NUMBERS = re.compile(rb"-?\d+(?:\.\d+)?")
Damage = Callable[[bytearray, random.Random, Sequence[bytes]], None]


def span(data: bytearray, rng: random.Random, longest: int = 400) -> slice:
    start = rng.randrange(max(1, len(data)))
    return slice(start, start + rng.randint(1, longest))


def flip(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    for _count in range(rng.randint(1, 30)):
        data[rng.randrange(len(data))] = rng.randrange(256)


def delete(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    del data[span(data, rng)]


def duplicate(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    part = bytes(data[span(data, rng)]) * rng.choice([1, 1, 2, 50])
    at = rng.randrange(len(data))
    data[at:at] = part


def splice(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    other = bytearray(rng.choice(others))
    data[span(data, rng)] = other[span(other, rng, 4000)]


def renumber(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    substitute(data, rng, NUMBERS, NASTY)


def rename(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    substitute(data, rng, WORDS, WORDS.findall(data))


def substitute(data: bytearray, rng: random.Random, pattern: re.Pattern[bytes], values: Sequence[bytes]) -> None:
    matches = list(pattern.finditer(data))
    for match in sorted(rng.sample(matches, min(len(matches), rng.randint(1, 12))), key=lambda match: -match.start()):
        data[match.start() : match.end()] = rng.choice(values)


def blank(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    where = span(data, rng, 2000)
    data[where] = bytes(len(data[where]))


def cut(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    del data[rng.randrange(len(data)) :]


DAMAGES: Sequence[Damage] = (flip, delete, duplicate, splice, renumber, renumber, rename, rename, blank, cut)


def mutants(bases: Sequence[bytes], seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    while True:
        data = bytearray(rng.choice(bases))
        for damage in rng.choices(DAMAGES, k=rng.randint(1, 5)):
            if data:
                damage(data, rng, bases)
        yield bytes(data)


def uncompressed(path: Path, pages: int = 2) -> bytes:
    """So that damage reaches the content of the streams."""
    with pikepdf.open(path) as document:
        del document.pages[pages:]
        buffer = io.BytesIO()
        document.save(
            buffer,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
        )
        return buffer.getvalue()


def small() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(400, 400), invariant=1)
    canvas.drawString(40, 300, "The gulls of the harbour were counted from the pier every morning at seven")
    canvas.beginForm("form")
    canvas.setFillGray(1)
    canvas.drawString(40, 200, "White words in a form that is placed twice")
    canvas.endForm()
    canvas.doForm("form")
    canvas.rotate(20)
    canvas.doForm("form")
    canvas.linkURL("https://example.org", (10, 10, 90, 90))
    canvas.save()
    return buffer.getvalue()


@cache
def base_pdfs() -> tuple[bytes, ...]:
    """What is damaged: the example papers as they are and uncompressed, and a small file."""
    papers = sorted((EXAMPLES / "papers").glob("*.pdf"))
    return (*(path.read_bytes() for path in papers), *(uncompressed(path) for path in papers), small(), small())


def read_all(pool: WorkerPool, folder: Path, files: Iterator[bytes]) -> Iterator[tuple[int, Paper]]:
    def read(numbered: tuple[int, bytes]) -> tuple[int, Paper]:
        path = folder / f"{numbered[0]}.pdf"
        path.write_bytes(numbered[1])
        paper = pool.parse(path)
        if paper.status not in (PaperStatus.CRASHED, PaperStatus.TIMEOUT):
            path.unlink()
        return numbered[0], paper

    with ThreadPoolExecutor(2) as threads:
        numbered = enumerate(files)
        while batch := list(islice(numbered, 16)):  # few at a time: the test measures the memory of the pool, not of the mutants
            yield from threads.map(read, batch)


def memory_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def workers_left() -> list[str]:
    """PDF workers and zombies among the children of this process; other tests may have started a browser."""
    left: list[str] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            command = (stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if int(parent) == os.getpid() and (state == "Z" or "methodlens.papers.pdf_worker" in command):
                left.append(f"{state} {command}")
    return left


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory of the parent from /proc")
def test_every_mutant_gets_a_status_and_the_parent_keeps_its_memory(tmp_path: Path) -> None:
    papers = sorted((EXAMPLES / "papers").glob("*.pdf"))
    statuses: Counter[str] = Counter()
    with WorkerPool(2, LIMITS, ReadingSettings(ocr="off")) as pool:
        assert pool.parse(papers[0]).status is PaperStatus.OK
        before = memory_mb()
        for number, paper in read_all(pool, tmp_path, islice(mutants(base_pdfs(), SEED), MUTANTS)):
            statuses[paper.status.value] += 1
            assert paper.reason or paper.status is PaperStatus.OK, f"mutant {number} of seed {SEED} gives no reason"
            assert "parsing failed" not in paper.reason, f"mutant {number} of seed {SEED}: {paper.reason}"
        print(dict(statuses), f"{memory_mb() - before:.0f} MB more")
        assert memory_mb() - before < 50
        assert pool.parse(papers[0]).status is PaperStatus.OK
    assert sum(statuses.values()) == MUTANTS
    assert workers_left() == []
