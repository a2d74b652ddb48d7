"""Optimisers in Python: called, referred to without a call (`{"sgd": optim.SGD}`), imported, or defined by the project."""

import ast
import re
from collections.abc import Iterator

from msgspec.structs import replace

from methodlens.code import names
from methodlens.code.dependencies import IMPORTED
from methodlens.code.python_names import Imports, argument, keywords
from methodlens.code.python_values import UNKNOWN, alternatives
from methodlens.code.settings_found import CALL, setting
from methodlens.code.sources import Source
from methodlens.records.code import Finding, Topic

_MODULES = re.compile(r"optim|optax|keras|tensorflow|transformers|bitsandbytes|timm|apex|deepspeed|paddle|mxnet|chainer", re.I)
_OF_OPTIMIZERS = re.compile(r"optim", re.I)
DEFINED = "defined"
_BASE = re.compile(r"(?:^|\.)\w{0,30}Optimi[sz]er\w{0,10}$")


class OptimizersInPython:
    """Reads the optimisers of one file."""

    def __init__(self, source: Source, imports: Imports) -> None:
        self._source, self._imports = source, imports

    def of_call(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        """An optimiser and its settings. Those of single tensors, such as the atoms of a structure, are not those of a model."""
        of_tensors = _optimises_tensors(call)
        for found in self._in_call(call, dotted, last):
            yield replace(found, relative=True) if of_tensors else found

    def _in_call(self, call: ast.Call, dotted: str, last: str) -> Iterator[Finding]:
        given = keywords(call)
        plausible = _MODULES.search(dotted.rpartition(".")[0]) or {"lr", "learning_rate"} & given.keys()
        name = names.optimizer(last) if plausible and (last[:1].isupper() or "optax" in dotted) else ""
        if not name:
            return
        if name == "SGD" and self._imports.value(given.get("nesterov")) is True:
            name = "SGD with Nesterov momentum"
        yield self._finding(call, name)
        if "amsgrad" in given and self._imports.value(given["amsgrad"]) in (True, UNKNOWN):
            yield self._finding(call, "AMSGrad")
        position = 1 if "torch" in dotted or "timm" in dotted else 0
        for key, value in {"lr": argument(call, position, "lr", "learning_rate"), **given}.items():
            if key not in ("lr", "momentum", "weight_decay"):
                continue
            if key == "weight_decay" and self._imports.value(value) is UNKNOWN:
                line = getattr(value, "lineno", call.lineno)
                yield self._source.finding(Topic.REGULARIZATION, line, "regularization", "weight decay", kind=CALL)
            for each in alternatives(value):
                if (resolved := self._imports.value(each)) is not UNKNOWN:
                    found = setting(self._source, each.lineno, key, resolved, kind=CALL)
                    yield from [found] if found else []

    def of_class(self, node: ast.ClassDef) -> Iterator[Finding]:
        """`class PatientAdam(Optimizer)`: an optimiser of the project itself, by the known one in its name."""
        bases = [self._imports.dotted(base) for base in node.bases]
        if any(_BASE.search(base) or names.optimizer(base.rpartition(".")[2]) for base in bases):
            for name in dict.fromkeys(
                filter(None, (names.optimizer_in(each.rpartition(".")[2]) for each in (node.name, *bases)))
            ):
                yield self._finding(node, name, kind=DEFINED)

    def of_import(self, node: ast.ImportFrom) -> Iterator[Finding]:
        """`from torch.optim import SGD`."""
        if node.module and _OF_OPTIMIZERS.search(node.module):
            for each in node.names:
                if each.name[:1].isupper() and (name := names.optimizer(each.name)):
                    yield self._finding(node, name, kind=IMPORTED)

    def referred(self, node: ast.AST) -> Iterator[Finding]:
        """`optimizer = torch.optim.SGD`, without a call."""
        owner, _, last = self._imports.dotted(node).rpartition(".")
        if last[:1].isupper() and _OF_OPTIMIZERS.search(owner) and (name := names.optimizer(last)):
            yield self._finding(node, name)

    def _finding(self, node: ast.AST, name: str, kind: str = CALL) -> Finding:
        return self._source.finding(Topic.OPTIMIZER, getattr(node, "lineno", 1), "optimizers", name, kind=kind)


def _optimises_tensors(call: ast.Call) -> bool:
    """`Adam([shifts, turns])`: variables by name, not the parameters of a model or groups of them."""
    given = call.args[0] if call.args else keywords(call).get("params")
    return isinstance(given, ast.List) and bool(given.elts) and all(isinstance(each, ast.Name) for each in given.elts)
