"""Imported names, and literals, in Python's syntax trees. Nothing is executed."""

import ast
from collections.abc import Iterable
from typing import Any

_DEEPEST = 12
UNKNOWN = object()


class Imports:
    """What the names of a file stand for, and the values of its constants."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.aliases: dict[str, str] = {}
        self.modules: dict[str, int] = {}
        self.constants: dict[str, Any] = {}
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
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                value = literal(node.value)
                if value is not UNKNOWN:
                    self.constants.setdefault(node.targets[0].id, value)

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
        """A literal, or the constant that a name was assigned in this file; else UNKNOWN."""
        if isinstance(node, ast.Name):
            return self.constants.get(node.id, UNKNOWN)
        return literal(node)


def literal(node: ast.AST | None, depth: int = 0) -> Any:
    """A constant, a list of constants, or simple arithmetic such as 10 ** -4 and 2 * 1e-3; else UNKNOWN.

    >>> literal(ast.parse("-5e-4 * 2", mode="eval").body)
    -0.001
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float | str | bool | type(None)) else UNKNOWN
    if depth > _DEEPEST:
        return UNKNOWN
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) <= 50:
        values = [literal(each, depth + 1) for each in node.elts]
        return UNKNOWN if UNKNOWN in values else values
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal(node.operand, depth + 1)
        return -value if _is_number(value) else UNKNOWN
    if isinstance(node, ast.BinOp):
        return _arithmetic(node.op, literal(node.left, depth + 1), literal(node.right, depth + 1))
    return UNKNOWN


def _arithmetic(operator: ast.operator, left: Any, right: Any) -> Any:
    if not _is_number(left) or not _is_number(right) or max(abs(left), abs(right)) > 1e12:
        return UNKNOWN
    try:
        if isinstance(operator, ast.Mult):
            return left * right
        if isinstance(operator, ast.Div):
            return left / right
        if isinstance(operator, ast.FloorDiv):
            return left // right
        if isinstance(operator, ast.Add):
            return left + right
        if isinstance(operator, ast.Sub):
            return left - right
        if isinstance(operator, ast.Pow) and abs(right) <= 64 and abs(left) <= 1000:
            return left**right
    except (ArithmeticError, ValueError):
        pass
    return UNKNOWN


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
