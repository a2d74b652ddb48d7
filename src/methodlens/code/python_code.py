"""Findings in a Python file: its imports, settings and calls, and whether it trains or evaluates a model."""

import ast
import re
from collections.abc import Iterator

from msgspec.structs import replace

from methodlens.code.dependencies import IMPORTED
from methodlens.code.entry_points import entry_findings, registered_models, without_self_checks
from methodlens.code.links import link_findings
from methodlens.code.packages import framework_of, is_deep
from methodlens.code.python_calls import CallsInPython
from methodlens.code.python_models import ModelsInPython
from methodlens.code.python_names import Imports, keywords
from methodlens.code.python_optimizers import OptimizersInPython
from methodlens.code.python_parsing import parse
from methodlens.code.python_settings import SettingsInPython
from methodlens.code.python_values import alternatives
from methodlens.code.scaling import scaling, sums
from methodlens.code.settings_found import CALL, CONFIG, PARAMETER
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

_MODEL = re.compile(
    r"model|net\b|trainer|learn|clf|classifier|estimator|regressor|gan\b|cnn|lstm|encoder|autoencoder|vae|solver|pipeline|agent|mlp",
    re.I,
)
_NOT_MODEL = re.compile(r"scaler|tokenizer|pca\b|tsne|umap|binarizer|vectorizer|imputer|labelenc|label_enc|le\b|kmeans", re.I)
_EVALUATES = re.compile(
    r"(?:^|_)(?:evaluate|evaluation|validate|validation|val|test|compute_metrics|benchmark|score)(?:_|$)|evaluator$|(?:^|_)eval$|"
    r"^_?eval_(?:model|epoch|step|one|loop|net|network|data|metric|fn|performance|all|batch|result|on|set|loader|split)",
    re.I,
)
_EVALUATING_FILE = re.compile(
    r"(?:^|[_-])(?:eval|evaluate|evaluation|test|validate|val|score|metrics?|benchmark)(?:[_-]|\d|$)", re.I
)
_TRAINING_CALLS = frozenset(
    (
        "apply_gradients",
        "train_on_batch",
        "fit_generator",
        "fit_one_cycle",
        "fine_tune",
        "apply_updates",
        "minimize",
        "train_step_and_sample",
        "fit_resample_train",
    )
)
_STEPS = frozenset(("training_step", "train_one_epoch", "train_epoch", "train_step"))


class _Signals:
    """What the calls of a file are, as far as training and evaluation need it: the line of the first of each."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self.functions: list[tuple[str, int]] = []

    def add(self, name: str, line: int) -> None:
        self.first.setdefault(name, line)


def python_findings(source: Source) -> list[Finding]:
    nodes = parse(source)
    imports = Imports(nodes)
    deep = any(is_deep(framework_of(module.partition(".")[0])) for module in imports.modules)
    settings, calls, signals = SettingsInPython(source, imports), CallsInPython(source, imports), _Signals()
    models, optimizers = ModelsInPython(source, imports, deep=deep), OptimizersInPython(source, imports)
    findings = [*_frameworks(source, imports), *models.of_file(), *sums(source), *registered_models(source)]
    for node in nodes:
        if isinstance(node, ast.Call):
            dotted = imports.dotted(node.func)
            last = dotted.rpartition(".")[2]
            # optimisers first: of two findings of one value, the first counts, and theirs say more
            findings += [*optimizers.of_call(node, dotted, last), *models.of_call(node, dotted, last)]
            findings += [*settings.of_call(node, dotted), *calls.of_call(node, dotted)]
            findings += [found for each in node.keywords for found in scaling(source, each.value)]
            _note_call(signals, node, dotted)
        elif isinstance(node, ast.Dict):
            findings += settings.of_dictionary(node)
        elif isinstance(node, ast.ClassDef):
            for part in (settings, calls, models, optimizers):
                findings += part.of_class(node)
            if any(imports.dotted(base).endswith("Evaluator") for base in node.bases):
                signals.add("evaluate", node.lineno)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            findings += [*settings.of_function(node), *calls.of_function(node), *models.of_function(node)]
            signals.functions.append((node.name, node.lineno))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                findings += settings.of_assignment(target, node.value, node.lineno)
                findings += calls.of_assignment(target, node.value)
            findings += scaling(source, node.value)
        elif isinstance(node, ast.AugAssign):
            findings += scaling(source, node)
        elif isinstance(node, ast.ImportFrom):
            findings += [*models.of_import(node), *optimizers.of_import(node)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_address(node.value):
            findings += link_findings(source, node.lineno, node.value[:300], context=_around(source, node.lineno))
        for each in _values_of(node):
            findings += [*models.referred(each), *optimizers.referred(each)]
    learns = deep or any(framework_of(module.partition(".")[0]) for module in imports.modules)
    findings = without_self_checks(source, _as_parameters(findings, nodes))
    training = list(_training(source, signals, deep=deep, learns=learns))
    findings += [*training, *entry_findings(source, nodes, trains=bool(training))]
    findings += _evaluation(source, signals, measured=any(finding.topic is Topic.METRIC for finding in findings), learns=learns)
    return findings


def _as_parameters(findings: list[Finding], nodes: list[ast.AST]) -> list[Finding]:
    """A call in the default of a parameter, `def learn(optimizer=partial(Adam, lr=0.1))`, is one that callers may replace."""
    functions = [node.args for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    defaults = [default for given in functions for default in (*given.defaults, *given.kw_defaults) if default is not None]
    lines = {at for each in defaults for at in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
    return [
        replace(each, kind=PARAMETER) if each.fact and each.kind in (CALL, CONFIG) and each.line in lines else each
        for each in findings
    ]


def _values_of(node: ast.AST) -> Iterator[ast.AST]:
    """Names and attributes that are handed on without being called: assigned, listed, given as argument or default."""
    given: list[ast.expr | None] = []
    if isinstance(node, ast.Assign | ast.AnnAssign):
        given = [node.value]
    elif isinstance(node, ast.Dict):
        given = [*node.values]
    elif isinstance(node, ast.Call):
        given = [*node.args, *(each.value for each in node.keywords)]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        given = [*node.args.defaults, *node.args.kw_defaults]
    for value in given:
        if isinstance(value, ast.Name | ast.Attribute | ast.IfExp):
            yield from (each for each in alternatives(value) if isinstance(each, ast.Name | ast.Attribute))


def _is_address(text: str) -> bool:
    """Not a docstring that mentions one."""
    return "://" in text[:300] and "\n" not in text.strip()[:300]


def _around(source: Source, line: int) -> str:
    return " ".join(source.lines[max(0, line - 3) : line + 1])[:600]


def _frameworks(source: Source, imports: Imports) -> Iterator[Finding]:
    seen: set[str] = set()
    for module, line in imports.modules.items():
        name = framework_of(module.partition(".")[0]) or framework_of(module.replace(".", "-"))
        if module.startswith(("tensorflow.keras", "tensorflow.python.keras")):
            name = "Keras"
        if name and name not in seen:
            seen.add(name)
            yield source.finding(Topic.DEPENDENCY, line, "frameworks", {"name": name, "version": None}, kind=IMPORTED)


def _note_call(signals: _Signals, call: ast.Call, dotted: str) -> None:
    owner, _, last = dotted.rpartition(".")
    if last in (
        "backward",
        "step",
        "eval",
        "no_grad",
        "inference_mode",
        "evaluate",
        "predict",
        "predict_proba",
        "predict_generator",
        "evaluate_generator",
        "GradientTape",
        "value_and_grad",
        "gradient",
    ):
        signals.add(last, call.lineno)
    if last in _TRAINING_CALLS and not (last == "minimize" and "optimize" in owner and "scipy" in owner):
        signals.add("trains", call.lineno)
    if last == "fit" and not _NOT_MODEL.search(owner):
        named = keywords(call).keys()
        if {
            "epochs",
            "batch_size",
            "validation_data",
            "nb_epoch",
            "steps_per_epoch",
            "datamodule",
            "train_dataloaders",
        } & named or _MODEL.search(owner):
            signals.add("fits a network", call.lineno)
        if len(call.args) >= 2:
            signals.add("fits", call.lineno)
    if last in ("train", "train_model") and re.search(r"trainer|yolo|runner|learner|deeplabcut", owner, re.I):
        signals.add("trains", call.lineno)
    if last == "test" and re.search(r"trainer|runner|learner", owner, re.I):
        signals.add("evaluate", call.lineno)


def _training(source: Source, signals: _Signals, *, deep: bool, learns: bool) -> Iterator[Finding]:
    first = signals.first
    line = 0
    if "backward" in first and ("step" in first or deep):
        line = first["backward"]
    elif "trains" in first and learns:
        line = first["trains"]
    elif ("fits a network" in first or "fits" in first) and learns:
        line = first.get("fits a network") or first["fits"]
    elif "GradientTape" in first and "gradient" in first:
        line = first["GradientTape"]
    elif "value_and_grad" in first and deep:
        line = first["value_and_grad"]
    else:
        line = next((at for name, at in signals.functions if name in _STEPS and deep), 0)
    if line:
        yield source.finding(Topic.TRAINING, line)


def _evaluation(source: Source, signals: _Signals, *, measured: bool, learns: bool) -> Iterator[Finding]:
    first = signals.first
    runs = "eval" in first or "no_grad" in first or "inference_mode" in first
    predicts = "predict" in first or "predict_proba" in first or "predict_generator" in first
    named = [(name, at) for name, at in signals.functions if _EVALUATES.search(name) and not name.startswith("__")]
    line = 0
    if named and (runs or measured or predicts or "evaluate" in first):
        line = named[0][1]
    elif learns and (named_so := [at for name, at in signals.functions if name in ("evaluate", "evaluate_model")]):
        line = named_so[0]
    elif learns and ("evaluate" in first or "evaluate_generator" in first):
        line = first.get("evaluate") or first["evaluate_generator"]
    elif (measured and (runs or predicts or _EVALUATING_FILE.search(source.path.stem))) or (
        _EVALUATING_FILE.search(source.path.stem) and (runs or predicts)
    ):
        line = first.get("eval") or first.get("no_grad") or first.get("predict") or 1
    if line:
        yield source.finding(Topic.EVALUATION, line)
