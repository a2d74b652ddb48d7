"""How many quotes that annotators copied from papers are located, and on the right page.

    python -m benchmarks.quotes GOLD

GOLD holds <paper>.jsonl with quotes (text and page) and pdfs/<paper>.pdf. The quotes may come from another extraction of the
same PDFs: spaces, hyphens and case are ignored, and a few characters may differ ("fuzzy").
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from methodlens.papers import WorkerPool
from methodlens.records import Match, Paper
from methodlens.settings import PaperLimits
from methodlens.text import locate, places


class Outcome(NamedTuple):
    match: Match
    right_page: bool


def quotes(path: Path) -> Iterator[tuple[int, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        for quote in json.loads(line).get("quotes", ()):
            yield quote["page"], quote["text"]


def search(text: str, page: int, paper: Paper) -> Outcome:
    located = locate(text, paper.text)
    pages = [place.page for place in places(paper, located.start, located.end)] if located.match is not Match.ABSENT else []
    return Outcome(located.match, page in pages)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    gold = parser.parse_args().gold
    files = sorted(gold.glob("*.jsonl"))
    if not files:
        print(f"{gold}: no <paper>.jsonl", file=sys.stderr)
        return 2
    table = Table(title="quotes located, and on the annotated page")
    for column in ("paper", "quotes", "exact", "fuzzy", "absent", "right page"):
        table.add_column(column, justify="left" if column == "paper" else "right")
    total: Counter[Outcome] = Counter()
    with WorkerPool(1, PaperLimits()) as pool:
        for file in files:
            paper = pool.parse(gold / "pdfs" / f"{file.stem}.pdf")
            outcomes = Counter(search(text, page, paper) for page, text in quotes(file))
            total += outcomes
            table.add_row(file.stem, *_figures(outcomes))
    table.add_section()
    table.add_row("all", *_figures(total))
    Console().print(table)
    return 0


def _figures(outcomes: Counter[Outcome]) -> list[str]:
    count = outcomes.total()
    by_match = [
        str(sum(n for outcome, n in outcomes.items() if outcome.match is match))
        for match in (Match.EXACT, Match.FUZZY, Match.ABSENT)
    ]
    right = sum(n for outcome, n in outcomes.items() if outcome.right_page)
    return [str(count), *by_match, f"{right / count:.2%}" if count else "-"]


if __name__ == "__main__":
    sys.exit(main())
