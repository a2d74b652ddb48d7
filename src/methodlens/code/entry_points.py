"""Where training starts: scripts, notebooks and configurations. A default differs only if the one entry point uses it."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from methodlens.code.commands import TRAINING
from methodlens.code.python_names import keywords
from methodlens.code.settings_found import COMMAND, CONFIG, DEFAULT, PARAMETER
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
_GUARD = re.compile(r"if\s+__name__\s*==")
_OPTIONS = re.compile(r"parse_args|parse_known_args|\.(?:main|command)\b|\bFire\(|sys\.argv|FLAGS|app\.run")
_CHOICE = re.compile(
    r"-*(?:(?:model|arch|architecture|algo|algorithm|method|task|network|net|agent|policy)(?:[_-](?:name|type))?)"
)
_FEW_CHOICES = 2
_ANY_MODEL = re.compile(r"\bmodel_name_or_path\b")  # an option of scripts that train whatever model it names
_REGISTERS = re.compile(
    r"@(?:\w{1,40}\.){0,3}(?:\w{0,30}register\w{0,30})(?:\.\w{1,30})?\(|@(?:\w{1,40}\.){0,3}register_\w{1,30}\s*$", re.I
)
_OF_MODELS = re.compile(r"model|arch|network|nets\b|algo|agent|task", re.I)
REGISTERED = "registered"
_FEW_REGISTERED = 2
_TOY = re.compile(r"\b(?:eval|test|demo|debug|dummy|quick|resume|smoke)|toy|tiny|frozen", re.I)
_GENERAL = re.compile(r"(?:^|[_\W])(?:base|default|defaults|common|main|config|train|training|settings)(?:[_\W]|$)", re.I)
_SET_FOR_TRAINING = frozenset(("learning_rate", "batch_size", "epochs", "iterations", "optimizer", "optimizers"))


class EntryPoints(Struct, frozen=True):
    """The files that one runs to train a model, and the configurations that set values for it."""

    scripts: frozenset[str] = frozenset()
    configurations: frozenset[str] = frozenset()
    commands: int = 0
    """How many commands train with a script of the repository."""
    several_models: bool = False
    """Whether an option chooses among models, or the code registers several: its defaults are those of all of them."""


# --- in Python ----------------------------------------------------------------------------------------------------------


def entry_findings(source: Source, nodes: Sequence[ast.AST], *, trains: bool) -> Iterator[Finding]:
    """The line at which a file that trains a model, or is named after training, starts when it is run."""
    stem = source.path.stem
    named = _TRAINS.search(stem) or (_DISPATCHES.fullmatch(stem) and "train" in source.text)
    if (trains or named) and (line := _started_at(source)):
        chosen = any(isinstance(node, ast.Call) and _chooses_a_model(node) for node in nodes)
        several = chosen or bool(_ANY_MODEL.search(source.text))
        yield source.finding(Topic.TRAINING, line, kind=ENTRY, note=SEVERAL_MODELS if several else "")


def without_self_checks(source: Source, findings: list[Finding]) -> list[Finding]:
    """Values below the guard of a module that is not named after training and has no options: it checks itself, mostly on random
    data, so they can agree with a paper but not differ."""
    guard = next((at for at, line in enumerate(source.lines, 1) if _GUARD.match(line)), 0)
    if not guard or _TRAINS.search(source.path.stem) or _DISPATCHES.fullmatch(source.path.stem) or _OPTIONS.search(source.text):
        return findings
    return [replace(each, relative=True) if each.fact and each.line > guard else each for each in findings]


def registered_models(source: Source) -> Iterator[Finding]:
    """`@register("newt")` in models/newt.py, `@register_model`: a package with several models to choose from."""
    if "register" not in source.text:
        return
    for at, line in enumerate(source.lines, 1):
        if _REGISTERS.match(line.strip()[:200]) and _OF_MODELS.search(f"{source.name} {line[:200]}"):
            yield source.finding(Topic.ARCHITECTURE, at, kind=REGISTERED)


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
    commands = [each for each in findings if each.topic is Topic.COMMAND and each.kind == TRAINING and not each.note]
    registered = [finding for finding in findings if finding.kind == REGISTERED]
    several = len(registered) > _FEW_REGISTERED or any(finding.note == SEVERAL_MODELS for finding in entries)
    return EntryPoints(trainers or scripts, configurations, len(commands), several)


def is_used(finding: Finding, code: Sequence[Finding], entries: EntryPoints) -> bool:
    """Whether training uses the value, as far as can be told: not if it is a default that others may override, nor that of one of
    several scripts or configurations. `code`: all places of the value."""
    files = {each.file for each in code}
    if finding.kind == COMMAND:  # one of several commands may be for another model
        given = sum(each.kind == COMMAND for each in code)
        return 2 * given > entries.commands > 0 and not _TOY.search(finding.quote)
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
