"""Does a small language model on this machine help where the embedded reader is in doubt?

    python -m benchmarks.small_model GOLD --model FILE.gguf [--cells N] [--minutes M]

Takes the gold cells that the embedded reader withholds, in random order, and asks the model each of them in two ways, both
answered with one token: "yes or no?" after the best passages, and "which of these numbered sentences answers the question, or
0?". The probabilities of the tokens are the model's scores; nothing is trained or fitted. The embedded reader is forced to decide
at p >= 0.5. Blended scores are plain means. Intervals are bootstraps over papers. The embedded reader's weights were learned with
these papers in view, which favours it; the model has no such advantage. Needs the extra `local`.
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import httpx
from rich.console import Console
from rich.table import Table

from methodlens import Lens
from methodlens.evaluation.counts import Counts, accuracy, count, kappa
from methodlens.papers import find
from methodlens.records import Cell, Paper, PaperStatus, Question, Status
from methodlens.text import sentences

_PASSAGE_CHARS = 1200
_MOST_SENTENCES = 5  # at most nine: one digit each
_MIN_SENTENCE_CHARS = 40
_RESAMPLES = 2000
_YES_NO = """Passages of a scientific paper:

{passages}

Question: {question}

Do these passages give a specific answer to the question, about the authors' own work? Reply with one word: yes or no."""
_CHOICE = """Sentences of a scientific paper:

{sentences}
0. none of these

Question: {question}

Which sentence answers the question about the authors' own work? Reply with its number alone, or 0 if none does."""


class Doubt(NamedTuple):
    """A cell that the embedded reader withholds, with the gold label."""

    paper: str
    question: Question
    cell: Cell
    text: str
    reported: bool

    @property
    def p(self) -> float:
        return self.cell.answer.p_reported or 0.0


class Scored(NamedTuple):
    paper: str
    reported: bool
    scores: Mapping[str, float]


def doubts(gold: Path) -> tuple[list[Doubt], int]:
    """The withheld cells that gold has a label for, and how many cells gold has."""
    labels = {
        (label["paper"], f"CQ{label['cq']}"): bool(label["reported"])
        for file in sorted(gold.glob("*.jsonl"))
        for label in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    }
    found: list[Doubt] = []
    with Lens() as lens:
        for file in find([gold / "pdfs"], suffixes=(".pdf",)):
            paper = lens.read(file.location)
            if paper.status is not PaperStatus.OK:  # a sample without it would be another sample
                sys.exit(f"{file.name} is {paper.status}: {paper.reason}")
            found += _withheld(lens, paper, Path(file.name).stem, labels)
    return found, len(labels)


def _withheld(lens: Lens, paper: Paper, name: str, labels: Mapping[tuple[str, str], bool]) -> Iterator[Doubt]:
    for answered in lens.answers(paper, lens.questions.questions, name=name):
        cell, question = answered.row.cell, answered.row.question
        label = labels.get((name, question.id))
        if cell.verdict.status is Status.WITHHELD and label is not None:
            yield Doubt(name, question, cell, paper.text, label)


@contextmanager
def serving(model: Path, threads: int) -> Iterator[Callable[[str], dict[str, float]]]:
    """A function from a prompt to the probabilities of the first token of the reply."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.port = 0
    params.verbosity = -1
    params.warmup = False
    server = xllamacpp.Server(params)

    with httpx.Client(base_url=server.listening_address, timeout=300) as client:

        def first_token(prompt: str) -> dict[str, float]:
            body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": 1, "temperature": 0.0}
            reply = client.post("/v1/chat/completions", json={**body, "logprobs": True, "top_logprobs": 20})
            reply.raise_for_status()
            (token,) = reply.json()["choices"][0]["logprobs"]["content"][:1]
            return _by_word(token["top_logprobs"])

        yield first_token


def _by_word(tokens: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    words: dict[str, float] = {}
    for token in tokens:
        word = str(token["token"]).strip().lower()
        words[word] = words.get(word, 0.0) + math.exp(float(token["logprob"]))
    return words


def yes_no(doubt: Doubt, first_token: Callable[[str], dict[str, float]]) -> float:
    passages = "\n\n".join(hit.passage.text for hit in doubt.cell.context)[:_PASSAGE_CHARS]
    words = first_token(_YES_NO.format(passages=passages, question=doubt.question.text))
    yes, no = words.get("yes", 0.0), words.get("no", 0.0)
    return yes / (yes + no) if yes + no else 0.5


def choice(doubt: Doubt, first_token: Callable[[str], dict[str, float]]) -> float:
    """The probability that it is any sentence rather than none."""
    offered = candidate_sentences(doubt)
    numbered = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(offered, 1))
    words = first_token(_CHOICE.format(sentences=numbered, question=doubt.question.text))
    some = sum(words.get(str(number), 0.0) for number in range(1, len(offered) + 1))
    none = words.get("0", 0.0)
    return some / (some + none) if some + none else 0.5


def candidate_sentences(doubt: Doubt) -> list[str]:
    """The embedded reader's own quotes, then sentences of the passages in rank order."""
    chosen = [" ".join(item.quote.split()) for item in doubt.cell.answer.evidence]
    for hit in doubt.cell.context:
        text = hit.passage.text
        chosen += [" ".join(text[start:end].split()) for start, end in sentences(text, 0, len(text))]
    distinct = dict.fromkeys(sentence for sentence in chosen if len(sentence) >= _MIN_SENTENCE_CHARS)
    return list(distinct)[:_MOST_SENTENCES]


def auc(rows: Sequence[Scored], name: str) -> float:
    """The share of pairs of a reported and an unreported cell that the score puts in order; ties count half."""
    yes = [row.scores[name] for row in rows if row.reported]
    no = [row.scores[name] for row in rows if not row.reported]
    pairs = [(a > b) + 0.5 * (a == b) for a in yes for b in no]
    return sum(pairs) / len(pairs) if pairs else math.nan


def _counts(rows: Sequence[Scored], name: str) -> Counts:
    return count([(row.reported, row.scores[name] >= 0.5) for row in rows])


def forced_accuracy(rows: Sequence[Scored], name: str) -> float:
    return float(accuracy(_counts(rows, name)))


def forced_kappa(rows: Sequence[Scored], name: str) -> float:
    return float(kappa(_counts(rows, name)))


class Figure(Protocol):
    def __call__(self, rows: Sequence[Scored], name: str) -> float: ...


FIGURES: Mapping[str, Figure] = {"AUC": auc, "accuracy": forced_accuracy, "kappa": forced_kappa}


def _gain(rows: Sequence[Scored], *, figure: Figure, name: str) -> float:
    return figure(rows, name) - figure(rows, "embedded")


def interval(rows: Sequence[Scored], figure: Callable[[Sequence[Scored]], float]) -> str:
    """The figure with a 95% interval from resampled papers."""
    by_paper: dict[str, list[Scored]] = {}
    for row in rows:
        by_paper.setdefault(row.paper, []).append(row)
    draw, names = random.Random(7), list(by_paper)
    samples = ([row for name in draw.choices(names, k=len(names)) for row in by_paper[name]] for _ in range(_RESAMPLES))
    values = sorted(value for value in map(figure, samples) if not math.isnan(value))
    low, high = values[int(0.025 * len(values))], values[int(0.975 * len(values)) - 1]
    return f"{figure(rows):.2f} [{low:.2f}, {high:.2f}]"


def show(rows: Sequence[Scored], seconds: float, *, withheld: int, cells: int) -> None:
    yes = sum(row.reported for row in rows)
    papers = len({row.paper for row in rows})
    title = f"{len(rows)} of {withheld} withheld cells (of {cells}), {papers} papers, {yes} reported in gold"
    table = Table("score", *FIGURES, *(f"{name}, less embedded" for name in FIGURES), title=title)
    for name in rows[0].scores:
        levels = [interval(rows, partial(figure, name=name)) for figure in FIGURES.values()]
        gains = [interval(rows, partial(_gain, figure=figure, name=name)) for figure in FIGURES.values()]
        table.add_row(name, *levels, *(gains if name != "embedded" else [""] * len(gains)))
    Console(width=160).print(table)
    print(f"always yes: accuracy {yes / len(rows):.2f}; {seconds / len(rows):.1f} s per cell for both prompts")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--cells", type=int, default=0, help="at most so many cells; 0 for all")
    parser.add_argument("--minutes", type=float, default=15.0, help="stop asking after this time")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    found, cells = doubts(given.gold)
    random.Random(7).shuffle(found)
    rows: list[Scored] = []
    with serving(given.model, given.threads) as first_token:
        started = time.monotonic()
        for doubt in found[: given.cells or None]:
            asked, chosen = yes_no(doubt, first_token), choice(doubt, first_token)
            scores = {"embedded": doubt.p, "yes/no": asked, "choice": chosen}
            scores |= {"embedded + yes/no": (doubt.p + asked) / 2, "embedded + choice": (doubt.p + chosen) / 2}
            rows.append(Scored(doubt.paper, doubt.reported, scores))
            print(f"{len(rows)} cells, {time.monotonic() - started:.0f} s", file=sys.stderr)
            if time.monotonic() - started > 60 * given.minutes:
                break
        seconds = time.monotonic() - started
    if not rows:
        sys.exit("the embedded reader withholds none of the gold cells")
    show(rows, seconds, withheld=len(found), cells=cells)


if __name__ == "__main__":
    main()
