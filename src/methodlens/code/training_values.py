"""Which values of a repository are those of training: only these can differ from what a paper reports."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from methodlens.code.commands import RUNS
from methodlens.code.dependencies import IMPORTED
from methodlens.code.entry_points import CONFIGURATIONS, ENTRY
from methodlens.code.python_optimizers import DEFINED
from methodlens.code.readme import is_readme_name
from methodlens.code.settings_found import COMMAND, DEFAULT, PARAMETER
from methodlens.records.code import Finding, Topic

_TRAINS = re.compile(
    r"train|fit|learn|config|conf\b|cfg|args?(?:[_\W]|$)|argument|parser|option|param|hparam|setting|optim|solver|experiment|main|run|cli\b|launch|default",
    re.I,
)
_SETS = re.compile(r"config|conf\b|cfg|args?(?:[_\W]|$)|argument|parser|option|param|setting|default|cli\b|common", re.I)
_PREPARES = re.compile(r"data|split|fold|load|prepar|cross_?val|(?:^|_)cv(?:_|$)", re.I)
_OTHER_PURPOSE = re.compile(
    r"(?:^|[_\W])(?:eval|evaluate|evaluation|test|testing|predict|predictor|prediction|predictions|inference|infer|demo|posterior|"
    r"generate|generation|sample|sampler|sampling|serve|serving|server|deploy|convert|export|visuali[sz]e|visuali[sz]ation|plot|plots|"
    r"benchmark|preprocess|preprocessing|analy[sz]e|analysis|schedule|tokenizer|download|embed|extract|features|explain|explainer|importance|debug|toy|quickstart|"
    r"tune|tuning|sweep|search|hpo|optuna|baseline|baselines|tutorial|smoke|sanity|verify|verification|ci|legacy|old)(?:[_\W]|$)",
    re.I,
)
_OPTIMIZER_FILE = re.compile(r"optimi[sz](?:ers?|ation)|\w{0,12}(?:adam|sgd|lars|lamb|bfgs|rmsprop|adagrad)\w{0,8}", re.I)
_ROOTS = frozenset(("src", "lib", "python", "code", "source"))
_USUAL = frozenset(
    "base bin common core engine model models module modules network networks nn script scripts tool tools util utils".split()
)
_MANY_TRAINERS = 3
_LEAST_MOMENTUM = 0.5  # less is that of a normalisation layer


def training_files(findings: Iterable[Finding]) -> frozenset[str]:
    """The files that train a model."""
    return frozenset(finding.file for finding in findings if finding.topic is Topic.TRAINING and finding.kind != ENTRY)


def is_of_training(finding: Finding, trainers: frozenset[str]) -> bool:
    """Whether a value is set where a model is trained: in a file that trains or configures it, or by a command that does.

    >>> is_of_training(Finding(Topic.HYPERPARAMETER, "lib/predictor.py", 3, "lr = 1"), frozenset())
    False
    """
    if finding.kind == COMMAND:
        script = finding.note.removeprefix(RUNS).partition(";")[0] if finding.note.startswith(RUNS) else ""
        return bool(re.search(r"train|fit|main|run", script, re.I)) and not _OTHER_PURPOSE.search(script)
    path = PurePosixPath(finding.file)
    if finding.kind in (IMPORTED, DEFINED) or not is_plausible(finding):  # it may not be used
        return False
    if is_readme_name(path.name) or has_other_purpose(finding):
        return False  # a README shows how to call the package
    return finding.file in trainers or path.suffix in CONFIGURATIONS or bool(_TRAINS.search(_words(path)))


def is_of_data(finding: Finding, trainers: frozenset[str]) -> bool:
    """Whether a seed, a split or a number of folds is set where a model is trained or its data are prepared.

    >>> is_of_data(Finding(Topic.SPLIT, "frogs/data.py", 3, "test_size=0.2"), frozenset())
    True
    >>> is_of_data(Finding(Topic.SPLIT, "frogs/comparison.py", 3, "n_splits=2"), frozenset())
    False
    """
    if is_of_one_part(finding) or finding.kind == COMMAND:
        return finding.kind == COMMAND and is_of_training(finding, trainers)
    path = PurePosixPath(finding.file)
    prepares = not is_readme_name(path.name) and not has_other_purpose(finding) and bool(_PREPARES.search(path.stem))
    return prepares or is_of_training(finding, trainers)


def is_shared(code: Sequence[Finding], trainers: frozenset[str]) -> bool:
    """Whether values hold for the repository: of many files that train different models, half have them, or options or files of
    settings, which need no training code, do."""
    own = {file for file in trainers if not _OTHER_PURPOSE.search(_words(PurePosixPath(file)))}
    files = {finding.file for finding in code}
    settings = [file for file in files - own if PurePosixPath(file).suffix in CONFIGURATIONS or _SETS.search(file)]
    return len(own) < _MANY_TRAINERS or bool(settings) or 2 * len(files & own) >= len(own)


def is_of_one_part(finding: Finding) -> bool:
    """Whether a value is in a folder for one part of a package, such as pond/vocoder/config.py: it may be that of another model.

    >>> is_of_one_part(Finding(Topic.HYPERPARAMETER, "pond/training/settings.py", 3, "lr = 1"))
    False
    """
    if finding.kind == COMMAND:
        return False
    folders = [part for part in PurePosixPath(finding.file).parts[:-1] if part.casefold() not in _ROOTS]
    return not all(_TRAINS.search(part) or part.casefold() in _USUAL for part in folders[1:])


def is_plausible(finding: Finding) -> bool:
    """Not what an optimiser would do unless told, nor an optimiser that is defined, nor the momentum of a normalisation layer."""
    if finding.fact == "momentum" and isinstance(finding.value, int | float) and finding.value < _LEAST_MOMENTUM:
        return False
    of_optimizer = finding.fact in ("learning_rate", "momentum", "weight_decay") and finding.kind in (DEFAULT, PARAMETER)
    defined = of_optimizer or finding.fact in ("optimizer", "optimizers")
    return not (defined and _OPTIMIZER_FILE.fullmatch(PurePosixPath(finding.file).stem))


def has_other_purpose(finding: Finding) -> bool:
    """Whether a value is of a script that evaluates, predicts, converts or searches, by the name of its file or folder."""
    return finding.kind != COMMAND and bool(_OTHER_PURPOSE.search(_words(PurePosixPath(finding.file))))


def _words(path: PurePosixPath) -> str:
    return "/".join((*path.parts[-3:-1], path.stem))


def without_other_purposes(code: Sequence[Finding]) -> list[Finding]:
    """Without the values of scripts that do something else than training, unless there are no others."""
    return [finding for finding in code if not has_other_purpose(finding)] or list(code)
