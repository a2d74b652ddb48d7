"""The types of code reading: what a repository says, in which file and line, and what it lacks. Frozen, without I/O."""

from enum import StrEnum
from typing import Any

from msgspec import Struct


class Topic(StrEnum):
    """What a finding is about."""

    DEPENDENCY = "dependency"
    SEED = "seed"
    HYPERPARAMETER = "hyperparameter"
    OPTIMIZER = "optimizer"
    SCHEDULE = "schedule"
    LOSS = "loss"
    REGULARIZATION = "regularization"
    AUGMENTATION = "augmentation"
    SPLIT = "split"
    METRIC = "metric"
    DEVICE = "device"
    ARCHITECTURE = "architecture"
    TRAINING = "training"
    EVALUATION = "evaluation"
    WEIGHTS = "weights"
    DATA = "data"
    RESULTS = "results"
    COMMAND = "command"
    LICENSE = "license"
    CITATION = "citation"
    TESTS = "tests"
    DEPLOYMENT = "deployment"


class Finding(Struct, frozen=True):
    """A line of a repository that says something about the method.

    `quote` is the line as it is in the file, cut if it is long. `fact` and `value` are a key of `Facts` and a value as the
    export shows it, empty where the line has no typed value; `note` says what may change it.
    """

    topic: Topic
    file: str
    line: int
    quote: str
    fact: str = ""
    value: Any = None
    note: str = ""
    kind: str = ""
    """A finer distinction, the same words for a whole topic: for values where they are set (`default`, `config`, `call`,
    `command`), for weights whether they are `released` by the authors, those of others (`backbone`), `saved` or `loaded`."""
    relative: bool = False
    """Whether the value depends on something else: it is for one part of a model, per device, or scaled later."""


class CheckItem(StrEnum):
    """The items of the completeness checklist."""

    DEPENDENCIES = "dependencies"
    PINNED = "environment pinned"
    TRAINING_CODE = "training code"
    EVALUATION_CODE = "evaluation code"
    MODELS = "pre-trained models"
    README_RESULTS = "README with results"
    README_COMMANDS = "README with commands"
    SEEDS = "seeds"
    DATA_ACCESS = "data access"
    LICENSE = "licence"
    TESTS = "tests"


class Check(Struct, frozen=True):
    """Whether an item of the checklist is met, and the findings that show it."""

    item: CheckItem
    met: bool
    findings: tuple[Finding, ...] = ()


class RepositoryStatus(StrEnum):
    """Anything but `ok` has a reason that says what to do, and no findings."""

    OK = "ok"
    MISSING = "missing"
    MALFORMED = "malformed"
    TOO_BIG = "too_big"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


class Repository(Struct, frozen=True):
    """A repository as read. `commit` and `date` are those of the state that was read, empty without git history."""

    location: str
    reader: str
    """What read it, with its revision."""
    status: RepositoryStatus = RepositoryStatus.OK
    reason: str = ""
    commit: str = ""
    date: str = ""
    content_sha256: str = ""
    """Of the names and contents of its files: the same content is not read twice."""
    files: int = 0
    skipped: tuple[str, ...] = ()
    """Files and folders that were not read, and why."""
    findings: tuple[Finding, ...] = ()
    checks: tuple[Check, ...] = ()


class Outcome(StrEnum):
    AGREES = "agrees"
    DIFFERS = "differs"
    PAPER = "not found in the code"
    CODE = "not found in the paper"
    OTHER = "other values in the code"
    """Neither agrees nor clearly differs: the code has several values, or the paper's is doubtful."""


class Comparison(Struct, frozen=True):
    """One fact in the paper and in the code. `sentence` says it in words; the values are as the export shows them."""

    fact: str
    outcome: Outcome
    paper: tuple[Any, ...]
    code: tuple[Finding, ...]
    sentence: str


class CodeCell(Struct, frozen=True):
    """What the repository of a paper says on one question. `findings` are those of the question, typed values first."""

    repository: Repository
    findings: tuple[Finding, ...] = ()
    comparison: tuple[Comparison, ...] = ()
