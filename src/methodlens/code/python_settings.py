"""Settings in Python: options of the command line, dataclasses, dictionaries, assignments and arguments."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from methodlens.code import names
from methodlens.code.python_names import Imports, argument, keywords
from methodlens.code.python_values import UNKNOWN, alternatives, looked_up
from methodlens.code.settings_found import CALL, CONFIG, DEFAULT, PARAMETER, setting
from methodlens.code.sources import Source
from methodlens.facts.gazetteer import mentions
from methodlens.records.code import Finding, Topic

_OPTION = frozenset(("add_argument", "option", "add_option", "Option", "Argument", "add_arg"))
_FLAG = re.compile(r"DEFINE_(?:float|integer|string|enum|bool|boolean|list|multi_\w+)|define_\w+")
_SETTINGS_CLASS = re.compile(r"config|conf|args|arguments|params|parameters|options|hparams|opts|settings|hyper", re.I)
_SETTINGS_FUNCTION = re.compile(r"main|train|fit|run|finetune|fine_tune|learn|config|cfg|hparams|default|param|experiment", re.I)
_EXACT = frozenset(
    "lr learning_rate batch_size epochs num_epochs n_epochs max_epochs weight_decay dropout momentum seed random_state keep_prob "
    "dropout_keep_prob dropout_rate".split()
)
_TABLE = re.compile(
    r"dict|(?:\w*(?:Config|ConfigDict|AttrDict|Params|HParams|Hyperparameters|Settings|Args|Options|EasyDict))|"
    r"CfgNode|CN|edict|Namespace|SimpleNamespace|AttributeDict|Munch|Bunch"
)
_HELP = re.compile(r"\bdefaults?\b(?: (?:is|value))?\s*[:=]?\s*([+-]?\d[\d.eE+-]{0,20})")
_NORMALISES = re.compile(r"norm|bn\b|^bn|queue|encoder|ema|mean_teacher|teacher", re.I)
_NOT_TRAINING = re.compile(r"val|test|eval|infer|predict|sample|generat", re.I)
_TRAINER = re.compile(r"train|learner|agent|solver|runner|experiment|estimator|classifier|regressor|fitter", re.I)
_IN_ANY_CLASS = frozenset(("lr", "learning_rate", "batch_size"))
_SHORT = frozenset(
    (
        "bs",
        "wd",
        "opt",
        "net",
        "model",
        "loss",
        "batch",
        "epoch",
        "encoder",
        "network",
        "clip",
        "l2",
        "aa",
        "solver",
        "gamma",
        "repeat",
        "runs",
    )
)


class SettingsInPython:
    """Reads the settings of one file."""

    def __init__(self, source: Source, imports: Imports) -> None:
        self._source, self._imports = source, imports

    def of_call(self, call: ast.Call, dotted: str) -> Iterator[Finding]:
        last = dotted.rpartition(".")[2]
        if last in _OPTION or (last == "add" and call.args and _is_option(call.args[0])):
            yield from self._option(call)
        elif _FLAG.fullmatch(last):
            default = argument(call, 1, "default")
            line = default.lineno if default else call.lineno
            yield from self._setting(line, self._imports.value(argument(call, 0, "name")), default, DEFAULT)
        elif last == "add_hparam" and len(call.args) == 2:
            yield from self._setting(call.lineno, self._imports.value(call.args[0]), call.args[1], DEFAULT)
        elif found := looked_up(call):
            yield from self._setting(found[1].lineno, *found, DEFAULT)
        elif not last.startswith("add_") and not _NORMALISES.search(last):
            yield from self._arguments(call, last)

    def _option(self, call: ast.Call) -> Iterator[Finding]:
        """`add_argument("--lr", "--learning-rate", type=float, default=0.1)`: the first name that we know counts."""
        default = keywords(call).get("default") or ast.Constant(None, lineno=call.lineno)
        if isinstance(default, ast.Constant) and default.value is None:
            default = self._documented_default(call) or default
        words = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        text = self._imports.value(default)
        if isinstance(text, str) and any(names.plain(word) in names.metric_options() for word in words):
            for name in dict.fromkeys(each.name for each in mentions("metrics", text[:80].replace("_", " "))):
                yield self._source.finding(Topic.METRIC, default.lineno, "metrics", name, kind=DEFAULT)
            return
        for word in sorted(words, key=len, reverse=True):
            found = list(self._setting(default.lineno, word, default, DEFAULT))
            if found:
                yield found[0]
                return

    def _documented_default(self, call: ast.Call) -> ast.Constant | None:
        """`help="learning rate (default: 0.001)"` of an option whose default is set elsewhere."""
        text = keywords(call).get("help")
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            return None
        match = _HELP.search(text.value[:400])
        return ast.Constant(match[1].rstrip(".-+"), lineno=text.lineno) if match else None

    def _arguments(self, call: ast.Call, function: str) -> Iterator[Finding]:
        """Arguments of any call, of names that have one meaning: `DataLoader(batch_size=32)`; also `dict(lr=0.1)`."""
        is_table = bool(_TABLE.fullmatch(function))
        named = keywords(call)
        if not is_table and _EXACT.isdisjoint(named):
            return
        line = self._source.lines[call.lineno - 1] if call.lineno <= len(self._source.lines) else ""
        for name, value in named.items():
            if not is_table and (
                name not in _EXACT or (name == "batch_size" and _NOT_TRAINING.search(f"{function} {line[:200]}"))
            ):
                continue
            yield from self._setting(value.lineno, name, value, CONFIG if is_table else CALL)

    def of_dictionary(self, node: ast.Dict) -> Iterator[Finding]:
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield from self._setting(key.lineno, key.value, value, CONFIG)

    def of_class(self, node: ast.ClassDef) -> Iterator[Finding]:
        """Fields of dataclasses, and of classes whose name says that they hold settings."""
        decorated = any(
            "dataclass" in self._imports.dotted(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list
        )
        if any("ptimizer" in self._imports.dotted(base) for base in node.bases):
            return  # what an optimiser would do unless told
        yield from self._created_with(node)
        if not decorated and not _SETTINGS_CLASS.search(node.name):
            return
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield from self._field(statement.lineno, statement.target.id, statement.value)
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                yield from self._field(statement.lineno, statement.targets[0].id, statement.value)
            elif isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                yield from self._own_fields(statement)

    def _created_with(self, node: ast.ClassDef) -> Iterator[Finding]:
        """Default arguments of `__init__`: all of a class that trains, and of any other what can only be of training."""
        trains = bool(_TRAINER.search(node.name))
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__" and not _NORMALISES.search(node.name):
                yield from self._own_fields(statement) if trains else ()
                for name, value in _defaults(statement):
                    if trains or name in _IN_ANY_CLASS:
                        yield from self._setting(value.lineno, name, value, PARAMETER)

    def _own_fields(self, init: ast.FunctionDef) -> Iterator[Finding]:
        """`self.lr = 0.1`."""
        for statement in ast.walk(init):
            if isinstance(statement, ast.Assign) and self._imports.dotted(statement.targets[0]).startswith("self."):
                name = self._imports.dotted(statement.targets[0]).removeprefix("self.")
                yield from self._setting(statement.lineno, name, statement.value, DEFAULT)

    def _field(self, line: int, name: str, value: ast.expr | None) -> Iterator[Finding]:
        if isinstance(value, ast.Call):  # field(default=...)
            value = keywords(value).get("default") or argument(value, 0)
        yield from self._setting(line, name, value, DEFAULT)

    def of_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
        """Default arguments of functions that train, and dropout of any, which may build a model."""
        trains = bool(_SETTINGS_FUNCTION.search(node.name))
        for name, value in _defaults(node):
            if trains or names.fact_of(names.plain(name)) == "dropout":
                default, kind = value, DEFAULT if node.name == "main" else PARAMETER  # main() is what one runs
                if isinstance(value, ast.Call) and self._imports.dotted(value.func).endswith(("Option", "Argument")):
                    default, kind = argument(value, 0, "default") or value, DEFAULT
                yield from self._setting(value.lineno, name, default, kind)

    def of_assignment(self, target: ast.expr, value: ast.expr, line: int) -> Iterator[Finding]:
        """`BATCH_SIZE = 32`, `config.lr = 0.1`, `_C.SOLVER.BASE_LR = 0.02`, `config["lr"] = 0.1`."""
        if isinstance(target, ast.Name):
            if names.plain(target.id) in _SHORT:
                return
            name = target.id
        elif isinstance(target, ast.Attribute):
            owner = self._imports.dotted(target.value)
            if not _SETTINGS_CLASS.search(owner) and not re.match(r"_?[A-Z]\b|_?C\b|cfg", owner):
                return
            name = target.attr
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            name = target.slice.value
        else:
            return
        yield from self._setting(line, name, value, CONFIG if not isinstance(target, ast.Name) else DEFAULT)

    def _setting(self, line: int, name: Any, value: Any, kind: str) -> Iterator[Finding]:
        """Each value that the setting may get here: one, or two for `given if given else 0.1`."""
        if not isinstance(name, str):
            return
        if isinstance(value, ast.BinOp) and names.plain(name) in ("epoch", "iteration"):
            return  # a counter
        if names.plain(name) == "max_iter" and kind == CONFIG:
            return  # mostly of a method that is no network
        nodes = list(alternatives(value)) if isinstance(value, ast.AST) else [value]
        for node in nodes:
            resolved = self._imports.value(node) if isinstance(node, ast.AST) else node
            if resolved is not UNKNOWN and (found := setting(self._source, line, name, resolved, kind=kind)):
                yield found


def _defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of a function that have a default, with it."""
    given = [*function.args.posonlyargs, *function.args.args]
    for each, value in zip(given[len(given) - len(function.args.defaults) :], function.args.defaults, strict=True):
        yield each.arg, value
    for each, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            yield each.arg, default


def _is_option(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("--")
