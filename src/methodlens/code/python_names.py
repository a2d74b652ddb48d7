"""Imported names, and the constants that names stand for, in Python's syntax trees. Nothing is executed."""

import ast
from collections.abc import Iterable
from typing import Any

from methodlens.code.python_values import UNKNOWN, evaluate

_DEEPEST = 12


class Imports:
    """What the names of a file stand for, and the values of its constants."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.aliases: dict[str, str] = {}
        self.modules: dict[str, int] = {}
        self.constants: dict[str, Any] = {}
        nodes = list(nodes)
        self._counters = {_name(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
        for node in nodes:
            if isinstance(node, ast.Import):
                for each in node.names:
                    self.modules.setdefault(each.name, node.lineno)
                    self.aliases[each.asname or each.name.partition(".")[0]] = (
                        each.name if each.asname else each.name.partition(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                self.modules.setdefault(node.module, node.lineno)
                for each in node.names:
                    self.aliases[each.asname or each.name] = f"{node.module}.{each.name}"
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._constant(node.targets[0], node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._constant(node.target, node.value)

    def _constant(self, target: ast.expr, value: ast.expr) -> None:
        """The first value of a name, `LR = 1e-3`, or of an attribute, `self.lr = 1e-3`, unless it is counted up later."""
        name = _name(target)
        if (
            name
            and name not in self.constants
            and name not in self._counters
            and (known := evaluate(value, self.constants)) is not UNKNOWN
        ):
            self.constants[name] = known

    def dotted(self, node: ast.AST, depth: int = 0) -> str:
        """The full name of a function or class: "torch.optim.Adam" for `optim.Adam` after `from torch import optim`."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id, node.id)
        if isinstance(node, ast.Attribute) and depth < _DEEPEST:
            before = self.dotted(node.value, depth + 1)
            return f"{before}.{node.attr}" if before else node.attr
        if isinstance(node, ast.Call) and depth < _DEEPEST:
            return self.dotted(node.func, depth + 1) + "()"
        return ""

    def value(self, node: ast.AST | None) -> Any:
        """A literal, the constant that a name was assigned in this file, or arithmetic on these; else UNKNOWN."""
        return evaluate(node, self.constants)


def _name(target: ast.expr) -> str:
    """Of a name or of its attribute; empty for others."""
    if isinstance(target, ast.Name):
        return target.id
    return f"{target.value.id}.{target.attr}" if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) else ""


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    return {each.arg: each.value for each in call.keywords if each.arg}


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """An argument by position or by any of its names."""
    named = keywords(call)
    for name in names:
        if name in named:
            return named[name]
    plain = [each for each in call.args if not isinstance(each, ast.Starred)]
    return plain[position] if position < len(plain) == len(call.args) else None
