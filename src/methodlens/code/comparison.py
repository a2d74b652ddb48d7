"""What a repository says on a question, next to what the paper reports: agrees, differs, or only one of the two says it.

Nothing here changes an answer or a verdict. A difference is a question to a person, so it is only raised where both sides have a
single firm value; everything else is listed.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from methodlens.code.alike import is_akin, is_equal, is_same_design
from methodlens.code.entry_points import EntryPoints, entry_points, is_used
from methodlens.code.paper_values import is_unsettled
from methodlens.code.settings_found import CALL, DEFAULT, PARAMETER
from methodlens.code.training_values import (
    has_other_purpose,
    is_of_data,
    is_of_one_part,
    is_of_training,
    is_shared,
    training_files,
    without_other_purposes,
)
from methodlens.facts import DOUBTFUL, catalog, value_text
from methodlens.records import Answer, Cell, Question, Status
from methodlens.records.code import CodeCell, Comparison, Finding, Outcome, Repository, RepositoryStatus

_COMPARABLE = frozenset({Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD})
_REGULARIZES = {"dropout": "dropout", "weight_decay": "weight decay"}
_OF_OPTIMIZER = ("learning_rate", "momentum", "weight_decay")
_TRIAL_EPOCHS = 5
"""A default of so few epochs is for a first try."""
_MOST_PLACES = 4
"""Places of the code that a sentence names."""


def code_cell(repository: Repository, question: Question, cell: Cell) -> CodeCell:
    """What a repository says on the question of a cell, compared with the facts in its answer."""
    if repository.status is not RepositoryStatus.OK:
        return CodeCell(repository)
    findings = findings_on(question, repository)
    if cell.verdict.status not in _COMPARABLE:  # nobody has read the paper
        return CodeCell(repository, findings)
    firm, trainers = cell.verdict.status is Status.REPORTED, training_files(repository.findings)
    entries = entry_points(each for each in repository.findings if _is_own(each.file) and not has_other_purpose(each))
    compared = compare(question, cell.answer, findings, firm=firm, trainers=trainers, entries=entries)
    return CodeCell(repository, findings, compared)


def findings_on(question: Question, repository: Repository) -> tuple[Finding, ...]:
    """Those about the question, those with a value of its facts first."""
    known = _known(question)
    keys, topics = {_key(fact) for fact in (*question.facts, *known.get("facts", ()))}, known.get("topics", ())
    valued = [each for each in repository.findings if each.fact and _key(each.fact) in keys]
    return (*valued, *(each for each in repository.findings if each.topic in topics and each not in valued))


def compare(
    question: Question,
    answer: Answer,
    findings: Sequence[Finding],
    *,
    firm: bool = True,
    trainers: frozenset[str] = frozenset(),
    entries: EntryPoints = EntryPoints(),  # noqa: B008 - frozen
) -> tuple[Comparison, ...]:
    """Each fact of the question that both or one of the two have.

    `firm`: the paper is known to report what its answer says. `trainers`: the files of the repository that train a model;
    `entries`: those that one runs to do so.
    """
    rules = _data()["facts"]
    own = [finding for finding in findings if finding.fact and finding.value is not None and _is_own(finding.file)]
    compared = []
    for fact in question.facts:
        if fact not in rules["single"] and fact not in rules["several"]:
            continue
        paper = _values(answer.facts.get(fact))
        code = [finding for finding in own if _key(finding.fact) == _key(fact)]
        if fact in rules["training"]:
            code = without_other_purposes(code)
        if fact == "regularization":
            code += [replace(each, fact=fact, value=name) for each in own if (name := _REGULARIZES.get(each.fact))]
        confidence = answer.fact_confidence.get(fact, {})
        sure = firm and all(confidence.get(value_text(value), 1.0) >= DOUBTFUL for value in paper)
        sure = sure and not any(is_unsettled(fact, value, (each.quote for each in answer.evidence)) for value in paper)
        silent = (
            fact in rules["single"] or not findings
        )  # "not found in the code" needs a repository that says nothing else on it
        if code or (paper and silent):
            differs = sure and fact in rules["single"]
            if fact in rules["training"]:
                differs = differs and _is_firm(fact, code, own, trainers, entries)
            elif fact in rules["data"]:
                differs = differs and any(is_of_data(each, trainers) and is_used(each, code, entries) for each in code)
            compared.append(_compared(fact, paper, code, may_differ=differs))
    return tuple(compared)


def _is_firm(fact: str, code: Sequence[Finding], own: Sequence[Finding], trainers: frozenset[str], entries: EntryPoints) -> bool:
    """Whether the values are those that the repository trains with, as far as can be told."""
    if fact == "epochs" and all(_is_for_a_try(finding) for finding in code):
        return False
    if fact in _OF_OPTIMIZER and _of_several_optimizers(code, own):
        return False
    if not is_shared(code, trainers):
        return False
    settled = (finding for finding in code if is_of_training(finding, trainers) and is_used(finding, code, entries))
    return any(not is_of_one_part(finding) for finding in settled)


def _is_for_a_try(finding: Finding) -> bool:
    """Whether a number of epochs is there to be filled in: a single one, or few as a default."""
    few = isinstance(finding.value, int | float) and finding.value <= _TRIAL_EPOCHS and finding.kind in (DEFAULT, PARAMETER)
    return few or finding.value == 1


def _of_several_optimizers(code: Sequence[Finding], own: Sequence[Finding]) -> bool:
    """Whether a value is given to one of several optimisers in its file: it may not be the one of the paper."""
    named: dict[str, set[str]] = {}
    for finding in own:
        if _key(finding.fact) == "optimizer" and finding.kind == CALL:
            named.setdefault(finding.file, set()).add(value_text(finding.value))
    return any(finding.kind == CALL and len(named.get(finding.file, ())) > 1 for finding in code)


def _compared(fact: str, paper: Sequence[Any], code: Sequence[Finding], *, may_differ: bool) -> Comparison:
    label = catalog()[fact].label if fact in catalog() else fact.replace("_", " ")
    name = f"{label[:1].upper()}{label[1:]}"
    says = f"{name}: the paper says {_listed(map(value_text, paper))}"
    if not code:
        return Comparison(fact, Outcome.PAPER, tuple(paper), (), f"{says}; not found in the code.")
    if not paper:
        return Comparison(fact, Outcome.CODE, (), tuple(code), f"{name}: not found in the paper; {_places(code)}.")
    agree = is_same_design if fact == "architectures" else is_equal
    same = tuple(finding for finding in code if any(agree(value, part) for value in paper for part in _values(finding.value)))
    if same:
        return Comparison(fact, Outcome.AGREES, tuple(paper), same, _agreement(name, paper, same, agree))
    if may_differ and _differ(paper, code):
        return Comparison(
            fact, Outcome.DIFFERS, tuple(paper), tuple(code), f"{says}; {_places(code)}{_override(code)}. Which one was used?"
        )
    return Comparison(fact, Outcome.OTHER, tuple(paper), tuple(code), f"{says}; {_places(code)}.")


def _differ(paper: Sequence[Any], code: Sequence[Finding]) -> bool:
    """One firm value on each side, and too far apart to be the same."""
    values = [part for finding in code for part in _values(finding.value)]
    if len(paper) != 1 or any(finding.relative for finding in code):
        return False
    return all(is_equal(values[0], value) for value in values) and not any(is_akin(paper[0], value) for value in values)


def _agreement(name: str, paper: Sequence[Any], same: Sequence[Finding], agree: Callable[[Any, Any], bool]) -> str:
    parts = [part for finding in same for part in _values(finding.value)]
    shared = [value for value in paper if any(agree(value, part) for part in parts)]
    others = [value for value in paper if value not in shared]
    places = list(dict.fromkeys(map(place, same)))
    where = _listed([*places[:_MOST_PLACES], *([f"{len(places) - _MOST_PLACES} more"] if len(places) > _MOST_PLACES else [])])
    rest = f"; the paper also says {_listed(map(value_text, others))}" if others else ""
    return f"{name}: paper and code agree on {_listed(map(value_text, shared))} ({where}){rest}."


def _override(code: Sequence[Finding]) -> str:
    """What may change the values; a note says it better."""
    if any(finding.note for finding in code):
        return ""
    return ", a default that may be overridden" if code[-1].kind in (DEFAULT, PARAMETER) else ", which may be overridden"


def place(finding: Finding) -> str:
    """'configs/base.yaml:9'"""
    return f"{finding.file}:{finding.line}" if finding.line else finding.file


def _places(findings: Sequence[Finding]) -> str:
    """'train.py:12 says 0.02 (a default) and base.yaml:9 says 0.1'"""
    named = []
    for finding in findings[:_MOST_PLACES]:
        value = _listed(map(value_text, _values(finding.value)))
        note = f" ({finding.note})" if finding.note else ""
        named.append(f"{place(finding)} says {value}{note}")
    more = len(findings) - len(named)
    return _listed([*named, f"{more} more {'places' if more > 1 else 'place'}"] if more else named)


def _listed(words: Iterable[str]) -> str:
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


# --- values -----------------------------------------------------------------------------------------------------------


def _values(exported: Any) -> list[Any]:
    """The values of a fact, whether it is exported as one value or as a list."""
    values = exported if isinstance(exported, list | tuple) else [exported]
    return [value for at, value in enumerate(values) if value not in (None, "", {}, *values[:at])]


# --- questions and files ------------------------------------------------------------------------------------------------


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads((resources.files("methodlens.code") / "data" / "questions.toml").read_text(encoding="utf-8"))


def _key(fact: str) -> str:
    return str(_data()["facts"]["same"].get(fact, fact))


def _known(question: Question) -> Mapping[str, Any]:
    """What the data file has on a question of the set dl-methods, or on the one that the question is like."""
    questions: Mapping[str, Mapping[str, Any]] = _data()["questions"]
    if question.like:
        return questions.get(question.like, {})
    entry = questions.get(question.id, {})
    return entry if entry.get("title") == question.title else {}


def _is_own(file: str) -> bool:
    """Not a test, an example or somebody else's code.

    >>> _is_own("src/train.py"), _is_own("tests/test_train.py"), _is_own("lib/third_party/sgd.py")
    (True, False, False)
    """
    path = PurePosixPath(file.casefold())
    others = _data()["folders"]["others"]
    return not any(part in others for part in path.parts[:-1]) and not path.name.startswith(("test_", "conftest"))
