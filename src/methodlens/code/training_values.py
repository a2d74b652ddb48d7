"""Which values of a repository are those of training: only these can differ from what a paper reports."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from methodlens.code.commands import RUNS
from methodlens.code.dependencies import IMPORTED
from methodlens.code.readme import is_readme_name
from methodlens.code.settings_found import COMMAND
from methodlens.records.code import Finding, Topic

_TRAINS = re.compile(
    r"train|fit|learn|config|conf\b|cfg|args?(?:[_\W]|$)|argument|parser|option|param|hparam|setting|optim|solver|experiment|main|run|cli\b|launch|default",
    re.I,
)
_OTHER_PURPOSE = re.compile(
    r"(?:^|[_\W])(?:eval|evaluate|evaluation|test|testing|predict|predictor|prediction|predictions|inference|infer|demo|posterior|"
    r"generate|generation|sample|sampler|sampling|serve|serving|server|deploy|convert|export|visuali[sz]e|visuali[sz]ation|plot|plots|"
    r"benchmark|preprocess|preprocessing|analy[sz]e|analysis|schedule|tokenizer|download|embed|extract|features|explain|explainer|debug|toy|quickstart|"
    r"tune|tuning|sweep|search|hpo|optuna|baseline|baselines|tutorial|smoke|ci|legacy|old)(?:[_\W]|$)",
    re.I,
)
_CONFIGURATIONS = frozenset((".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".gin", ".prototxt", ".conf", ".jsonnet"))


def training_files(findings: Iterable[Finding]) -> frozenset[str]:
    """The files that train a model."""
    return frozenset(finding.file for finding in findings if finding.topic is Topic.TRAINING)


def is_of_training(finding: Finding, trainers: frozenset[str]) -> bool:
    """Whether a value is set where a model is trained: in a file that trains or configures it, or by a command that does.

    >>> is_of_training(Finding(Topic.HYPERPARAMETER, "lib/predictor.py", 3, "lr = 1"), frozenset())
    False
    """
    if finding.kind == COMMAND:
        script = finding.note.removeprefix(RUNS).partition(";")[0] if finding.note.startswith(RUNS) else ""
        return bool(re.search(r"train|fit|main|run", script, re.I)) and not _OTHER_PURPOSE.search(script)
    path = PurePosixPath(finding.file)
    if finding.kind == IMPORTED:  # it may not be used
        return False
    if is_readme_name(path.name) or has_other_purpose(finding):
        return False  # a README shows how to call the package
    return finding.file in trainers or path.suffix in _CONFIGURATIONS or bool(_TRAINS.search(_words(path)))


def has_other_purpose(finding: Finding) -> bool:
    """Whether a value is of a script that evaluates, predicts, converts or searches, by the name of its file or folder."""
    return finding.kind != COMMAND and bool(_OTHER_PURPOSE.search(_words(PurePosixPath(finding.file))))


def _words(path: PurePosixPath) -> str:
    return "/".join((*path.parts[-3:-1], path.stem))


def without_other_purposes(code: Sequence[Finding]) -> list[Finding]:
    """Without the values of scripts that do something else than training, unless there are no others."""
    return [finding for finding in code if not has_other_purpose(finding)] or list(code)
