"""Which algorithm aligns a damaged quote with its paper best, and how fast: difflib or rapidfuzz.

    python -m benchmarks.fuzzy_quotes GOLD

GOLD holds <paper>.jsonl with quotes (text and page) and pdfs/<paper>.pdf. Each quote is searched as it is and with realistic
damage. "right page" counts quotes located on the annotated page. "overlap" is the mean overlap (intersection over union) of the
located span with the span of the undamaged quote. Quotes of another paper, and quotes with most words replaced, should be absent.
Times are relative to difflib in the same run.
"""

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel, LCSseq
from rich.console import Console
from rich.table import Table

from benchmarks.quotes import quotes
from methodlens.papers import WorkerPool
from methodlens.records import Match, Paper
from methodlens.settings import PaperLimits
from methodlens.text import Located, locate, places, squeeze
from methodlens.text.matching import MIN_SHARE, WINDOW, candidate_regions

Matcher = Callable[[str, str], Located]
Damage = Callable[[str, random.Random], str]
_OTHER_WORDS = "river evening careful yellow under seldom music harbour gentle promise window forest".split()


# --- damage ---------------------------------------------------------------------------------------------------------


def _replace_words(text: str, rng: random.Random, share: float) -> str:
    words = text.split()
    for index in rng.sample(range(len(words)), max(1, round(len(words) * share))):
        words[index] = rng.choice(_OTHER_WORDS)
    return " ".join(words)


def _drop_words(text: str, rng: random.Random) -> str:
    words = text.split()
    dropped = set(rng.sample(range(len(words)), max(1, len(words) // 10)))
    return " ".join(word for index, word in enumerate(words) if index not in dropped)


def _ocr_errors(text: str, rng: random.Random) -> str:
    confusions = {"l": "1", "o": "0", "m": "rn", "e": "c", "S": "5"}
    return "".join(confusions[char] if char in confusions and rng.random() < 0.1 else char for char in text)


def _shorten(text: str, _: random.Random) -> str:
    words = text.split()
    middle, size = len(words) // 2, max(1, len(words) // 10)
    return " ".join([*words[: middle - size], "[...]", *words[middle + size :]])


DAMAGE: dict[str, Damage] = {
    "none": lambda text, _: text,
    "hyphens dropped": lambda text, _: re.sub("[-‐‑–]", "", text),
    "words hyphenated": lambda text, _: re.sub(r"(\w{4})(\w{4})", r"\1- \2", text),
    "ligatures lost": lambda text, _: re.sub("f[fil]|[ﬀ-ﬄ]", "", text),
    "OCR errors": _ocr_errors,
    "one number changed": lambda text, _: re.sub(r"\d+", lambda m: str(int(m[0]) + 1), text, count=1),
    "10% of words changed": lambda text, rng: _replace_words(text, rng, 0.1),
    "20% of words changed": lambda text, rng: _replace_words(text, rng, 0.2),
    "10% of words dropped": _drop_words,
    "middle left out": _shorten,
    "60% of words changed": lambda text, rng: _replace_words(text, rng, 0.6),
}


# --- matchers -------------------------------------------------------------------------------------------------------


def _search(quote: str, text: str, fuzzy: Callable[[str, str], tuple[int, int] | None]) -> Located:
    needle, hay = squeeze(quote).text, squeeze(text)
    at = hay.text.find(needle)
    match, span = Match.EXACT, (at, at + len(needle)) if at >= 0 else None
    if span is None and len(needle) >= 2 * WINDOW:
        match, span = Match.FUZZY, fuzzy(needle, hay.text)
    return Located(match, hay.origin[span[0]], hay.origin[span[1] - 1] + 1) if span else Located(Match.ABSENT, 0, 0)


def _indel(needle: str, hay: str) -> tuple[int, int] | None:
    best, best_share = None, MIN_SHARE
    for start, region in candidate_regions(needle, hay):
        blocks = [block for block in Indel.editops(needle, region).as_matching_blocks() if block.size >= 3]
        share = sum(block.size for block in blocks) / len(needle)
        if blocks and share >= best_share:
            best, best_share = (start + blocks[0].b, start + blocks[-1].b + blocks[-1].size), share
    return best


def _partial_ratio(needle: str, hay: str) -> tuple[int, int] | None:
    alignment = fuzz.partial_ratio_alignment(needle, hay, score_cutoff=100 * MIN_SHARE)
    return (alignment.dest_start, alignment.dest_end) if alignment and alignment.dest_end > alignment.dest_start else None


def _best_region(needle: str, hay: str) -> tuple[int, int] | None:
    regions = candidate_regions(needle, hay)
    start, region = max(regions, key=lambda region: LCSseq.similarity(needle, region[1]), default=(0, ""))
    if LCSseq.similarity(needle, region) < MIN_SHARE * len(needle):
        return None
    blocks = [block for block in SequenceMatcher(None, needle, region, autojunk=False).get_matching_blocks() if block.size >= 3]
    enough = sum(block.size for block in blocks) >= MIN_SHARE * len(needle)
    return (start + blocks[0].b, start + blocks[-1].b + blocks[-1].size) if enough else None


MATCHERS: dict[str, Matcher] = {
    "difflib (ours)": locate,
    "rapidfuzz aligns": lambda quote, text: _search(quote, text, _indel),
    "rapidfuzz picks, difflib aligns": lambda quote, text: _search(quote, text, _best_region),
    "rapidfuzz partial_ratio": lambda quote, text: _search(quote, text, _partial_ratio),
}


# --- figures --------------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    quote: str
    page: int
    paper: Paper
    truth: tuple[int, int] | None
    """The span of the undamaged quote where it is found exactly; None for a quote of another paper."""


class Outcome(NamedTuple):
    match: Match
    right_page: bool
    overlap: float | None
    seconds: float


def run(matcher: Matcher, case: Case) -> Outcome:
    squeeze(case.paper.text)  # cached per paper in practice too
    started = time.perf_counter()
    located = matcher(case.quote, case.paper.text)
    seconds = time.perf_counter() - started
    pages = [place.page for place in places(case.paper, located.start, located.end)] if located.match is not Match.ABSENT else []
    return Outcome(located.match, case.page in pages, _overlap(located, case.truth), seconds)


def _overlap(located: Located, truth: tuple[int, int] | None) -> float | None:
    if located.match is Match.ABSENT or truth is None:
        return None
    common = min(located.end, truth[1]) - max(located.start, truth[0])
    return max(0, common) / (max(located.end, truth[1]) - min(located.start, truth[0]))


def cases(gold: Path) -> Iterator[tuple[str, list[Case]]]:
    with WorkerPool(1, PaperLimits()) as pool:
        papers = {file.stem: pool.parse(gold / "pdfs" / f"{file.stem}.pdf") for file in sorted(gold.glob("*.jsonl"))}
    undamaged = []
    for name, paper in papers.items():
        for page, quote in quotes(gold / f"{name}.jsonl"):
            located = locate(quote, paper.text)
            if located.match is Match.EXACT and len(quote.split()) >= 4:
                undamaged.append(Case(quote, page, paper, (located.start, located.end)))
    for name, damage in DAMAGE.items():
        rng = random.Random(name)
        yield name, [case._replace(quote=damage(case.quote, rng)) for case in undamaged]
    names = list(papers)
    other = dict(zip((paper.sha256 for paper in papers.values()), [*names[1:], names[0]], strict=True))
    yield "another paper's quote", [case._replace(paper=papers[other[case.paper.sha256]], truth=None) for case in undamaged]


def _row(outcomes: Sequence[Outcome], baseline: float) -> list[str]:
    count = Counter(outcome.match for outcome in outcomes)
    overlaps = [outcome.overlap for outcome in outcomes if outcome.overlap is not None]
    return [
        *(str(count[match]) for match in (Match.EXACT, Match.FUZZY, Match.ABSENT)),
        f"{sum(outcome.right_page for outcome in outcomes) / len(outcomes):.1%}",
        f"{sum(overlaps) / len(overlaps):.3f}" if overlaps else "-",
        f"{sum(outcome.seconds for outcome in outcomes) / baseline:.2f}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    gold = parser.parse_args().gold
    if not any(gold.glob("*.jsonl")):
        print(f"{gold}: no <paper>.jsonl", file=sys.stderr)
        return 2
    table = Table(title="damaged quotes located")
    for column in ("damage", "matcher", "exact", "fuzzy", "absent", "right page", "overlap", "time"):
        table.add_column(column, justify="left" if column in ("damage", "matcher") else "right")
    for damage, damaged in cases(gold):
        outcomes = {name: [run(matcher, case) for case in damaged] for name, matcher in MATCHERS.items()}
        baseline = sum(outcome.seconds for outcome in next(iter(outcomes.values())))
        for name, each in outcomes.items():
            table.add_row(damage, name, *_row(each, baseline))
        table.add_section()
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
