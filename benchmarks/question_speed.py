"""What a question of one's own costs on an indexed paper: CPU time of ranking its passages and reading them, on one core."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from methodlens import retrieval
from methodlens.papers import from_text, split
from methodlens.readers.embedded import EmbeddedReader
from methodlens.records import Paper, Question
from methodlens.settings import RetrievalSettings
from training import gold

_PAPERS = 6
QUESTIONS = (
    "Which hardware was it trained on?",
    "Which software frameworks were used?",
    "Which datasets were used?",
    "Which library, such as PyTorch or Keras, was the program written with?",
    "How long did one training run take?",
    "Which loss function was minimised?",
    "Who paid for the work?",
    "In which country were the recordings made?",
    "Where can the code be downloaded?",
    "Which metrics, such as accuracy or recall, were computed?",
    "Why was this network chosen?",
    "What was the best accuracy?",
)
_OWN_PAPER = ("Methods", "Newts were counted by a network. It was slow.", "We used two nets, and one boat. The newts sang.")


def milliseconds(papers: Sequence[gold.GoldPaper]) -> list[float]:
    """One per question and paper, each asked for the first time. Before, a paper of our own loads the data files, and another
    question prepares the paper."""
    _ask(from_text(_OWN_PAPER), QUESTIONS)
    return [each for one in papers for each in _ask(one.paper, ("Which newts sing?", *QUESTIONS))[1:]]


def _ask(paper: Paper, questions: Sequence[str]) -> list[float]:
    reader, took = EmbeddedReader(), []
    index = retrieval.create(RetrievalSettings(), {}).index(split(paper, size=RetrievalSettings().passage_chars))
    for text in questions:
        question = Question("mine", text)
        start = time.process_time()
        reader.read(question, paper, index.rank(question))
        took.append(1000 * (time.process_time() - start))
    return took


def show_speed(folder: Path) -> None:
    took = milliseconds(gold.read(folder)[:_PAPERS])
    threads = os.environ.get("OMP_NUM_THREADS", "any number of")
    print(
        f"CPU time of an own question on an indexed paper ({len(took)} cells, {threads} threads): "
        f"median {median(took):.1f} ms, at most {max(took):.1f} ms"
    )
