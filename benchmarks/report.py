"""How long the report takes, and how big it is: python benchmarks/report.py [PAPERS ...]

Synthetic papers in a ledger of their own, 28 questions each, with quotes, facts and passages as long as real ones; then the
report as `methodlens report --no-pages` makes it. With --pages FOLDER it also draws pages of the PDFs there, as reports do.
"""

import argparse
import hashlib
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from methodlens.papers import WorkerPool, find
from methodlens.questions import load
from methodlens.records import Answer, Cell, Evidence, Hit, Match, Paper, PaperEntry, Passage, Place, Question, Status, Verdict
from methodlens.runs import board, report
from methodlens.runs.ledger import Ledger, Run
from methodlens.runs.pages import PageWanted, pictures
from methodlens.settings import load as load_settings

_WORDS = (
    "the model was trained on images of moths with two cards for six hours and a batch size of thirty two in each run".split()
)
_READERS = ("embedded",)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("papers", nargs="*", type=int, default=[10, 100, 500])
    arguments.add_argument("--pages", type=Path, metavar="FOLDER")
    chosen = arguments.parse_args()
    print(f"{'papers':>8} {'cells':>8} {'rows read':>10} {'report':>8} {'size':>9}")
    for count in chosen.papers:
        _measure(count)
    if chosen.pages:
        _draw(chosen.pages)


def _measure(count: int) -> None:
    questions = load("dl-methods").questions
    with tempfile.TemporaryDirectory() as folder, Ledger.at(Path(folder), create=True) as ledger:
        run = Run("bench", (), questions, _READERS, count)
        ledger.begin(run, [f"{number}.pdf" for number in range(count)])
        dice = random.Random(0)
        for number in range(count):
            paper = _paper(number, dice)
            entry = PaperEntry(f"{number}.pdf", paper.sha256, title=_text(dice, 60), authors=("A. Author",), year=2024, pages=10)
            ledger.keep_all(run.id, entry, paper, _cells(paper, questions, dice))
        started = time.perf_counter()
        rows = sum(1 for _ in board.rows(ledger, run))
        read = time.perf_counter() - started
        started = time.perf_counter()
        done = report.write(ledger, run, Path(folder, "report.html"), options=report.PageOptions())
        took = time.perf_counter() - started
        print(f"{count:>8} {rows:>8} {read:>8.1f} s {took:>6.1f} s {done.bytes / 1e6:>6.1f} MB")


def _paper(number: int, dice: random.Random) -> Paper:
    text = _text(dice, 40_000)
    return Paper(sha256=hashlib.sha256(f"{number}{text}".encode()).hexdigest(), parser="bench", text=text)


def _cells(paper: Paper, questions: tuple[Question, ...], dice: random.Random) -> Iterator[Cell]:
    for question in questions:
        status = dice.choices([Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD], [7, 2, 1])[0]
        spans = [dice.randrange(len(paper.text) - 400) for _ in range(20)]
        passages = [Passage(start, start + 400, 1 + start // 4000, "methods", paper.text[start : start + 400]) for start in spans]
        boxes = ((72.0, 90.0, 300.0, 101.0),) * 3
        quotes = [
            Evidence(paper.text[start : start + 180], Match.EXACT, start, start + 180, (Place(1 + start // 4000, boxes),))
            for start in spans[:3]
        ]
        facts = {key: [{"name": f"{key} {dice.randrange(30)}", "count": dice.randrange(4)}] for key in question.facts[:2]}
        answer = Answer(_text(dice, 400), tuple(quotes) if status is Status.REPORTED else (), facts, p_reported=dice.random())
        hits = tuple(Hit(passage, 1.0, shown=rank < 10) for rank, passage in enumerate(passages))
        key = f"{paper.sha256}{question.id}"
        yield Cell(key, paper.sha256, question.id, "embedded", "bench", Verdict(status), answer, hits, 0.01)


def _text(dice: random.Random, characters: int) -> str:
    words: list[str] = []
    while sum(map(len, words)) + len(words) < characters:
        words += dice.sample(_WORDS, 12)
    return " ".join(words)[:characters]


def _draw(folder: Path) -> None:
    settings = load_settings(None)
    files = find([folder])
    with WorkerPool(settings.worker_count, settings.papers, settings.reading) as pool:
        wanted = [PageWanted(file.path, "", page) for file in files for page in range(1, 9)]
        started = time.perf_counter()
        sizes = [len(drawn.png) for drawn in pictures(wanted, pool, workers=settings.worker_count) if drawn.png]
        took = time.perf_counter() - started
    if sizes:
        each = f"{1000 * took / len(sizes):.0f} ms and {sum(sizes) / len(sizes) / 1000:.0f} kB each"
        print(f"{len(sizes)} pages drawn in {took:.1f} s, {each}")


if __name__ == "__main__":
    main()
