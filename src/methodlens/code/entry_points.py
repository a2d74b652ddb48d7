"""Where training starts: scripts, notebooks and configurations. A default differs only if the one entry point uses it."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from methodlens.code.python_names import keywords
from methodlens.code.settings_found import CONFIG, DEFAULT, PARAMETER
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

ENTRY = "entry"
SEVERAL_MODELS = "it offers several models"
CONFIGURATIONS = frozenset((".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".gin", ".prototxt", ".conf", ".jsonnet"))
_PYTHON = frozenset((".py", ".pyw", ".pyx", ".ipynb"))
_TRAINS = re.compile(r"train|fine_?tun|(?:^|_)fit(?:_|$)", re.I)
_DISPATCHES = re.compile(r"_*(?:main|run|cli|app)_*", re.I)
_STARTS = re.compile(
    r"if\s+__name__\s*==|@[\w.]{1,60}\.(?:main|command)\b|"  # hydra.main, click.command, app.command
    r"(?:\w{1,40}\s*=\s*)?(?:[\w.]{1,80}\.)?(?:parse_args|parse_known_args|main|train|fit|run)\("
)
_CHOICE = re.compile(
    r"-*(?:(?:model|arch|architecture|algo|algorithm|method|task|network|net|agent|policy)(?:[_-](?:name|type))?)"
)
_FEW_CHOICES = 2
_GENERAL = re.compile(r"(?:^|[_\W])(?:base|default|defaults|common|main|config|train|training|settings)(?:[_\W]|$)", re.I)
_SET_FOR_TRAINING = frozenset(("learning_rate", "batch_size", "epochs", "iterations", "optimizer", "optimizers"))


class EntryPoints(Struct, frozen=True):
    """The files that one runs to train a model, and the configurations that set values for it."""

    scripts: frozenset[str] = frozenset()
    configurations: frozenset[str] = frozenset()
    several_models: bool = False
    """Whether an option of a script chooses among models: its defaults are those of all of them."""


# --- in Python ----------------------------------------------------------------------------------------------------------


def entry_findings(source: Source, nodes: Sequence[ast.AST], *, trains: bool) -> Iterator[Finding]:
    """The line at which a file that trains a model, or is named after training, starts when it is run."""
    stem = source.path.stem
    named = _TRAINS.search(stem) or (_DISPATCHES.fullmatch(stem) and "train" in source.text)
    if (trains or named) and (line := _started_at(source)):
        several = any(isinstance(node, ast.Call) and _chooses_a_model(node) for node in nodes)
        yield source.finding(Topic.TRAINING, line, kind=ENTRY, note=SEVERAL_MODELS if several else "")


def _started_at(source: Source) -> int:
    """0 if the file is only imported."""
    if source.path.suffix == ".ipynb":
        return 1
    return next((at for at, line in enumerate(source.lines, 1) if _STARTS.match(line)), 0)


def _chooses_a_model(call: ast.Call) -> bool:
    """`add_argument("--model", choices=("newt", "toad", "frog"))`; two may be the sizes of one."""
    choices = keywords(call).get("choices")
    named = any(isinstance(each, ast.Constant) and _CHOICE.fullmatch(str(each.value).lower()) for each in call.args)
    if not named or choices is None:
        return False
    return not isinstance(choices, ast.List | ast.Tuple) or len(choices.elts) > _FEW_CHOICES


# --- of a repository ----------------------------------------------------------------------------------------------------


def entry_points(findings: Iterable[Finding]) -> EntryPoints:
    """Those of the project's own code, as the caller selects it."""
    findings = list(findings)
    entries = [finding for finding in findings if finding.topic is Topic.TRAINING and finding.kind == ENTRY]
    scripts = frozenset(finding.file for finding in entries)
    # one that only hands over to the others is no other entry point
    trainers = frozenset(file for file in scripts if not _DISPATCHES.fullmatch(PurePosixPath(file).stem))
    configurations = frozenset(
        finding.file
        for finding in findings
        if finding.fact in _SET_FOR_TRAINING and PurePosixPath(finding.file).suffix in CONFIGURATIONS
    )
    return EntryPoints(trainers or scripts, configurations, any(finding.note == SEVERAL_MODELS for finding in entries))


def is_used(finding: Finding, code: Sequence[Finding], entries: EntryPoints) -> bool:
    """Whether training uses the value, as far as can be told: not if it is a default that others may override, nor that of one of
    several scripts or configurations. `code`: all places of the value."""
    files = {each.file for each in code}
    suffix = PurePosixPath(finding.file).suffix
    if suffix in CONFIGURATIONS:
        few = len(entries.configurations) <= 1 or bool(_GENERAL.search(PurePosixPath(finding.file).stem))
        return few or 2 * len(files & entries.configurations) > len(entries.configurations)
    if suffix not in _PYTHON:
        return True
    if finding.kind == PARAMETER:
        return False
    if finding.file in entries.scripts:
        chosen = finding.kind == DEFAULT and entries.several_models
        return not chosen and 2 * len(files & entries.scripts) > len(entries.scripts)
    if finding.kind in (DEFAULT, CONFIG):
        return len(entries.scripts) == 1 and not entries.several_models
    return True
