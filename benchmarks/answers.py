"""Did it answer, or say that nothing is said? Our rules and the published model step beside what people decided.

    python benchmarks/answers.py STUDY

STUDY is the published study (its records, or its folders), as `methodlens study import` takes it. The rules were written with
one half of the labelled papers in view; the other half was only measured. Below, each known defect of its answers: how many there
are, what the study counted them as, and what cleaning, grounding and the verdict make of them.
"""

import argparse
import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from methodlens.errors import MethodlensError
from methodlens.evaluation.counts import accuracy, count, kappa
from methodlens.papers import from_text, split
from methodlens.readers.answer_cleaning import WORD_LIMIT, clean_answer
from methodlens.readers.grounding import find_support, unsupported_claims
from methodlens.records import Answer, Hit, Status
from methodlens.study.answer_files import load_study
from methodlens.study.dataset import DefectKind, Study, StudyAnswer
from methodlens.study.defects import judge_answer
from methodlens.verdicts import is_silent, judge, separate_speculation


class Labelled(NamedTuple):
    """One answer that a person called an answer, or not, with what the others make of it."""

    paper: str
    question: str
    model: str
    human: bool
    ours: bool
    text_only: bool
    published: bool


Rater = Callable[[Labelled], bool]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("study", type=Path)
    args = parser.parse_args()
    try:
        study = load_study(args.study)
    except MethodlensError as err:
        print(f"{err}; nothing measured", file=sys.stderr)
        return 0
    screen = Console(width=118)
    labelled = list(labels(study))
    if labelled:
        screen.print(agreement(labelled))
    else:
        print("no person judged any of these answers", file=sys.stderr)
    screen.print(defects(study))
    return 0


# --- agreement ------------------------------------------------------------------------------------------------------


def labels(study: Study) -> Iterator[Labelled]:
    for paper, question, model, given, context in answers(study):
        if given.human is None:
            continue
        asked, cleaned = words_of(study, question), clean_answer(given.text or "")
        text = "" if cleaned.repetitive else cleaned.text
        yield Labelled(
            paper,
            question,
            model,
            given.human,
            ours=not is_silent(text, question=asked, context=(context,)),
            text_only=not is_silent(text),
            published=(given.label or "").strip().casefold() == "yes",
        )


def answers(study: Study) -> Iterator[tuple[str, str, str, StudyAnswer, str]]:
    for paper, cells in study.cells.items():
        for question, cell in cells.items():
            for model, given in cell.answers.items():
                yield paper, question, model, given, cell.context


def words_of(study: Study, question: str) -> str:
    number = int(question.removeprefix("CQ")) if question.removeprefix("CQ").isdigit() else 0
    return study.questions[number - 1] if 0 < number <= len(study.questions) else ""


def halves(labelled: Sequence[Labelled]) -> tuple[set[str], set[str]]:
    """By the hash of a paper's name, so that neither its year nor its journal decides: looked at, held out."""
    papers = sorted({each.paper for each in labelled}, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return set(papers[::2]), set(papers[1::2])


def agreement(labelled: Sequence[Labelled]) -> Table:
    yes_to: defaultdict[str, list[bool]] = defaultdict(list)
    for each in labelled:
        yes_to[each.question].append(each.human)
    raters: dict[str, Rater] = {
        "our rules": lambda each: each.ours,
        "... on the text alone": lambda each: each.text_only,
        "published model step": lambda each: each.published,
        "always yes": lambda _: True,
        "majority by question": lambda each: 2 * sum(yes_to[each.question]) > len(yes_to[each.question]),
    }
    table = Table(title="agreement with people on 'it answers': share, kappa")
    table.add_column("answers", no_wrap=True)
    table.add_column("n", justify="right")
    for name in ("yes", *raters):
        table.add_column(name, justify="right")
    seen, unseen = halves(labelled)
    named: list[tuple[str, Sequence[Labelled]]] = [
        ("all", labelled),
        (f"{len(seen)} papers looked at", [each for each in labelled if each.paper in seen]),
        (f"{len(unseen)} papers held out", [each for each in labelled if each.paper in unseen]),
    ]
    groups: list[Sequence[tuple[str, Sequence[Labelled]]]] = [
        named,
        grouped(labelled, lambda each: each.model),
        grouped(labelled, lambda each: each.question),
    ]
    for group in groups:
        table.add_section()
        for name, some in group:
            if not some:
                continue
            share = sum(each.human for each in some) / len(some)
            table.add_row(name, str(len(some)), f"{share:.0%}", *(measured(some, rater) for rater in raters.values()))
    return table


def grouped(labelled: Sequence[Labelled], by: Callable[[Labelled], str]) -> list[tuple[str, list[Labelled]]]:
    groups: defaultdict[str, list[Labelled]] = defaultdict(list)
    for each in labelled:
        groups[by(each)].append(each)
    return list(groups.items())


def measured(some: Iterable[Labelled], rater: Rater) -> str:
    found = count((each.human, rater(each)) for each in some)
    beyond = float(kappa(found))
    return f"{float(accuracy(found)):.1%} {'    -' if beyond != beyond else f'{beyond:5.3f}'}"


# --- defects --------------------------------------------------------------------------------------------------------


def defects(study: Study) -> Table:
    """Every answer with a defect goes through what a reader's answer goes through here."""
    shown = (
        DefectKind.EMPTY,
        DefectKind.WORD_COUNT,
        DefectKind.REPEATED,
        DefectKind.NO_RESPONSE,
        DefectKind.ECHO,
        DefectKind.REFERENCES,
        DefectKind.SILENT_YES,
        DefectKind.OVER_LONG,
    )
    counted: defaultdict[DefectKind, Counter[str]] = defaultdict(Counter)
    fates: defaultdict[DefectKind, Counter[str]] = defaultdict(Counter)
    for paper, question, model, given, context in answers(study):
        kinds = [defect.kind for defect in judge_answer(given, paper=paper, question=question, model=model).defects]
        if fated := [kind for kind in kinds if kind in shown]:
            fate = fate_of(given.text or "", words_of(study, question), context)
            for kind in fated:
                counted[kind][(given.label or "none").strip().casefold()] += 1
                fates[kind].update([fate.status.value, *fate.marks])
    table = Table(title="known defects, fed through the cleaning and grounding rules")
    for name in ("defect", "found", "the study counted", "what becomes of them here", "of these"):
        table.add_column(name, justify="right" if name == "found" else "left")
    for kind in shown:
        verdicts = {status: fates[kind].pop(status) for status in [each.value for each in Status] if fates[kind][status]}
        table.add_row(kind.value, str(counted[kind].total()), listed(counted[kind]), listed(verdicts), listed(fates[kind]))
    return table


class Fate(NamedTuple):
    status: Status
    marks: tuple[str, ...]


def fate_of(raw: str, question: str, context: str) -> Fate:
    """As a chat reader treats a reply: cleaned, or failed where nothing is left; grounded; judged; suppositions set aside."""
    cleaned = clean_answer(raw)
    if cleaned.repetitive or not cleaned.text:
        return Fate(Status.FAILED, ())
    paper = from_text(context.split("\n\n"))
    evidence = find_support(cleaned.text, paper, [Hit(passage, 0.0) for passage in split(paper)], question=question)
    answer = Answer(cleaned.text, evidence, unsupported=unsupported_claims(cleaned.text, evidence, question=question))
    status = judge(answer, question=question, context=(context,)).status
    marks = {
        "surplus cut": bool(cleaned.removed) and not cleaned.truncated,
        f"cut at {WORD_LIMIT} words": cleaned.truncated,
        "supposition set aside": status is Status.NOT_REPORTED and bool(separate_speculation(answer).speculation),
    }
    return Fate(status, tuple(mark for mark, holds in marks.items() if holds))


def listed(counts: "Counter[str] | dict[str, int]") -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "-"


if __name__ == "__main__":
    raise SystemExit(main())
